// PollSession: from a session with the database to an interruption or an error: claims the rows of
// the outbox tables batch after batch, publishes them, and marks or deletes them once the sink has
// acknowledged them. A failed session is thrown away whole; the next one finds the rows that were
// not marked. Data thread only.
//
// While a batch is published the server works on what comes next: the marks of the batch before, or
// the claim of the next one, which leaves out what is handed over and not marked, row by row. One
// statement is under way at a time. No more rows are handed over and not marked than one may be
// asked for (walduct.outbox.poll.batch.size): a claim has room for half of them.
//
// One session at a time polls a table: it holds an advisory lock of each. Another worker waits
// until the lock is free, which is when the session of its owner ends, however it ends.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delivery/pipeline/record_path.h"
#include "delivery/settling/committing_store.h"
#include "engine/control/control.h"
#include "engine/lifecycle/attempt.h"
#include "engine/lifecycle/host.h"
#include "offset/offset_store.h"
#include "poll/layouts/id_range.h"
#include "poll/layouts/outbox_table.h"
#include "poll/position/server_now.h"
#include "poll/position/table_position.h"
#include "poll/rows/dead_rows.h"
#include "poll/session/delivery_duties.h"
#include "poll/session/failed_rows.h"
#include "poll/session/low_water.h"
#include "poll/session/poll_world.h"
#include "poll/session/rows_left.h"
#include "sink/refusals.h"

namespace walduct::poll {

// Of the time to stop in, for the sink; the rest is for the marks.
inline constexpr double kSettleShare = 0.6;

class PollSession {
 public:
  // All borrowed.
  struct Parts {
    engine::AttemptParts attempt;
    PollWorld* world = nullptr;
    engine::WarnOnce* warn_once = nullptr;
    sink::Refusals* refusals = nullptr;
    FailedRows* failed_rows = nullptr;
  };
  explicit PollSession(const Parts& parts) : parts_(parts) {}

  absl::Status Run();

  bool began() const { return began_; }  // it has got as far as reading
  bool progressed() const { return done_ > 0 || stood_; }
  bool goal_reached() const { return goal_reached_; }
  uint64_t done() const { return done_; }  // rows that were marked or deleted
  // It has ended at a row that cannot be published, and the next one leaves that row alone.
  bool noted() const { return noted_; }

 private:
  // What a claim has found.
  struct Claimed {
    explicit Claimed(postgres::Result found) : rows(std::move(found)) {}
    postgres::Result rows;
    bool whole = false;  // there are no more
  };
  // The rows of a claim that were handed to the pipeline, in order.
  struct Batch {
    const OutboxTable* table = nullptr;
    uint64_t first = 0;                        // number of its first row
    size_t found = 0;                          // rows of the claim
    int key_column = 0, attempts_column = -1;  // of its rows
    bool handed_over = false;                  // all of them that can be
    bool saving = false;                       // with a position: it lies behind the one in memory
    // Of all of them, once others may be claimed beside: their ids, where a table has ranges; else
    // arrays of their primary keys, without braces.
    std::vector<int64_t> found_ids = {};
    std::vector<std::string> found_keys = {};
    std::string last_id = {};                    // of the last of them
    std::vector<std::vector<std::string>> keys;  // of each column of the primary key, row by row
    size_t rows = 0;
    size_t marked = 0;  // of them, from the beginning
    // Row by row, where the table counts attempts: these, and what rows wait for one another by.
    std::vector<int64_t> attempts;
    std::vector<std::optional<std::string>> order_keys = {};
    std::vector<FailedRow> failed;
    std::vector<std::vector<std::string>> locked;  // by somebody: their primary keys
    bool handed_back = false;                      // one of them by the sink, which is broken now
    bool ends_window = false;  // with a position: nothing of the window is left behind it
    std::string next_id = {};  // of the row that it stopped at; empty: it has all rows

    // Nothing of it is left, and none of its rows holds later ones back.
    bool clean() const { return handed_over && rows == found && failed.empty(); }
  };
  // Of rows that were published.
  struct Marks {
    postgres::Statement statement = {};
    OutboxTable::Chosen by = OutboxTable::Chosen::kKeys;
  };
  // What the session with the tables is asked while rows are published.
  enum class Asked : uint8_t { kNothing, kClaim, kMark, kLocks };

