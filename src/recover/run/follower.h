// Follower: a thread beside the recovery that tells the gate how far the restored server's slot has
// come, and people how far the recovery has. Until there is a slot it lets the server have a
// segment more whenever it waits for one.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "postgres/connection.h"
#include "recover/run/gap.h"
#include "recover/run/settling.h"
#include "recover/run/trouble.h"
#include "recover/state.h"

namespace walduct::engine {
class StatusBoard;
}
namespace walduct::metrics {
struct ConnectorMetrics;
}

namespace walduct::recover {

struct Window;

class Follower {
 public:
  // All borrowed.
  struct Options {
    std::string connector, slot, state_folder;
    Gap gap;
    // A session on the restored server, for the thread.
    std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(postgres::StopCheck)> open;
    metrics::ConnectorMetrics* metrics = nullptr;
    engine::StatusBoard* board = nullptr;  // has what is waited for
    absl::Duration patience;               // until that is said
    // A segment that is still missing when that was said: recover_archive_hole.
    bool ends_at_hole = false;
    bool cut_at_ddl = true;  // HowFar::cut_at_ddl
    // Of a replay between two times; null: between LSNs.
    std::shared_ptr<Window> window = nullptr;
    std::string begins = "the stored position";  // what `gap.from` is to people
    std::string archive_hint = {};               // where the archive has no more; empty: of `run`
    std::string costs = {};                      // what more a wait costs
    Environment environment;
  };
  // FailedPrecondition recover_state_folder: it cannot be read or written.
  static absl::StatusOr<std::unique_ptr<Follower>> Start(Options options);
  ~Follower();

  const Gap& gap() const { return options_.gap; }
  // The slot that the restored server has is the one that was made for this recovery.
  bool knows_slot() const;
  // What is known of a slot is not true any more: another is going to be made.
  absl::Status ForgetSlot();
  // It is being made: whenever it waits, replay may go on.
  void Makes(bool makes) { makes_ = makes; }
  // It is there, and has confirmed that.
  absl::Status SlotMade(Lsn confirmed);
  // Why this restored server cannot be recovered from: recover_backup_too_young,
  // recover_slot_lost, recover_state_folder.
  absl::Status error() const;
  // recover_wrong_server: of another cluster, by its system identifier.
  absl::Status WrongServer(const std::string& system) const;
  // recover_slot_lost, whoever has seen it.
  static absl::Status SlotLost(const std::string& why);
  // What the stream says of a slot is of the restored server's, and what is to be done another.
  // follower: what it knows goes first; may be null.
  static absl::Status Explain(const absl::Status& status, const Follower* follower);

 private:
  explicit Follower(Options options)
      : options_(std::move(options)), folder_(options_.state_folder), thread_(mutex_) {}

  struct SlotRow {
    bool there = false, reserved = false, lost = false;
    Lsn confirmed, replayed;
    std::optional<Xid> catalog_xmin;
    std::string pause;      // of replay
    int64_t time_us = 0;    // of the last commit that was replayed; 0: none
    uint32_t database = 0;  // of the slot
  };
  absl::Status Begin();
  HowFar Anew() const;
  void Loop();
  absl::Status Turn();
  absl::Status CannotRead(const absl::Status& why);
  void LetMoreIn(const GateNotes& notes);
  bool MayGoOn();
  absl::Status Look(const GateNotes& notes);
  absl::StatusOr<SlotRow> ReadSlot();
  absl::StatusOr<SlotRow> AskSlot();
  void Settle(const GateNotes& notes, HowFar* how_far);
  absl::Status Write(HowFar how_far);
  void LookIfNobodyDoes();
  absl::Status TellTrouble(const GateNotes& notes);
  void ShowStall(const std::optional<Trouble>& trouble);
  void EndSession();
  void TellProgress(const GateNotes& notes);
  void TellTimes(const GateNotes& notes);
  Clock& clock() const { return *options_.environment.clock; }

  const Options options_;
  StateFolder folder_;
  std::unique_ptr<postgres::Connection> session_;  // the thread's own
  std::optional<absl::Duration> unread_since_;     // the gate's notes cannot be read; the same,
  Settling settling_;                              // and what follows
  uint64_t events_ = 0;                            // when the slot was asked last
  Seen seen_;
  absl::Duration told_at_, trouble_at_, asked_at_;
  std::string trouble_;
  bool stalled_ = false;
  int64_t last_time_us_ = 0;
  absl::Duration started_at_;
  std::atomic<bool> makes_{false};
  mutable Mutex mutex_;
  HowFar how_far_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::recover
