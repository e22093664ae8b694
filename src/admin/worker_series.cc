// Of the worker itself: there when no connector is.
#include <algorithm>
#include <string>

#include "admin/series.h"
#include "admin/worker_board.h"

namespace walduct::admin {
namespace {

using enum MetricType;

constexpr Family kState = {"walduct_worker_state", kGauge,
                           "1 for the state that the worker is in, 0 for the other"};
constexpr Family kWaiting = {"walduct_worker_waiting_seconds", kGauge,
                             "for how long the worker has been waiting, by what for"};

}  // namespace

void AddWorkerSeries(const ProcessView& process, MetricText* out) {
  if (!process.worker) return;
  const WorkerView& worker = *process.worker;
  out->Add(kState, {{"state", "serving"}}, uint64_t{worker.serves});
  out->Add(kState, {{"state", "waiting"}}, uint64_t{!worker.serves});
  if (worker.wait == WorkerWait::kNothing) return;
  out->Add(kWaiting, {{"for", std::string(WaitWord(worker.wait))}},
           std::max(0.0, absl::ToDoubleSeconds(process.now - worker.wait_since)));
}

}  // namespace walduct::admin
