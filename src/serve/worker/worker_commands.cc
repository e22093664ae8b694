// What clients ask a Worker for.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "serve/worker/worker.h"

namespace walduct::serve {
namespace {

// As it is written.
std::string SlotText(const ConfigMap& config) {
  const std::string* const named = FindValue(config, "slot.name");
  return named == nullptr ? "debezium" : *named;
}

// A reference may stand for any name.
bool MayBeSame(const std::string& a, const std::string& b) {
  return a == b || absl::StrContains(a, "${") || absl::StrContains(b, "${");
}

// host:port of both; an empty part may be any.
bool MayBeOneServer(absl::string_view a, absl::string_view b) {
  const size_t a_end = a.rfind(':'), b_end = b.rfind(':');
  const auto may_be = [](absl::string_view one, absl::string_view other) {
    return one.empty() || other.empty() || one == other;
  };
  return may_be(a.substr(0, a_end), b.substr(0, b_end)) &&
         may_be(a.substr(a_end + 1), b.substr(b_end + 1));
}

bool Polls(const ConfigMap& config) {
  const std::string* const source = FindValue(config, "walduct.outbox.source");
  return source != nullptr && *source == "poll";
}

// Nobody looks after it any more, but others that read it. sharers: their names; empty: none do.
void TellOfSlot(const ConnectorView& deleted, const std::string& sharers) {
  if (deleted.foreign || Polls(deleted.config)) return;
  const std::string slot = SlotText(deleted.config);
  if (!sharers.empty()) {
    log::Warn("connector deleted: its replication slot is that of another connector, too",
              {{"name", deleted.name},
               {"slot", slot},
               {"others", sharers},
               {"hint", absl::StrCat("leave the slot as it is: connector ", sharers,
                                     " would lose what it has not read yet")}});
    return;
  }
  log::Warn(
      "connector deleted: its replication slot stays on the server, and keeps WAL until a "
      "connector reads it again or it is dropped",
      {{"name", deleted.name},
       {"slot", slot},
       {"hint", absl::StrCat("SELECT pg_drop_replication_slot('",
                             absl::StrReplaceAll(slot, {{"'", "''"}}), "')")},
       {"more", "docs/serve.md#delete-a-connector-for-good"}});
}

}  // namespace

std::vector<engine::SlotAddress> Worker::SlotsOf(const std::string& name,
                                                 const ConfigMap& config) const {
  ConfigMap named = config;
  PutValue(&named, "name", name);
  return parts_.loader->SlotsOf(named);
}

std::string Worker::SharersOf(const std::string& name, const ConfigMap& config) const {
  if (Polls(config)) return "";
  std::vector<std::pair<std::string, ConfigMap>> others;
  const std::string text = SlotText(config);
  deployments_.VisitAll([&](const std::string& other, const Deployment& one) {
    if (other != name && !one.foreign && !Polls(one.config) &&
        MayBeSame(SlotText(one.config), text))
      others.emplace_back(other, one.config);
  });
  if (others.empty()) return "";
  const std::vector<engine::SlotAddress> own = SlotsOf(name, config);
  std::vector<std::string> sharers;
  for (const auto& [other, its] : others) {
    const std::vector<engine::SlotAddress> reads = SlotsOf(other, its);
    const auto is_own = [&own](const engine::SlotAddress& read) {
      return std::any_of(own.begin(), own.end(), [&read](const engine::SlotAddress& one) {
        return one.slot == read.slot && MayBeOneServer(one.server, read.server);
      });
    };
    if (std::any_of(reads.begin(), reads.end(), is_own)) sharers.push_back(other);
  }
  return absl::StrJoin(sharers, ", ");
}

std::set<std::string> Worker::SlotsOfOthers(const std::string& name,
                                            const std::string& server) const {
  std::vector<std::pair<std::string, ConfigMap>> others;
  deployments_.VisitAll([&](const std::string& other, const Deployment& one) {
    if (other != name && !one.foreign) others.emplace_back(other, one.config);
  });
  std::set<std::string> slots;
  for (const auto& [other, its] : others)
    for (const engine::SlotAddress& reads : SlotsOf(other, its))
      if (MayBeOneServer(reads.server, server)) slots.insert(reads.slot);
  return slots;
}

std::set<std::string> Worker::PublicationsOfOthers(const std::string& name,
                                                   const std::string& database) const {
  std::set<std::string> publications;
  deployments_.VisitAll([&](const std::string& other, const Deployment& one) {
    if (other == name || one.foreign || Polls(one.config)) return;
    const std::string* const its = FindValue(one.config, "database.dbname");
    const bool elsewhere = its != nullptr && *its != database && !absl::StrContains(*its, "${");
    if (elsewhere) return;
    const std::string* const named = FindValue(one.config, "publication.name");
    const std::string publication = named == nullptr ? "dbz_publication" : *named;
    publications.insert(publication);
    publications.insert(absl::AsciiStrToLower(publication));
  });
  return publications;
}

// Kafka Connect takes it, and so does this.
void Worker::WarnOfSharers(const std::string& name, const ConfigMap& config) const {
  const std::optional<ConnectorView> view = Find(name);
  if (!view || view->foreign) return;
  const std::string sharers = SharersOf(name, config);
  if (sharers.empty()) return;
  log::Warn("two connectors are to read one replication slot, which one of them can at a time",
            {{"name", name},
             {"slot", SlotText(config)},
             {"others", sharers},
             {"hint", absl::StrCat("connector ", sharers,
                                   " of this worker reads it: give one of the two another "
                                   "slot.name")}});
}

std::optional<ConnectorView> Worker::Find(const std::string& name) const {
  std::optional<ConnectorView> view;
  deployments_.Visit(name, [&](const Deployment& one) {
    view = {.name = name, .config = one.config, .tasks = one.tasks, .foreign = one.foreign};
  });
  return view;
}

absl::Status Worker::Create(const std::string& name, const ConfigMap& config, TargetState target) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(Refresh());
  if (!absl::IsNotFound(deployments_.CheckOwn(name)))
    return absl::AlreadyExistsError(absl::StrCat("Connector ", name, " already exists"));
  RETURN_IF_ERROR(deployments_.Create(name, config, target));
  LookAgain();
  WarnOfSharers(name, config);
  return absl::OkStatus();
}

