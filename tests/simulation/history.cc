#include "tests/simulation/history.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/simulation/operator.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {
namespace {

// All faults are over: so long it may take until everything is delivered, stored and confirmed.
constexpr absl::Duration kRecovery = absl::Minutes(5);
constexpr absl::Duration kTick = absl::Seconds(1);

// What starts an instance, and starts it again.
class Supervisor {
 public:
  Supervisor(World* world, std::string name)
      : world_(*world), name_(std::move(name)), next_(world->time.Monotonic()) {}

  void Turn() {
    if (process_ && process_->ended()) {
      process_.reset();
      next_ = world_.time.Monotonic() + world_.random.UpTo(absl::Seconds(10));
    }
    if (process_) {
      process_->Watch();
      if (process_->status().state == engine::ConnectorState::kFailed && !process_->dead())
        OnFailed();
      return;
    }
    if (stops_ || world_.time.Monotonic() < next_) return;
    process_ = std::make_unique<Process>(&world_, name_);
    process_->Start();
  }
  void Stop() {
    stops_ = true;
    if (process_) process_->Quit();
  }
  void Kill() {
    stops_ = true;
    if (process_) process_->Kill("the end");
  }
  bool stopped() const { return stops_ && (!process_ || process_->ended()); }

 private:
  void OnFailed() {
    if (told_ == process_.get()) return;
    told_ = process_.get();
    const std::string reason = process_->status().last_error->reason;
    world_.Note(absl::StrCat(name_, " gives up: ", reason));
    const bool others = reason == "slot_in_use" || reason == "slot_taken_over" ||
                        reason == "offset_superseded" || reason == "slot_exists" ||
                        reason == "fenced";
    const bool history =
        reason == "position_diverged" || reason == "position_ahead" || reason == "position_lost";
    const bool moved = reason == "position_skipped";
    const bool right = (others && world_.policy.instances > 1) || reason == "slot_in_use" ||
                       (history && world_.failed_over) || (moved && world_.slot_was_moved) ||
                       (reason == "snapshot_interrupted");
    if (!right || ((history || moved) && !Hopeless(reason))) {
      world_.ledger.Break(
          absl::StrCat(name_, " gave up: ", reason, ": ", process_->status().last_error->message));
    }
    // What the hint says.
    if (history || moved) world_.policy.mode = snapshot::SnapshotMode::kWhenNeeded;
    process_->Quit();
  }

  // Whether the stored position is indeed of no use.
  bool Hopeless(const std::string& reason) const {
    if (world_.policy.mode == snapshot::SnapshotMode::kWhenNeeded) return false;
    if (!world_.disk.content) return false;
    const auto stored = offset::DecodeOffset(*world_.disk.content);
    if (!stored.ok() || !stored->timeline) return false;
    if (reason == "position_lost") return !world_.slot_exists;
    if (reason == "position_skipped") return stored->position.commit_end < world_.slot;
    const auto fork = replication::EndOfTimeline(world_.database.timelines(), *stored->timeline);
    return fork &&
           (std::max(stored->position.commit_end, stored->snapshot_seen.value_or(Lsn())) > *fork ||
            (stored->position.ordinal > 0 && stored->position.transaction_final_lsn >= *fork));
  }

  World& world_;
  const std::string name_;
  absl::Duration next_;
  std::unique_ptr<Process> process_;
  const Process* told_ = nullptr;
  bool stops_ = false;
};

class Simulation {
 public:
  Simulation(uint64_t seed, Defect defect, const std::set<size_t>& left_out, size_t steps_kept)
      : world_(seed), operator_(&world_, seed) {
    world_.steps_kept = steps_kept;
    world_.defect = defect;
    world_.left_out = left_out;
    begin_ = world_.time.Monotonic();
    world_.time.Advance(world_.policy.begin);
    for (size_t i = 0; i < world_.policy.instances; ++i)
      instances_.push_back(std::make_unique<Supervisor>(&world_, i == 0 ? "A" : "B"));
  }

