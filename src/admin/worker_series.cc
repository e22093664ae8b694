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

constexpr Family kWarning = {"walduct_worker_warning", kGauge,
                             "1 while something may be wrong with a worker that serves, by reason"};

constexpr Family kRefused = {"walduct_worker_refused_requests_total", kCounter,
                             "requests that were not signed as other workers sign, by why"};

constexpr Family kWorkers = {"walduct_group_workers", kGauge,
                             "workers of a group that shares its connectors, as Kafka lists them"};
constexpr Family kLeads = {"walduct_group_leads", kGauge,
                           "1 on the worker that says who runs what, 0 on the others"};
constexpr Family kEpoch = {"walduct_group_epoch", kGauge,
                           "how often it was said anew who runs what"};
constexpr Family kGiven = {"walduct_group_connectors", kGauge,
                           "connectors that were given to this worker"};
constexpr Family kUnassigned = {"walduct_group_unassigned_connectors", kGauge,
                                "connectors of the group that no worker runs"};
constexpr Family kUnassignedFor = {"walduct_group_unassigned_seconds", kGauge,
                                   "for how long no worker has run the one that waits longest"};
constexpr Family kMoves = {"walduct_group_moves_total", kCounter,
                           "connectors that went from one worker to another, by why"};

void AddGroupSeries(const ProcessView& process, const WorkerView& worker, MetricText* out) {
  const GroupView& group = *worker.shares;
  const std::string& name = worker.group;
  uint64_t members = 0, given = 0;
  bool leads = false;
  for (const GroupWorker& one : group.workers) {
    members += one.member ? 1 : 0;
    if (!one.self) continue;
    given = static_cast<uint64_t>(one.connectors);
    leads = one.leads;
  }
  absl::Time since = process.now;
  for (const UnassignedConnector& one : group.unassigned) since = std::min(since, one.since);
  out->Add(kWorkers, {{"group", name}}, members);
  out->Add(kLeads, {{"group", name}}, uint64_t{leads});
  out->Add(kEpoch, {{"group", name}}, static_cast<uint64_t>(group.epoch));
  out->Add(kGiven, {{"group", name}}, given);
  out->Add(kUnassigned, {{"group", name}}, uint64_t{group.unassigned.size()});
  out->Add(kUnassignedFor, {{"group", name}}, absl::ToDoubleSeconds(process.now - since));
  for (const char* const why : {"evened_out", "worker_gone"}) {
    const auto found = group.moved.find(why);
    out->Add(kMoves, {{"group", name}, {"why", why}},
             found == group.moved.end() ? uint64_t{0} : found->second);
  }
}

}  // namespace

void AddWorkerSeries(const ProcessView& process, MetricText* out) {
  if (!process.worker) return;
  const WorkerView& worker = *process.worker;
  out->Add(kState, {{"state", "serving"}}, uint64_t{worker.serves});
  out->Add(kState, {{"state", "waiting"}}, uint64_t{!worker.serves});
  if (worker.warning) out->Add(kWarning, {{"reason", worker.warning->reason}}, uint64_t{1});
  for (const char* const why : {"algorithm", "no_key", "signature", "unsigned"}) {
    const auto found = worker.refused.find(why);
    out->Add(kRefused, {{"why", why}}, found == worker.refused.end() ? uint64_t{0} : found->second);
  }
  if (worker.shares) AddGroupSeries(process, worker, out);
  if (worker.wait == WorkerWait::kNothing) return;
  out->Add(kWaiting, {{"for", std::string(WaitWord(worker.wait))}},
           std::max(0.0, absl::ToDoubleSeconds(process.now - worker.wait_since)));
}

}  // namespace walduct::admin