absl::StatusOr<bool> Worker::PutConfig(const std::string& name, const ConfigMap& config,
                                       bool expects, std::optional<uint64_t> made_of) {
  {
    const MutexLock change(deployments_.changing());
    RETURN_IF_ERROR(Refresh());
    const absl::Status there = deployments_.CheckOwn(name);
    if (there.ok() && made_of && VersionOf(name) != made_of) {
      return absl::AbortedError(
          absl::StrCat("Cannot complete request momentarily: the configuration of connector ", name,
                       " was changed meanwhile. Nothing is changed by this request; ask again"));
    }
    if (there.ok()) {
      // As it is: nothing starts anew, and what has failed stays so.
      ASSIGN_OR_RETURN(const bool other, deployments_.SetConfig(name, config));
      if (other) statuses_.Repeat(name, true, true);
      LookAgain();
      if (other) WarnOfSharers(name, config);
      return false;
    }
    if (expects || !absl::IsNotFound(there)) return there;
  }
  RETURN_IF_ERROR(Create(name, config, TargetState::kStarted));
  return true;
}

absl::Status Worker::SetTarget(const std::string& name, TargetState target) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(RefreshFor(name));
  RETURN_IF_ERROR(deployments_.SetTarget(name, target));
  if (target == TargetState::kStopped) runner_.Forgive(name);
  LookAgain();
  return absl::OkStatus();
}

absl::Status Worker::Delete(const std::string& name) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(RefreshFor(name));
  const std::optional<ConnectorView> view = Find(name);
  RETURN_IF_ERROR(deployments_.Delete(name));
  if (view) TellOfSlot(*view, SharersOf(name, view->config));
  LookAgain();
  return statuses_.ResetTopics(name);
}

void Worker::RestartNow(const std::string& name) {
  runner_.Restart(name);
  statuses_.Repeat(name, false, true);
  LookAgain();
}

absl::Status Worker::RestartTask(const std::string& name, const std::string& task) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(deployments_.CheckOwn(name));
  if (task != "0" || Find(name)->tasks == 0)
    return absl::NotFoundError(absl::StrCat("Unknown task: ", name, "-", task));
  if (parts_.assignment->follows()) RETURN_IF_ERROR(CheckMayAct(name));
  RestartNow(name);
  return absl::OkStatus();
}

absl::StatusOr<StatusView> Worker::Restart(const std::string& name, bool include_tasks,
                                           bool only_failed) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(RefreshFor(name));
  const bool plan = include_tasks || only_failed;
  // Without a flag a worker restarts what has no life of its own here.
  if (plan) {
    RETURN_IF_ERROR(deployments_.Write(
        {{.key = RestartKey(name), .value = RestartValue(include_tasks, only_failed)}}));
  }
  StatusView view = *StatusOf(name);
  if (!only_failed) {
    view.state = "RESTARTING";
    statuses_.Repeat(name, true, false);
  }
  if (plan && include_tasks && view.task && (!only_failed || view.task->state == "FAILED")) {
    view.task->state = "RESTARTING";
    // Another worker's own: it reads what was written.
    if (parts_.assignment->Owns(name)) RestartNow(name);
  }
  return view;
}

absl::Status Worker::ResetTopics(const std::string& name) {
  const MutexLock change(deployments_.changing());
  RETURN_IF_ERROR(deployments_.CheckMayWrite());
  return statuses_.ResetTopics(name);
}