  const engine::ConnectorOptions& config() const { return *parts_.attempt.config; }
  absl::Status Open();
  absl::Status Build();
  absl::StatusOr<bool> Own();
  // Of a table, which rows are this session's; empty: all.
  std::string WhereOf(const OutboxTable& table) const;
  absl::Status AwaitOwnership();
  absl::Status BoundSilence();
  // Where silence is bounded, in time: asks the server whether the tables are still this session's.
  absl::Status Speak(bool hurries);
  void DoubtSilence();
  // After a standstill: asks the server whether the tables are still this session's.
  absl::Status Verify();
  static postgres::Statement LocksHeld();
  absl::Status CheckLocksHeld(const postgres::Result& answer) const;
  // The same, whether it stood still or not.
  absl::Status VerifyLocks(bool hurries);
  // Where the locks are: they are the session's, or with a pooler those of a transaction.
  TableSession& Owner() { return owner_ == nullptr ? *connection_ : *owner_; }
  // Neither session has ended, as far as is known without asking.
  absl::Status CheckAlive();
  // While a sink is waited for.
  absl::Status LookBeside();
  // Whether the session is there, and the tables are its own.
  absl::Status LookAround();
  absl::Status Listen();
  absl::Status Poll();
  // How many rows were published.
  absl::StatusOr<size_t> PollTable(const OutboxTable& table);
  // goes_on: what lies behind it may be claimed meanwhile. *looked: what became of it.
  absl::Status PublishBatch(const OutboxTable& table, const Claimed& claimed, bool goes_on,
                            LookedAt* looked);
  // Until a claim is there and there is room for it, or nothing is claimed any more.
  absl::Status AwaitNext();
  // Until all that is in flight is acknowledged and marked.
  absl::Status Drain();
  // Takes what the server has answered, and asks it what is next.
  absl::Status Pump();
  absl::Status PumpOnce();
  absl::Status TakeAnswer(Asked asked, postgres::Result answer);
  absl::Status AskNext();
  absl::Status AskAhead(Asked asked, const postgres::Statement& statement);
  // Waits for what is under way on that session, if anything is.
  absl::Status FinishAsked(const TableSession& connection, bool hurries);
  // Waits for an acknowledgement, an answer, or room in the offset store.
  absl::Status WaitAndPump();
  bool acknowledged(const Batch& batch) const {
    return batch.handed_over && Acknowledged(batch) == batch.rows;
  }
  // One may be asked for while others are published.
  bool may_read_ahead() const { return batch_rows_ > 1; }
  int64_t rows_at_once() const { return may_read_ahead() ? batch_rows_ / 2 : 1; }
  absl::Status Publish(const postgres::Result& rows, Batch* batch);
  absl::Status PublishRow(const postgres::Result& rows, int row, Batch* batch);
  // OK: the row is left alone for now.
  absl::Status Fail(const postgres::Result& rows, int row, const absl::Status& why, Batch* batch);
  // What the sink has handed back, if it was of the batch.
  void TakeRefused(Batch* batch);
  absl::Status NoteFailed(Batch* batch, bool hurries);
  // For a moment: without rows that somebody has locked, and those behind them of their keys.
  void PassLocked(const Batch& batch);
  // How many rows there are, now and then.
  absl::Status LookAtBacklog();
  void TellParked(const metrics::BacklogView& view, absl::Duration now);
  postgres::Statement BacklogOf(const OutboxTable& table);
  // *why: what the server says against it, if it says anything.
  absl::StatusOr<std::optional<postgres::Result>> AskBriefly(const postgres::Statement& statement,
                                                             absl::Status* why);
  void CountFails(const OutboxTable& table, const absl::Status& why);
  // Of the rows of the batch, from the first one on.
  size_t Acknowledged(const Batch& batch) const;
  absl::Status MarkApart(const Batch& batch, absl::flat_hash_set<std::string>* held);
  // all: as Batch::keys.
  static Marks MarksOf(const OutboxTable& table, const std::vector<std::vector<std::string>>& all,
                       size_t from, size_t wanted);
  absl::Status Mark(const OutboxTable& table, const std::vector<std::vector<std::string>>& all,
                    size_t from, size_t wanted, bool hurries);
  absl::Status CheckMarked(const OutboxTable& table, Marks marks, const postgres::Result& answer,
                           size_t wanted, bool hurries);
  absl::Status Salvage(const absl::Status& why);
  absl::Status SalvageMarks();
  absl::Status SalvagePositions();
  absl::StatusOr<postgres::Result> Ask(const postgres::Statement& statement) {
    return AskOn(*connection_, statement);
  }
  absl::StatusOr<postgres::Result> AskOn(TableSession& connection,
                                         const postgres::Statement& statement);
  absl::StatusOr<postgres::Result> Ask(std::string sql,
                                       std::optional<postgres::Shape> answer = std::nullopt) {
    return Ask(postgres::Statement{std::move(sql), {}, answer});
  }
  absl::StatusOr<postgres::Result> AskOfMarks(const postgres::Statement& statement, bool hurries) {
    return AskHurried(*connection_, statement, hurries);
  }
  absl::StatusOr<postgres::Result> AskHurried(TableSession& connection,
                                              const postgres::Statement& statement, bool hurries);
  absl::StatusOr<postgres::Result> Await(TableSession& connection);
  absl::StatusOr<postgres::Result> AwaitHurried(TableSession& connection, bool hurries);
  // Without rows that wait where the table cannot say it, and those that are in flight. whole: from
  // the table's beginning.
  postgres::Statement ClaimOf(const OutboxTable& table, bool whole = false);
  absl::StatusOr<Claimed> Claim(const OutboxTable& table);
  void BeginRange(const OutboxTable& table);
  void NoteBeside(const postgres::Result& rows, Batch* batch);
  std::vector<std::string> KeysBeside(const OutboxTable& table) const;
  void GrowBatch();
  absl::StatusOr<postgres::Result> AskForClaim(const OutboxTable& table);
  void NoteClaimed(const OutboxTable& table, const postgres::Result& rows);
  // Now and then: behind which id nothing is open.
  absl::Status LookForLowWater(const OutboxTable& table);
  // With a position (walduct.outbox.done=position).
  bool positions() const;
  absl::Status OpenPositions();
  absl::Status BeginTables(const ServerNow& now, bool first);
  absl::Status AwaitFlush(Lsn written);
  // Whether there is a window to be published.
  absl::StatusOr<bool> OpenWindow(const OutboxTable& table);
  postgres::Statement ClaimOfWindow(const OutboxTable& table);
  absl::StatusOr<bool> SaveIdle();
  static size_t WholeIds(const Batch& batch, size_t acknowledged);
  // In memory. Whether it has moved.
  bool MovePosition(Batch* batch, size_t acknowledged);
  void CountDone(size_t rows);
  absl::Status SavePositions(bool hurries);
  // Of batches that are acknowledged, while others are published.
  absl::Status SaveAhead();
  absl::StatusOr<bool> StartSave();
  absl::Status PollSave();
  void TellPositions();
  absl::Status DropPartitions();
  absl::Status DropPartitionsPast(absl::Duration retention);
  absl::Status DropPartitionsOf(const OutboxTable& table, absl::Duration retention,
                                absl::Status* why);
  absl::Status Pause(absl::Duration longest);
  // Its queue of notifications, dead rows and who keeps them.
  absl::Status LookAtServer();

