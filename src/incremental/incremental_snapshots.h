// IncrementalSnapshots: tables read in chunks beside the stream, as Debezium reads them (DBLog): a
// watermark in the signaling table opens a window, a chunk is read, another one closes it; what the
// stream tells of between the two is left out of the chunk, which is published at the second.
//
//   idle ─► opening ─► reading ─► closing ─► waiting ─► opening …
//             │ a watermark  │ a chunk   │ a watermark  │ for it in the stream
//
// Driven by the data thread alone: the stream's changes, and Turn, which takes what the ChunkSource
// has done meanwhile. Nothing waits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "event/change_event.h"
#include "event/emission.h"
#include "event/notification.h"
#include "incremental/blocking_snapshot.h"
#include "incremental/channels/signal_inbox.h"
#include "incremental/chunks/chunk_source.h"
#include "incremental/options/pace.h"
#include "incremental/signals/signal.h"
#include "incremental/state.h"
#include "incremental/window.h"
#include "metrics/connector_metrics.h"
#include "names/called.h"

namespace walduct::incremental {

struct IncrementalOptions;

// What becomes of it; the engine's.
class Output {
 public:
  virtual ~Output() = default;
  // A row of a chunk, to be published like any.
  virtual absl::Status PublishRead(const event::ChangeEvent& row) = 0;
  virtual absl::Status Notify(const event::Notification& notification) = 0;
  // All rows of a table have been read, in views that show what the first one does; before the
  // notification of it.
  virtual void WasReadWhole(Oid /*table*/, const TransactionView& /*first*/) {}
  // Of snapshots, so many rows could not be published and were left out, as it is set.
  virtual uint64_t RowsLeftOut() const = 0;
  // They are stored with whatever is published and covered from here on, in place of those before;
  // a mark for them, larger than all before.
  virtual uint64_t Keep(OffsetMembers members) = 0;
  // What was kept up to that mark is stored.
  virtual uint64_t StoredMark() const = 0;
  // What is acknowledged is wanted to be stored, rather now than later.
  virtual void StoreSoon() = 0;
};

class IncrementalSnapshots {
 public:
  // So many chunks are published and not stored: what a crash repeats, and what changes stand
  // behind on their way to Kafka. While changes are streamed, one.
  static constexpr size_t kMostUnstored = 4;

  struct Parts {
    const IncrementalOptions* options = nullptr;                // borrowed
    std::string connector_name;                                 // as notifications tell it
    Output* output = nullptr;                                   // borrowed
    std::function<std::unique_ptr<ChunkSource>()> open_source;  // called at the first need
    std::unique_ptr<SignalInbox> inbox = nullptr;               // null: signals are rows only
    std::function<std::string()> new_id;                        // a random UUID
    std::vector<TableId> captured;                              // at the start
    std::function<bool(const TableId&)> captures = {};          // one that was made since
    bool keeps_pause = false;                                   // that the stored state has
    names::Called called = {};                                  // in commands to type
    Clock* clock = nullptr;                                     // borrowed
    metrics::ConnectorMetrics* metrics = nullptr;               // borrowed
  };
  explicit IncrementalSnapshots(Parts parts);
  // Tells the inbox what is done, and the board that nobody reads.
  ~IncrementalSnapshots();
  IncrementalSnapshots(const IncrementalSnapshots&) = delete;
  IncrementalSnapshots& operator=(const IncrementalSnapshots&) = delete;

  // Goes on with what the stored position came with, paused where it was and that is kept; before
  // the stream begins.
  absl::Status Resume(const OffsetMembers& stored);

  // A signal of the connector's own, carried out with the next Turn; taken: what has come of it is
  // kept.
  void Ask(RawSignal signal, std::function<void()> taken) {
    asked_.emplace_back(std::move(signal), std::move(taken));
  }

