// World: everything around the engine in one simulation: time, the dice, the database, the broker,
// the disk with the offset, the faults that happen to them, and what the seed has chosen.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "replication/options.h"
#include "snapshot/options.h"
#include "tests/simulation/database.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/random.h"
#include "tests/simulation/standby.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/simulated_time.h"

namespace walduct::simulation {

enum class Fault : uint8_t {
  kCrash,        // kill -9
  kPause,        // SIGSTOP, then SIGCONT
  kDisconnect,   // of the stream
  kBrokerFails,  // the producer is of no use any more
  kSaveFails,    // with or without having become durable
  kSaveHangs,
  kCatalogFails,
  kLock,     // on a table: its description, or a snapshot, has to wait or gives up
  kRefuses,  // a connection that is to be opened
  // Of the standby that rows are read from.
  kStandbyLost,
  kReplayPaused,
  kConflict,  // its replay ends who reads
  kCount,
};
inline constexpr size_t kFaults = static_cast<size_t>(Fault::kCount);
const char* FaultName(size_t fault);

// A mistake that the engine could make, planted around it.
enum class Defect : uint8_t {
  kNone,
  kDropWhenFull,
  kSkipFailedDelivery,
  kConfirmBeforeSave,
  kResumeByEventLsn,
  kAdvanceInFlight,
  kAdvanceInTransaction,
  kIgnoreTimeline,
  kForgetSnapshot,
  kZombieWrites,
  kNoSlotLock,
  kIgnoreMovedSlot,
  // Of exactly once.
  kNoFence,
  kReadUncommitted,
  kPositionFirst,
  kPositionLater,
  kLoadBeforeFence,
  // Of tables in chunks.
  kForgetHeld,
  kBlindView,
  kChunkBeforeWindow,
  kForgetAsked,
  kSeenTooEarly,
  // Of the standby.
  kStandbyBehind,
  kNeedsTooEarly,
  kCount,
};
const char* DefectName(Defect defect);

// What the seed has chosen.
struct Policy {
  Policy(uint64_t seed, Random* random);

  size_t instances = 1;
  snapshot::SnapshotMode mode = snapshot::SnapshotMode::kNever;
  replication::OffsetMismatch mismatch = replication::OffsetMismatch::kNoValidation;
  absl::Duration begin;       // of the first instance, after the history's
  absl::Duration calm;        // so long until all faults are over
  absl::Duration fail_over;   // after so long; zero: never
  absl::Duration slot_moved;  // by somebody else, the same
  absl::Duration wal_sender_timeout;
  size_t partitions = 1;  // of each topic
  // The offset is kept in a topic: what is sent lands whoever has stored before, but is sent with a
  // permit only. Otherwise in a file, which is left alone when somebody else has written it.
  bool topic_store = false;
  // Records and positions are transactions of Kafka; nothing is lost by a failover, and nobody
  // moves the slot: what follows from those is read again.
  bool exactly_once = false;
  // Tables are asked for in chunks, and how these are told from the stream.
  enum class Windows : uint8_t { kNone, kInsert, kInsertDelete, kReadOnly };
  Windows windows = Windows::kNone;
  // Rows of a snapshot are read from a standby; not with exactly once, which refuses it.
  bool standby = false;
  // The server is near: naps over its stream are of another kind.
  bool near = false;
};

class Process;

// One replication session: what the server knows of it.
struct Walsender {
  Process* process = nullptr;  // null: it is gone
  bool streams = false;
  absl::Duration heard;  // from it, last
  bool ended = false;
  bool terminated = false;  // by the server, told to the other side
  int fd = -1;
};

struct World {
  explicit World(uint64_t seed);

  Random random;
  Policy policy;
  test::SimulatedTime time;
  Fibers fibers;
  Database database;
  Standby standby{this};
  Ledger ledger;
  test::FakeDisk disk;
  Defect defect = Defect::kNone;

  // The server.
  bool slot_exists = false;
  Lsn slot;                              // confirmed_flush_lsn
  std::shared_ptr<Walsender> walsender;  // reads the slot
  std::shared_ptr<Walsender> holder;     // has the lock of the slot
  bool failed_over = false, slot_was_moved = false;
  absl::Duration promoted;  // until then a standby that takes over lets nobody in
  size_t processes = 0;
  uint64_t transactions_owner = 0;  // the last sink that has shut others out
  void Terminate(const std::shared_ptr<Walsender>& session);
  // Its slot and its lock are free then.
  void Release(const std::shared_ptr<Walsender>& session, absl::Duration after);
  // The client has closed it, or is dead.
  void Close(const std::shared_ptr<Walsender>& session);
  void FailOver();
  // Committed now.
  Lsn WriteSignal(Signal signal);
  // Unless it is read just now.
  void MoveSlot();

  // Once in so many steps of each kind; 0: never. A step is a call into the world.
  std::array<size_t, kFaults> faults{};
  std::set<size_t> left_out;  // faults that do not happen, counted from the first
  size_t happened = 0;
  std::array<size_t, kFaults> counts{};
  bool Happens(Fault fault);
  void Calm() { faults.fill(0); }

  size_t steps_kept = 0;
  std::deque<std::string> history;  // the last steps, for a seed that fails
  void Note(const std::string& step);
};

// kafka::SendPermit's.
inline constexpr absl::Duration kLease = absl::Milliseconds(300);

inline absl::Status Dead() { return absl::UnavailableError("the process was killed"); }

}  // namespace walduct::simulation