// To what runs here, or rests here.
absl::Status Worker::CheckMayAct(const std::string& name) const {
  if (!parts_.assignment->follows()) return deployments_.CheckMayWrite();
  if (parts_.assignment->Owns(name)) return parts_.assignment->Confirmed();
  return absl::AbortedError(absl::StrCat(
      "Cannot complete request because of a conflicting operation (e.g. worker rebalance): "
      "connector ",
      name, " is not this worker's. Nothing is changed; ask again in some seconds"));
}

bool Worker::Begins(const std::string& name) const {
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  return wanted && wanted->target == TargetState::kStarted && parts_.assignment->Owns(name) &&
         !runner_.FailureOf(name) && RunningOf(name) == nullptr;
}

bool Worker::Await(const std::function<bool()>& is_so, absl::Duration patience) const {
  constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
  const absl::Duration deadline = parts_.environment.clock->Monotonic() + patience;
  while (!is_so()) {
    if (ends_ || parts_.environment.clock->Monotonic() >= deadline) return false;
    parts_.environment.poller->WaitReadable({}, kLookAgain);
  }
  return true;
}

std::shared_ptr<const engine::ConnectorOptions> Worker::AwaitRunning(
    const std::string& name, absl::Duration patience) const {
  Await([&] { return !Begins(name); }, patience);
  return RunningOf(name);
}

absl::Status Worker::WhileFailed(
    const std::string& name,
    const std::function<absl::Status(const engine::ConnectorError& last)>& change) {
  const MutexLock changing(deployments_.changing());
  RETURN_IF_ERROR(RefreshFor(name));
  std::optional<engine::ConnectorStatus> status;
  if (!runner_.restarts(name)) status = parts_.connectors->StatusOf(name);
  if (!status || status->state != engine::ConnectorState::kFailed || !status->last_error) {
    if (runner_.restarts(name) || Begins(name)) {
      return absl::FailedPreconditionError(
          absl::StrCat("Connector ", name,
                       " begins just now, and whether it fails again is not known yet: ask again "
                       "in some seconds"));
    }
    return absl::FailedPreconditionError(
        absl::StrCat("Connector ", name, " has not failed: there is nothing to skip"));
  }
  RETURN_IF_ERROR(CheckMayAct(name));
  RETURN_IF_ERROR(change(*status->last_error));
  RestartNow(name);
  return absl::OkStatus();
}

absl::Status Worker::WhileStopped(const std::string& name,
                                  const std::function<absl::Status()>& change, bool also_paused) {
  // What was stopped may take a moment to end.
  constexpr absl::Duration kEnds = absl::Seconds(30);
  constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
  const absl::Duration deadline = parts_.environment.clock->Monotonic() + kEnds;
  while (true) {
    {
      const MutexLock changing(deployments_.changing());
      RETURN_IF_ERROR(RefreshFor(name));
      const TargetState target = deployments_.WantedOf(name)->target;
      const bool paused = also_paused && target == TargetState::kPaused;
      if (target != TargetState::kStopped && !paused) {
        return absl::FailedPreconditionError(absl::StrCat(
            "Connectors must be in the STOPPED state before their offsets can be modified. This "
            "can be done for the specified connector by issuing a 'PUT' request to the "
            "'/connectors/",
            name, "/stop' endpoint"));
      }
      if (runner_.HasEnded(name, /*ends=*/paused)) {
        RETURN_IF_ERROR(CheckMayAct(name));
        return change();
      }
    }
    if (parts_.environment.clock->Monotonic() > deadline)
      return absl::UnavailableError(absl::StrCat("Connector ", name, " has not ended yet"));
    parts_.environment.poller->WaitReadable({}, kLookAgain);
  }
}

absl::Status Worker::CheckReachable() const {
  absl::Status confirmed = parts_.assignment->Confirmed();
  return absl::IsUnavailable(confirmed) ? confirmed : absl::OkStatus();
}

absl::Status Worker::RenewSession() {
  if (parts_.keys == nullptr || !parts_.keys->IsDue()) return absl::OkStatus();
  if (parts_.assignment->follows() && !parts_.assignment->leader().self) return absl::OkStatus();
  const MutexLock change(deployments_.changing());
  if (!parts_.keys->IsDue()) return absl::OkStatus();
  ASSIGN_OR_RETURN(access::SessionKey key, parts_.keys->Make());
  RETURN_IF_ERROR(
      deployments_.Write({{.key = std::string(kSessionKey), .value = SessionValue(key)}}));
  parts_.keys->Take(std::move(key), /*news=*/true);
  return absl::OkStatus();
}

absl::Status Worker::WriteLogger(const std::string& logger, const std::string& level) {
  const MutexLock change(deployments_.changing());
  return deployments_.WriteAsMember({{.key = LoggerKey(logger), .value = LoggerValue(level)}});
}

}  // namespace walduct::serve
