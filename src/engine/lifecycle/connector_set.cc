#include "engine/lifecycle/connector_set.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/configuration/connector_options.h"
#include "engine/control/whole_status.h"
#include "engine/lifecycle/connector.h"

namespace walduct::engine {
namespace {

// Nobody waits for it: what happens wakes it.
constexpr absl::Duration kLook = absl::Minutes(1);

}  // namespace

std::vector<ConnectorOptions> Host::LanesOf(const ConnectorOptions& whole) { return {whole}; }

absl::Status ConnectorSet::Begin(const ConnectorOptions& config) {
  return Add({.config = config, .served = true});
}

absl::Status ConnectorSet::Add(ConnectorRun options) {
  const std::string name = options.config.name;
  options.changed = &changed_;
  const MutexLock lock(mutex_);
  Lanes& lanes = connectors_[name];
  if (!lanes.empty()) {
    return Error(absl::StatusCode::kAlreadyExists, "connector_exists",
                 absl::StrCat("a connector named ", name, " is already running"),
                 "choose another name");
  }
  for (ConnectorOptions& config : world_.LanesOf(options.config)) {
    options.config = std::move(config);
    lanes.push_back(std::make_shared<Connector>(options, world_));
  }
  for (const std::shared_ptr<Connector>& lane : lanes) {
    // First: it tells the new one what is known of one before.
    if (options.mode == RunMode::kRun) monitor_->Add(lane);
    lane->Start();
  }
  return absl::OkStatus();
}

absl::Status ConnectorSet::Remove(const std::string& name) {
  Lanes lanes;
  {
    const MutexLock lock(mutex_);
    const auto found = connectors_.find(name);
    if (found == connectors_.end()) {
      return Error(absl::StatusCode::kNotFound, "connector_unknown",
                   absl::StrCat("there is no connector named ", name),
                   "check the names of the running connectors");
    }
    lanes = std::move(found->second);
    connectors_.erase(found);
  }
  for (const std::shared_ptr<Connector>& lane : lanes) lane->Post(Command::kQuit);
  // Others may hold it: it ends now, not with them.
  for (const std::shared_ptr<Connector>& lane : lanes) lane->Quit();
  changed_.Signal();
  return absl::OkStatus();
}

std::shared_ptr<Connector> ConnectorSet::Find(const std::string& name) const {
  const Lanes lanes = LanesOf(name);
  return lanes.empty() ? nullptr : lanes.front();
}

ConnectorSet::Lanes ConnectorSet::LanesOf(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = connectors_.find(name);
  return found == connectors_.end() ? Lanes() : found->second;
}

std::vector<std::shared_ptr<Connector>> ConnectorSet::All() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Connector>> all;
  for (const auto& [name, lanes] : connectors_) all.insert(all.end(), lanes.begin(), lanes.end());
  return all;
}

std::vector<ConnectorStatus> ConnectorSet::Statuses() const {
  std::vector<ConnectorStatus> statuses;
  for (const auto& connector : All()) statuses.push_back(connector->status());
  return statuses;
}

std::optional<ConnectorStatus> ConnectorSet::StatusOf(const std::string& name) const {
  const Lanes lanes = LanesOf(name);
  if (lanes.empty()) return std::nullopt;
  std::vector<ConnectorStatus> statuses;
  for (const std::shared_ptr<Connector>& lane : lanes) statuses.push_back(lane->status());
  return WholeStatus(std::move(statuses));
}

std::vector<ConnectorView> ConnectorSet::Views() const {
  std::vector<ConnectorView> views;
  for (const std::shared_ptr<Connector>& connector : All()) {
    views.push_back({.connector = connector,
                     .status = connector->status(),
                     .metric_name = connector->metric_name(),
                     .counts_per_table = connector->counts_per_table(),
                     .metrics = &connector->metrics(),
                     .names = &connector->names(),
                     .config = &connector->config()});
  }
  return views;
}

void ConnectorSet::Rest(const ConnectorOptions& config, ConnectorState state) {
  RestingLanes lanes;
  for (ConnectorOptions& lane : world_.LanesOf(config)) {
    lanes.push_back(std::make_shared<RestingConnector>(std::move(lane), state, world_.clock()));
    monitor_->Add(lanes.back());
  }
  const MutexLock lock(mutex_);
  resting_[config.name] = std::move(lanes);
}

void ConnectorSet::KeepResting(const std::set<std::string>& names) {
  const MutexLock lock(mutex_);
  std::erase_if(resting_, [&names](const auto& one) { return !names.contains(one.first); });
}

std::vector<ConnectorView> ConnectorSet::Resting() const {
  const MutexLock lock(mutex_);
  std::vector<ConnectorView> views;
  for (const auto& [name, lanes] : resting_) {
    const auto runs = connectors_.find(name);
    if (runs != connectors_.end() && !runs->second.empty()) continue;
    for (const std::shared_ptr<RestingConnector>& lane : lanes) {
      views.push_back({.connector = lane,
                       .status = lane->status(),
                       .metric_name = {},
                       .metrics = &lane->metrics(),
                       .names = &lane->names(),
                       .config = &lane->config()});
    }
  }
  return views;
}

bool ConnectorSet::Post(const std::string& name, Command command) {
  const Lanes lanes = LanesOf(name);
  for (const std::shared_ptr<Connector>& lane : lanes) lane->Post(command);
  return !lanes.empty();
}

void ConnectorSet::StopAll() {
  for (const auto& connector : All()) {
    if (!connector->status().ended()) connector->Stop();
  }
}

bool ConnectorSet::TakeChanges() {
  pollfd changed{.fd = changed_.fd(), .events = POLLIN, .revents = 0};
  const bool some = poll(&changed, 1, 0) > 0;
  changed_.Drain();
  return some;
}

ExitCode ConnectorSet::AwaitEnd(const StopSignal& stop) {
  bool told = false;
  while (true) {
    changed_.Drain();
    if (stop.requested() && !std::exchange(told, true)) StopAll();
    const std::vector<ConnectorStatus> statuses = Statuses();
    ReportFailures(statuses);
    const auto ended = [](const ConnectorStatus& status) { return status.ended(); };
    if (std::all_of(statuses.begin(), statuses.end(), ended)) break;
    world_.poller().WaitReadable({told ? -1 : stop.fd(), changed_.fd()}, kLook);
  }
  ExitCode worst = kExitClean;
  for (const ConnectorStatus& status : Statuses())
    worst = Worse(worst, status.exit_code.value_or(kExitClean));
  return worst;
}

void ConnectorSet::ReportFailures(const std::vector<ConnectorStatus>& statuses) {
  const auto going_on =
      std::count_if(statuses.begin(), statuses.end(),
                    [](const ConnectorStatus& status) { return !status.ended(); });
  for (const ConnectorStatus& status : statuses) {
    if (status.state != ConnectorState::kFailed) {
      failed_.erase(status.name);
    } else if (failed_.insert(status.name).second && going_on > 0) {
      log::Warn("a connector has failed; the others keep running",
                {{"failed", status.name}, {"running", going_on}});
    }
  }
}

}  // namespace walduct::engine