  Outcome Run() {
    const absl::Duration calm = world_.time.Monotonic() + world_.policy.calm;
    while (sound() && world_.time.Monotonic() < calm) Tick();
    world_.Calm();
    world_.Note("calm");
    operator_.Finish();
    const absl::Duration limit =
        std::max(world_.time.Monotonic(), world_.database.end()) + kRecovery;
    while (sound() && !done() && world_.time.Monotonic() < limit) Tick();
    if (!world_.ledger.complete())
      world_.ledger.Break("not everything was delivered and confirmed");
    if (!world_.ledger.answered()) world_.ledger.Break("what was asked for has not come");
    End();
    world_.ledger.CheckTopics();
    return {.broken = world_.ledger.broken(),
            .history = absl::StrJoin(world_.history, "\n  "),
            .faults = world_.happened,
            .counts = world_.counts,
            .failed_over = world_.failed_over,
            .lasted = world_.time.Monotonic() - begin_};
  }

 private:
  bool done() const { return world_.ledger.complete() && world_.ledger.answered(); }
  bool sound() const { return world_.ledger.broken().empty(); }

  void Tick() {
    const absl::Duration since = world_.time.Monotonic() - begin_;
    const Policy& policy = world_.policy;
    const absl::Duration none;
    if (!ending_ && policy.fail_over > none && !world_.failed_over && since >= policy.fail_over)
      world_.FailOver();
    if (policy.slot_moved > none && !world_.slot_was_moved && since >= policy.slot_moved &&
        since < policy.slot_moved + absl::Minutes(1))
      world_.MoveSlot();
    if (!ending_) operator_.Turn();
    world_.standby.Turn();
    for (const auto& instance : instances_) instance->Turn();
    if (!world_.fibers.RunUntil([] { return false; }, world_.time.Monotonic() + kTick))
      world_.ledger.Break("busy without time passing");
  }

  void End() {
    ending_ = true;
    const absl::Duration limit = world_.time.Monotonic() + absl::Minutes(2);
    for (const auto& instance : instances_) sound() ? instance->Stop() : instance->Kill();
    while (!stopped() && world_.time.Monotonic() < limit) Tick();
    if (!stopped()) world_.ledger.Break("an instance does not stop");
    for (const auto& instance : instances_) instance->Kill();
    while (!stopped()) Tick();
  }
  bool stopped() const {
    return std::all_of(instances_.begin(), instances_.end(),
                       [](const auto& instance) { return instance->stopped(); });
  }

  World world_;
  Operator operator_;
  absl::Duration begin_;
  bool ending_ = false;
  std::vector<std::unique_ptr<Supervisor>> instances_;
};

}  // namespace

Outcome RunSeed(uint64_t seed, Defect defect, const std::set<size_t>& left_out, size_t steps_kept) {
  return Simulation(seed, defect, left_out, steps_kept).Run();
}

std::string Shrink(uint64_t seed, Defect defect, const Outcome& outcome) {
  constexpr int kMostTries = 300;
  Outcome least = outcome;
  std::set<size_t> left_out;
  int tries = 0;
  for (size_t fault = 0; fault < least.faults && tries < kMostTries; ++fault) {
    ++tries;
    std::set<size_t> fewer = left_out;
    fewer.insert(fault);
    Outcome without = RunSeed(seed, defect, fewer);
    if (without.broken.empty()) continue;
    left_out = std::move(fewer);
    least = std::move(without);
  }
  return absl::StrCat(
      outcome.broken, "\n  replay: scripts/test simulation -- --seed ", seed,
      defect == Defect::kNone ? "" : absl::StrCat(" --defect ", static_cast<int>(defect)),
      "\n  with ", least.faults - std::min(least.faults, left_out.size()), " faults of ",
      outcome.faults, ": ", least.broken, "\n  ", least.history);
}

}  // namespace walduct::simulation
