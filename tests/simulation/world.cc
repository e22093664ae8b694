#include "tests/simulation/world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {
namespace {

// What left within the lease has arrived before another instance streams: longer than lease and
// wire together.
constexpr absl::Duration kTakeover = absl::Milliseconds(500);

}  // namespace

const char* FaultName(size_t fault) {
  static constexpr std::array<const char*, kFaults> kNames = {
      "killed",           "paused",
      "disconnected",     "the producer fails",
      "a save fails",     "a save hangs",
      "catalog fails",    "a lock",
      "refused",          "the standby is lost",
      "replay is paused", "a conflict with recovery"};
  return kNames[fault];
}

const char* DefectName(Defect defect) {
  static constexpr std::array<const char*, static_cast<size_t>(Defect::kCount)> kNames = {
      "none",
      "drop when the queue is full",
      "skip a failed delivery",
      "confirm before it is stored",
      "resume by the LSN of the event",
      "advance at a keepalive with records in flight",
      "advance at a keepalive inside a transaction",
      "ignore the timeline",
      "forget the interrupted snapshot",
      "zombie writes",
      "two instances side by side before they stream",
      "stream though the slot was moved",
      "earlier instances are not shut out",
      "records are seen before they are committed",
      "the position is stored before its records",
      "the position is stored behind its records",
      "the offset is read before others are shut out",
      "commits that are not shown are forgotten at a start",
      "a chunk is taken to show all that was streamed",
      "a chunk is read before its window is open",
      "what was asked for is forgotten at a start",
      "a chunk is published before the stream has come so far",
      "a standby is read before it shows what was committed",
      "a standby need not show what was committed before the slot was made"};
  return kNames[static_cast<size_t>(defect)];
}

Policy::Policy(uint64_t seed, Random* random) {
  using snapshot::SnapshotMode;
  if (random->OneIn(3)) instances = 2;
  const size_t way = random->Below(10);
  mode = way < 4   ? SnapshotMode::kNever
         : way < 7 ? SnapshotMode::kInitial
                   : SnapshotMode::kWhenNeeded;
  mismatch = static_cast<replication::OffsetMismatch>(random->Below(4));
  if (mode != SnapshotMode::kNever) begin = random->UpTo(absl::Seconds(20));
  calm = absl::Seconds(static_cast<int64_t>(random->Between(10, instances == 2 ? 150 : 90)));
  if (random->OneIn(4)) fail_over = begin + absl::Seconds(1) + random->UpTo(calm);
  if (fail_over == absl::ZeroDuration() && random->OneIn(8))
    slot_moved = begin + absl::Seconds(1) + random->UpTo(calm);
  if (instances == 2) {
    slot_moved = absl::ZeroDuration();
  }
  wal_sender_timeout = absl::Seconds(static_cast<int64_t>(random->Between(15, 60)));
  partitions = random->Between(1, 4);
  topic_store = random->OneIn(2);
  // Dice of its own: what the others throw stays the same.
  exactly_once = Random(seed ^ 0x0ce).OneIn(4);
  if (exactly_once) {
    topic_store = true;
    slot_moved = absl::ZeroDuration();
  }
  near = Random(seed ^ 0x4ea).OneIn(2);
  if (Random dice(seed ^ 0x1ac); dice.OneIn(3))
    windows = static_cast<Windows>(dice.Between(1, static_cast<size_t>(Windows::kReadOnly)));
  standby = mode != SnapshotMode::kNever && !exactly_once && Random(seed ^ 0x5b).OneIn(3);
}

World::World(uint64_t seed)
    : random(seed),
      policy(seed, &random),
      fibers(&time),
      database(&random, random.Between(5, 60), time.Monotonic(),
               policy.windows == Policy::Windows::kNone ? 0 : seed ^ 0x1a7e),
      ledger(database, policy.exactly_once) {
  //        crash pause disconnect broker save hangs catalog lock refuses; lost replay conflict
  faults = {400, 2000, 400, 800, 6, 60, 40, 30, 10, 20, 10, 8};
  // Some seeds are about one kind of fault, some about few.
  if (random.OneIn(4)) {
    for (size_t fault = 0; fault <= static_cast<size_t>(Fault::kRefuses); ++fault) {
      if (!random.OneIn(3)) faults[fault] = 0;
    }
  }
  if (policy.instances == 2) faults[static_cast<size_t>(Fault::kPause)] = 500;
}

