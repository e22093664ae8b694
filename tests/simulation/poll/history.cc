#include "tests/simulation/poll/history.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/simulation/poll/statements.h"
#include "tests/simulation/poll/worker.h"

namespace walduct::poll_simulation {
namespace {

// All faults are over: so long it may take until everything is published.
constexpr absl::Duration kRecovery = absl::Minutes(5);
constexpr absl::Duration kTick = absl::Milliseconds(500);
constexpr size_t kStepsKept = 80;

// What starts a worker, and starts it again.
class Supervisor {
 public:
  Supervisor(World* world, std::string name, size_t number)
      : world_(*world), name_(std::move(name)), number_(number) {}

  void Turn() {
    if (worker_ && worker_->ended()) {
      worker_.reset();
      next_ = world_.time.Monotonic() + world_.random.UpTo(absl::Seconds(3));
    }
    if (worker_) {
      if (worker_->status().state == engine::ConnectorState::kFailed && !worker_->dead())
        OnFailed();
      return;
    }
    if (stops_ || world_.time.Monotonic() < next_) return;
    worker_ = std::make_unique<Worker>(&world_, name_, number_);
    told_ = false;
    worker_->Start();
  }
  void Stop() {
    stops_ = true;
    if (worker_) worker_->Quit();
  }
  void Kill() {
    stops_ = true;
    if (worker_) worker_->Kill("the end");
  }
  bool stopped() const { return stops_ && (!worker_ || worker_->ended()); }

 private:
  // Of two that store one position one may be too late.
  void OnFailed() {
    if (std::exchange(told_, true)) return;
    const std::string reason = worker_->status().last_error->reason;
    world_.Note(name_, " gives up: ", reason);
    if (reason != "offset_superseded" || world_.policy.instances == 1)
      world_.ledger.Break(
          absl::StrCat(name_, " gave up: ", reason, ": ", worker_->status().last_error->message));
    worker_->Quit();
  }

  World& world_;
  const std::string name_;
  const size_t number_;
  absl::Duration next_;
  std::unique_ptr<Worker> worker_;
  bool told_ = false;
  bool stops_ = false;
};

class Simulation {
 public:
  Simulation(uint64_t seed, Defect defect, const std::set<size_t>& left_out, size_t steps_kept)
      : world_(seed, defect), begin_(world_.time.Monotonic()) {
    world_.steps_kept = steps_kept;
    world_.left_out = left_out;
    world_.server.Begin(world_.policy.calm);
    for (size_t number = 0; number < world_.policy.workers; ++number)
      for (size_t i = 0; i < world_.policy.instances; ++i)
        workers_.push_back(std::make_unique<Supervisor>(
            &world_, absl::StrCat(number, i == 0 ? "A" : "B"), number));
  }

  Outcome Run() {
    const absl::Duration calm = begin_ + world_.policy.calm;
    while (sound() && world_.time.Monotonic() < calm) Tick();
    world_.Calm();
    world_.Note("calm");
    world_.server.Mend();
    const absl::Duration limit = world_.time.Monotonic() + kRecovery;
    while (sound() && !world_.ledger.complete() && world_.time.Monotonic() < limit) {
      world_.server.RetryParked();
      Tick();
    }
    End();
    world_.ledger.CheckEnd();
    size_t parked = 0;
    for (const Row& row : world_.server.rows())
      if (row.was_parked) ++parked;
    Outcome outcome{.broken = world_.ledger.broken(),
                    .history = absl::StrJoin(world_.history, "\n  "),
                    .faults = world_.happened,
                    .counts = world_.counts,
                    .rows = world_.server.rows().size(),
                    .arrivals = world_.ledger.arrivals(),
                    .repeats = world_.ledger.repeats(),
                    .parked = parked,
                    .lasted = world_.time.Monotonic() - begin_};
    return outcome;
  }

 private:
  bool sound() const { return world_.ledger.broken().empty(); }