  // After the records of the change, before it is done with.
  absl::Status OnChange(const event::ChangeEvent& change,
                        absl::Span<const event::Emission> emissions) {
    if (step_ != Step::kIdle || has_signal_table_) return Tell(change, emissions);
    if (change.schema != nullptr) Remember(change);
    return absl::OkStatus();
  }
  void OnCommit(uint64_t xid);
  // Between two changes. behind: all that was committed up to there has been streamed.
  absl::Status Turn(Lsn behind = Lsn());
  // It waits for the stream to come to where the server is.
  bool awaits_stream() const;
  // Until the next Turn at the latest.
  absl::Duration UntilDue() const;

  // Whether the stream is to stand still between two transactions, for a blocking snapshot.
  bool blocks() const { return !state_.blocking.empty(); }
  // The one to be read.
  absl::StatusOr<BlockingSnapshot> NextBlocking();
  // It is over, however it ended. What was published of it is covered with this.
  void EndBlocking();
  // The view does not show all that was streamed.
  bool IsHiddenFrom(const TransactionView& view) const;
  // Where the stream is: what rows that are read beside it tell as theirs.
  void StampRow(event::ChangeEvent* row) const;
  // Readable when Turn has something to do; -1: none.
  int chunks_fd() const { return source_ == nullptr ? -1 : source_->ready_fd(); }
  int signals_fd() const { return parts_.inbox == nullptr ? -1 : parts_.inbox->ready_fd(); }

 private:
  enum class Step : uint8_t { kIdle, kOpening, kReading, kClosing, kWaiting, kBroken };
  enum class TableKind : uint8_t { kOther, kSignals, kCurrent };
  using Details = std::vector<std::pair<std::string, std::string>>;

  absl::Status Tell(const event::ChangeEvent& change, absl::Span<const event::Emission> emissions);
  void Remember(const event::ChangeEvent& change) {
    const uint64_t xid = change.xid.value_or(0);
    seen_ = {change.lsn, xid, change.source_time_us, change.last_commit_end};
    last_xid_ = static_cast<uint32_t>(xid);
    has_rows_ = true;
  }
  TableKind KindOf(const event::TableSchema& schema);
  absl::Status OnSignalRow(const event::ChangeEvent& change);
  // may_repeat: it can have come before, from the inbox.
  absl::Status OnSignal(const RawSignal& raw, bool may_repeat);
  absl::Status Refuse(const RawSignal& raw, const absl::Status& why);
  absl::Status TellRefused(const RawSignal& raw, Details details);
  absl::Status TakeSignals();
  absl::Status TakeAsked();
  // Of the inbox.
  absl::Status OnIncoming(const SignalInbox::Incoming& incoming);
  void SettleSignals();
  absl::Status PassOver(const RawSignal& raw);
  void LogText(std::string message) const;
  absl::Status OnDeletedSignal(const event::ChangeEvent& change);
  void OnOpened();
  absl::Status OnClosed(const event::ChangeEvent& change);
  absl::Status OnPassed(Lsn behind);
  void ReadAgain();
  void OpenUnmarked();
  void BlockFor(const RawSignal& raw);
  absl::Status PublishWindow(const event::ChangeEvent& close);

  absl::Status Execute(const std::string& id, const ExecuteSnapshot& execute);
  // It is what was asked for last, and not over.
  bool IsUnderWay(const std::string& id, const ExecuteSnapshot& execute) const;
  absl::Status RefuseUnused(const std::string& id, const std::vector<std::string>& conditions);
  // Whether the table in that place of the queue is to be stopped.
  std::vector<bool> ToStop() const;
  absl::Status Stop();
  absl::Status Pause();
  absl::Status ResumeReading();