bool World::Happens(Fault fault) {
  const auto kind = static_cast<size_t>(fault);
  if (faults[kind] == 0 || !random.OneIn(faults[kind])) return false;
  const size_t number = happened++;
  if (left_out.contains(number)) return false;
  ++counts[kind];
  Note(absl::StrCat("fault ", number, ": ", FaultName(kind)));
  return true;
}

void World::Note(const std::string& step) {
  if (history.size() == steps_kept) history.pop_front();
  history.push_back(
      absl::StrCat(absl::FormatDuration(time.Monotonic() - absl::Hours(1)), "  ", step));
}

void World::Terminate(const std::shared_ptr<Walsender>& session) {
  if (!session || session->ended) return;
  Note("the walsender is terminated");
  session->ended = session->terminated = true;
  if (session->fd >= 0) time.SetReadable(session->fd, true);
  Release(session, kTakeover);
}

void World::Release(const std::shared_ptr<Walsender>& session, absl::Duration after) {
  const auto release = [this, session] {
    if (walsender == session) walsender.reset();
    if (holder == session) holder.reset();
  };
  after > absl::ZeroDuration() ? time.After(after, release) : release();
}

void World::Close(const std::shared_ptr<Walsender>& session) {
  if (!session || std::exchange(session->ended, true)) return;
  const bool dead = session->process == nullptr || session->process->dead();
  // The server hears of it when it next writes.
  Release(session, dead ? random.UpTo(absl::Seconds(2)) : absl::ZeroDuration());
}

// The standby has what it has; its copy of the slot is behind, or missing.
void World::FailOver() {
  const auto& all = database.transactions();
  size_t committed = 0;
  while (committed < all.size() && all[committed].committed <= time.Monotonic()) ++committed;
  // Later, once it has what the position has seen.
  if (policy.exactly_once && (committed == 0 || slot > Lsn(all[committed - 1].end_lsn))) return;
  Terminate(walsender);
  Terminate(holder);
  walsender.reset();
  holder.reset();
  promoted = time.Monotonic() + kTakeover;
  const bool whole = policy.exactly_once || policy.instances == 2 || random.OneIn(3);
  const size_t lost = whole ? 0 : random.Below(std::min<size_t>(committed, 5) + 1);
  const Lsn shown = standby.Replayed();
  const Lsn fork =
      database.FailOver(&random, committed - lost, random.Between(3, 20), time.Monotonic());
  failed_over = true;
  standby.OnFailOver(shown, fork);
  if (slot > fork) slot = fork;
  Note(absl::StrCat("failover: timeline ", database.timeline(), " from ", fork.ToString(), ", ",
                    lost, " transactions lost"));
  if (slot_exists && !policy.exactly_once && policy.instances == 1 && random.OneIn(5)) {
    slot_exists = false;
    Note("the slot is not there");
  }
  ledger.OnFailOver(fork, slot);
}

Lsn World::WriteSignal(Signal signal) {
  Note(absl::StrCat("written: ", signal.deletes ? "delete " : "", signal.id, " ", signal.type, " ",
                    signal.data));
  if (walsender && walsender->fd >= 0) time.SetReadable(walsender->fd, true);
  return database.WriteSignal(std::move(signal), time.Monotonic());
}

void World::MoveSlot() {
  const Lsn end = database.WalEnd(time.Monotonic());
  if (!slot_exists || slot_was_moved || walsender || end <= slot) return;
  Note(absl::StrCat("somebody moves the slot to ", end.ToString()));
  slot = end;
  slot_was_moved = true;
  const bool trusted = policy.mismatch == replication::OffsetMismatch::kTrustSlot ||
                       policy.mismatch == replication::OffsetMismatch::kTrustGreaterLsn;
  const bool unknown = !disk.content && policy.mode == snapshot::SnapshotMode::kNever;
  ledger.OnStreamBegins(end, !trusted && !unknown);
}

}  // namespace walduct::simulation