  const Parts parts_;
  std::unique_ptr<TableSession> connection_;
  std::unique_ptr<TableSession> owner_;  // null: connection_ is no pooler's
  std::unique_ptr<sink::Sink> sink_;
  std::shared_ptr<event::SchemaIds> key_ids_, value_ids_;
  std::vector<OutboxTable> tables_;
  delivery::AckTracker tracker_;
  std::unique_ptr<offset::OffsetStore> store_;
  delivery::CommittingStore* committing_ = nullptr;  // store_; null: the sink has no transactions
  TablePositions positions_;
  std::map<std::string, std::string> ends_;  // of open windows: the id of the last row
  // Behind which nothing is new, and whose WAL was not flushed when that was seen.
  struct Passed {
    std::string seen = {};
    Lsn written = {};
  };
  std::map<std::string, Passed> passed_;
  offset::StoredOffset stored_;  // as it was last seen, without the positions
  absl::Duration positions_saved_;
  std::unique_ptr<DeliveryDuties> duties_;
  std::unique_ptr<delivery::RecordPath> path_;
  bool listens_ = false;
  bool began_ = false, stood_ = false, goal_reached_ = false, noted_ = false;
  uint64_t number_ = 0;  // of the last row that was handed over
  uint64_t done_ = 0;
  absl::Duration next_drop_ = absl::ZeroDuration();  // of partitions
  int64_t batch_rows_ = 1;
  std::deque<Batch> flight_;     // not marked, the first one first; the last may be under way
  std::optional<Claimed> next_;  // claimed ahead
  const OutboxTable* ahead_ = nullptr;  // what may be claimed ahead; null: nothing
  // Of the rows of a table those that were claimed since all of it was looked at, or since one of
  // them was left where it was: they are in flight, or done, and no other row can have their ids.
  // Not in use: of such a table, or with more missing than there is room for.
  IdRange claimed_ids_;
  const OutboxTable* ranged_ = nullptr;
  Asked asked_ = Asked::kNothing;  // what is under way on connection_
  absl::Duration asked_at_;
  Marks marks_;                                   // that are under way
  bool pump_failed_ = false;                      // no row is why
  bool saving_ = false;                           // a save is under way beside
  absl::Duration proven_ = absl::ZeroDuration();  // then connection_ was there, and had its locks
  std::map<std::string, LowWater> low_water_;     // by tables
  struct ServerLooks {
    absl::Duration next = absl::ZeroDuration(), next_word = absl::ZeroDuration();
    HeldSince held_since = {};
  };
  ServerLooks server_looks_;
  absl::Duration spoke_ = absl::ZeroDuration();  // when the owner's session was last asked
  bool speaks_ = false;                          // and has not answered
  absl::Duration next_look_ = absl::ZeroDuration(), next_word_ = absl::ZeroDuration();
  bool looks_ = false, idle_ = false;
  bool left_ = false;         // the last look at all tables has left rows
  bool unpublished_ = false;  // there were rows when they were counted
  // Keys whose later rows wait, as long as the claim is published.
  absl::flat_hash_set<std::string> held_;
  std::vector<event::Value> values_;
};

}  // namespace walduct::poll