  void Tick() {
    if (world_.Happens(Fault::kRestart)) world_.server.Restart();
    world_.server.statements().DisconnectSome();
    for (const auto& worker : workers_) worker->Turn();
    if (!world_.fibers.RunUntil([] { return false; }, world_.time.Monotonic() + kTick))
      world_.ledger.Break("busy without time passing");
  }

  void End() {
    const absl::Duration limit = world_.time.Monotonic() + absl::Minutes(1);
    for (const auto& worker : workers_) sound() ? worker->Stop() : worker->Kill();
    while (!stopped() && world_.time.Monotonic() < limit) Tick();
    if (!stopped()) world_.ledger.Break("a worker does not stop");
    for (const auto& worker : workers_) worker->Kill();
    while (!stopped()) Tick();
    workers_.clear();
  }
  bool stopped() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->stopped(); });
  }

  World world_;
  absl::Duration begin_;
  std::vector<std::unique_ptr<Supervisor>> workers_;
};

}  // namespace

Outcome RunSeed(uint64_t seed, Defect defect, const std::set<size_t>& left_out, size_t steps_kept) {
  return Simulation(seed, defect, left_out, steps_kept).Run();
}

std::string Shrink(uint64_t seed, Defect defect, const Outcome& outcome) {
  constexpr int kMostTries = 300;
  Outcome least = RunSeed(seed, defect, {}, kStepsKept);
  std::set<size_t> left_out;
  int tries = 0;
  for (size_t fault = 0; fault < least.faults && tries < kMostTries; ++fault) {
    ++tries;
    std::set<size_t> fewer = left_out;
    fewer.insert(fault);
    Outcome without = RunSeed(seed, defect, fewer, kStepsKept);
    if (without.broken.empty()) continue;
    left_out = std::move(fewer);
    least = std::move(without);
  }
  return absl::StrCat(
      outcome.broken, "\n  replay: scripts/test simulation -- --poll --seed ", seed,
      defect == Defect::kNone ? "" : absl::StrCat(" --defect ", static_cast<int>(defect)),
      "\n  with ", least.faults - std::min(least.faults, left_out.size()), " faults of ",
      outcome.faults, ": ", least.broken, "\n  ", least.history);
}

Tally RunSeeds(uint64_t first, uint64_t seeds, Defect defect, size_t threads, size_t most_broken) {
  Tally tally;
  std::mutex mutex;
  std::atomic<uint64_t> next{first};
  const auto run = [&] {
    for (uint64_t seed = next++; seed < first + seeds; seed = next++) {
      const Outcome outcome = RunSeed(seed, defect);
      const std::lock_guard<std::mutex> lock(mutex);
      if (tally.broken.size() >= most_broken) return;
      ++tally.seeds;
      if (!outcome.broken.empty()) tally.broken.push_back(seed);
      for (size_t fault = 0; fault < kFaults; ++fault) tally.counts[fault] += outcome.counts[fault];
      tally.rows += outcome.rows;
      tally.arrivals += outcome.arrivals;
      tally.repeats += outcome.repeats;
      tally.parked += outcome.parked;
      tally.lasted += outcome.lasted;
    }
  };
  std::vector<std::thread> running;
  for (size_t i = 0; i < threads; ++i) running.emplace_back(run);
  for (std::thread& thread : running) thread.join();
  std::sort(tally.broken.begin(), tally.broken.end());
  return tally;
}

std::string Tally::Text() const {
  std::string text =
      absl::StrCat("polling: ", seeds, " seeds, ", broken.size(), " broken; ",
                   absl::ToInt64Hours(lasted), " simulated hours, ", rows, " rows, ", arrivals,
                   " arrivals, ", repeats, " of them again, ", parked, " parked");
  for (size_t fault = 0; fault < kFaults; ++fault)
    absl::StrAppend(&text, ", ", counts[fault], " ", FaultName(fault));
  return text;
}

}  // namespace walduct::poll_simulation