  // After a restart: says what becomes of a pause.
  void GoOn();
  // The next window, if there is anything to read.
  absl::Status Next();
  // Not yet: `retry_at_` says when to look again.
  bool HeldByPace();
  bool HeldByStore();
  void TellHold(const std::string& why, absl::Duration now);
  absl::Status OnAnswer(ChunkSource::Answer answer);
  void OnTrouble(const absl::Status& error);
  void TellWhenUnmarked();
  absl::Status OnChunk(Chunk chunk);
  void GiveUpWindow();
  void ReadChunk();
  // The chunk's view lacks what had been streamed when it was asked for.
  bool LacksWhatWasTold(const TransactionView& view) const;
  // The table is over: the next one is read in the same window, or the window is closed.
  absl::Status EndTable(absl::string_view status, bool failed);
  void TakeTable();
  // How far the first one is read.
  void ForgetTable();
  absl::Status TakeBounds(const Chunk& chunk);
  void NoteView(const Chunk& chunk);
  absl::Status NotifyProgress(const Chunk& chunk);
  absl::Status Notify(absl::string_view type, const Details& details);
  // Of an end: rows_left_out, where there were some.
  Details LeftOut() const;
  absl::Status Send(const std::string& id, absl::string_view type, const Details& details);
  void Changed();
  // To the board; HoldFor: what it stands still for, empty: it goes on.
  void Show();
  void ShowNextTable();
  void ShowResumed();
  // To the log; of the first table.
  void TellProgress(const std::string& message, absl::string_view status);
  void TellProgressWhenDue();
  void HoldFor(std::string reason);
  ChunkSource& source();

  const Parts parts_;
  std::unique_ptr<ChunkSource> source_;
  SnapshotState state_;
  Step step_ = Step::kIdle;
  std::string window_id_;
  bool window_done_ = false;  // its close was streamed before it was known to be written
  Window window_;
  // The first one is read whole, from its first row on: which it is, and what its first view shows.
  // 0: it is not.
  Oid whole_{};
  TransactionView first_view_;
  std::optional<Key> read_;  // the last key of the last window, with what tells equal keys apart
  // Rows of the chunk behind it that are to be looked at again, and where it ended.
  std::vector<std::string> doubted_;
  std::optional<Key> doubted_end_;
  uint64_t table_rows_ = 0;  // as Debezium counts them
  absl::Duration retry_at_;  // kBroken; else not before then
  absl::Duration retry_delay_;
  std::vector<uint32_t> told_;            // streamed before the chunk was asked for, the last ones
  int read_again_ = 0;                    // this chunk, so often
  int chunk_size_ = 0;                    // smaller for a while, where windows overflow
  std::optional<std::string> completed_;  // to be told once the last watermark is written
  bool has_signal_table_ = false;
  bool has_rows_ = false;  // the transaction that is streamed changes others' tables
  uint32_t last_xid_ = 0;  // of the last one that does
  absl::Duration streamed_at_ = -absl::InfiniteDuration();  // the last one that does, when reading
  std::vector<uint32_t> recent_;  // the last commits of the stream, in a ring
  size_t recent_next_ = 0;
  uint64_t last_version_ = 0;  // of a table, and what it is
  TableKind last_kind_ = TableKind::kOther;
  uint64_t mark_ = 0;  // of the state
  std::deque<std::pair<RawSignal, std::function<void()>>> asked_;
  bool more_asked_ = false;  // behind the one that is carried out
  bool has_untold_ = false;  // the queue has grown and no state says so yet
  std::deque<std::pair<uint64_t, uint64_t>> unsettled_;  // ticket of a signal, mark behind it
  std::deque<uint64_t> unstored_;                        // marks of chunks that were published
  // Of the change that was seen last.
  struct Seen {
    Lsn lsn;
    uint64_t xid = 0;
    int64_t time_us = 0;
    std::optional<Lsn> last_commit_end = {};
  };
  Seen seen_;
  metrics::IncrementalView shown_;
  Pace pace_;
  std::string pace_hold_;  // what it is held by; empty: nothing
  absl::Duration hold_began_, hold_told_;
  absl::Duration waits_since_, unmarked_told_;  // kWaiting
  absl::Duration progress_told_;
  std::vector<event::Value> values_;  // scratch
};

}  // namespace walduct::incremental
