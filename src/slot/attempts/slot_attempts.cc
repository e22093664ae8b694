#include "slot/attempts/slot_attempts.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "engine/configuration/shared_slots.h"
#include "engine/control/control.h"
#include "metrics/connector_metrics.h"
#include "offset/options.h"
#include "postgres/connection.h"
#include "replication/options.h"
#include "replication/session_names.h"
#include "slot/attempts/slot_monitor.h"
#include "slot/attempts/slot_source.h"
#include "slot/attempts/start_stall.h"
#include "slot/handover/handover.h"
#include "slot/lanes/handover_news.h"
#include "slot/lanes/lanes.h"
#include "slot/phases/session.h"
#include "slot/start/preparation.h"
#include "slot/world/known/known_slots.h"
#include "slot/world/watch/server_view.h"
#include "snapshot/options.h"

namespace walduct::slot {

namespace {

const engine::SourceType& SourceOrSlot(const engine::ConnectorOptions& config) {
  return config.source == nullptr ? kSlotSource : *config.source;
}

bool NamesSession(absl::string_view message, absl::string_view session) {
  for (const std::string& shown : replication::ShownNames(session))
    if (absl::StrContains(message, postgres::QuoteIdentifier(shown))) return true;
  return false;
}

}  // namespace

const engine::SourceType kSlotSource = {
    .name = "slot",
    .attempts = [](const engine::AttemptParts& parts) -> std::unique_ptr<engine::Attempts> {
      return std::make_unique<SlotAttempts>(static_cast<World&>(*parts.world), parts);
    },
    .by_slot = true,
    .lanes = LanesOf,
};

std::shared_ptr<KnownSlot> World::KnownOf(const engine::ConnectorOptions&) {
  return std::make_shared<KnownSlot>();
}

SlotAttempts::SlotAttempts(World& world, const engine::AttemptParts& parts, Reading* reading)
    : world_(world), parts_(parts), reading_(reading), known_(world.KnownOf(*parts.config)) {}

RestRules RestRulesOf(const engine::ConnectorOptions& config) {
  const offset::OffsetStoreKind store = config.offset->kind;
  return {.slots = config.replication->share.count,
          .trusts_moved = replication::TrustsSlot(config.replication->offset_mismatch),
          .fills_gaps = snapshot::FillsGaps(config.snapshot->mode),
          .needs_position = config.snapshot->mode == snapshot::SnapshotMode::kInitial &&
                            (store == offset::OffsetStoreKind::kKafkaTopic ||
                             store == offset::OffsetStoreKind::kFile)};
}

bool StreamsSlot(const engine::ConnectorOptions& config) {
  return &SourceOrSlot(config) == &kSlotSource;
}

std::unique_ptr<engine::Attempts> World::MakeAttempts(const engine::AttemptParts& parts) {
  return SourceOrSlot(*parts.config).attempts(parts);
}

std::vector<engine::ConnectorOptions> World::LanesOf(const engine::ConnectorOptions& whole) {
  const engine::SourceType& source = SourceOrSlot(whole);
  return source.lanes == nullptr ? Host::LanesOf(whole) : source.lanes(whole);
}

std::unique_ptr<engine::Monitor> World::MakeMonitor() {
  return std::make_unique<SlotMonitor>(*this);
}

engine::AttemptEnd SlotAttempts::Run(bool ran_before) {
  engine::AttemptEnd end = Attempt(ran_before);
  end.status = WithReader(Patiently(end));
  if (capture_.memory.begun) known_->Remember(capture_.memory);
  known_->RememberEnd();
  if (const std::optional<SlotPlace> place = world_.PlaceOfSlot(*parts_.config))
    known_->RememberLag(place->Name(), parts_.metrics->lag.Remember(), world_.clock().Now());
  return end;
}

// Another connector of this process that has the slot, by the name of the session that the message
// names: there is no process to be stopped.
absl::Status SlotAttempts::WithReader(const absl::Status& error) const {
  const std::string reason = ErrorReason(error);
  if (reason != "slot_in_use" && reason != "slot_held") return error;
  for (const std::string& other : world_.OtherReadersOf(*parts_.config)) {
    if (!NamesSession(error.message(), replication::StreamSession(other))) continue;
    return Error(error.code(), reason, error.message(),
                 absl::StrCat("connector ", other, " of this process reads it: ",
                              engine::SharedSlotHint(engine::NamesOf(*parts_.config), false)));
  }
  return error;
}

// A server that goes on denying what its own slot says is waited for, and not for ever.
absl::Status SlotAttempts::Patiently(const engine::AttemptEnd& end) {
  if (end.status.ok() || end.progressed) disputed_since_.reset();
  if (ErrorReason(end.status) != "slot_disputed") return end.status;
  const absl::Duration now = world_.clock().Monotonic();
  if (!disputed_since_) disputed_since_ = now;
  const absl::Duration lasted = now - *disputed_since_;
  if (lasted < kLongestDispute) return end.status;
  return Error(absl::StatusCode::kFailedPrecondition, "slot_disputed",
               absl::StrCat("for ", absl::FormatDuration(absl::Trunc(lasted, absl::Seconds(1))),
                            " the server has said: ", end.status.message()),
               ErrorHint(end.status));
}

engine::AttemptEnd SlotAttempts::Attempt(bool ran_before) {
  streamed_ = false;
  absl::StatusOr<Prepared> prepared = Prepare(*parts_.config, &memory_);
  if (ErrorReason(prepared.status()) == kHandoverDue) {
    drained_ = {};
    drained_.status = HandOver();
    if (!drained_.status.ok()) return drained_;
    prepared = Prepare(*parts_.config, &memory_);
  }
  if (!prepared.ok()) return {.status = prepared.status()};
  if (!prepared->decision.snapshot && !prepared->decision.stream) {
    log::Info(
        "nothing to do: the snapshot is already complete or not wanted, and snapshot.mode streams "
        "none");
    return {.goal_reached = true};
  }
  const std::set<std::string> deleted = std::exchange(refusals_.deleted(), {});
  prepared->deleted_topics.assign(deleted.begin(), deleted.end());
  return RunSession(*std::move(prepared), ran_before);
}

engine::AttemptEnd SlotAttempts::RunSession(Prepared prepared, bool ran_before) {
  metrics::LagBoard& lag = parts_.metrics->lag;
  streamed_ = true;
  if (prepared.decision.stream) known_->slots_read().insert(parts_.config->replication->slot_name);
  lag.Begin(prepared.start.commit_end, prepared.start.commit_time_us);
  if (prepared.decision.snapshot) lag.BeginSnapshot(world_.clock().Now());
  const std::vector<std::string> noted = prepared.deleted_topics;
  const CapturedTables captured = prepared.source->SignalTables();
  Session session =
      SessionOf(*parts_.config, parts_.goal, &memory_, ran_before, std::move(prepared), reading_);
  absl::Status status = session.Run();
  // Otherwise they went with the position; what is there by now was lost since.
  if (!session.progressed()) refusals_.deleted().insert(noted.begin(), noted.end());
  if (parts_.config->offset->kind == offset::OffsetStoreKind::kKafkaTopic) {
    status = OfOffsetTopic(status, parts_.config->offset->topic);
    refusals_.deleted().erase(parts_.config->offset->topic);
  }
  status = WithDeleted(status, noted, captured);
  lag.End();
  const std::optional<event::Position> stored = session.stored();
  if (session.goal_reached() && stored) lag.Begin(stored->commit_end, stored->commit_time_us);
  return {.status = status,
          .goal_reached = session.goal_reached(),
          .began = session.began(),
          .progressed = session.progressed(),
          .position = stored ? stored->commit_end.ToString() : "none"};
}

// noted: topics that were deleted before this attempt.
absl::Status SlotAttempts::WithDeleted(const absl::Status& error,
                                       const std::vector<std::string>& noted,
                                       const CapturedTables& captured) {
  const std::set<std::string>& since = refusals_.deleted();
  std::vector<std::string> deleted(since.begin(), since.end());
  absl::Status told = error;
  if (ErrorReason(error) == "topic_missing") {
    deleted.insert(deleted.end(), noted.begin(), noted.end());
    told = OfDeleted(error, deleted);
  }
  if (ErrorReason(error) != "topic_deleted" && told == error) return error;
  return WithTables(told, engine::CalledOf(*parts_.config),
                    TablesOfTopics(*parts_.config->route, deleted, captured));
}

Session SlotAttempts::SessionOf(const engine::ConnectorOptions& config, engine::RunGoal goal,
                                SlotMemory* memory, bool ran_before, Prepared prepared,
                                Reading* reading) {
  return Session({.config = &config,
                  .goal = goal,
                  .world = &world_,
                  .control = parts_.control,
                  .board = parts_.board,
                  .metrics = parts_.metrics,
                  .warn_once = &warn_once_,
                  .schemas = &memory->schemas,
                  .pause = &memory->pause,
                  .ran_before = ran_before,
                  .reading = reading},
                 std::move(prepared));
}

absl::StatusOr<Prepared> SlotAttempts::Prepare(const engine::ConnectorOptions& config,
                                               SlotMemory* memory) {
  Preparation preparation({.config = &config,
                           .world = &world_,
                           .source = {.config = &config,
                                      .mode = parts_.mode,
                                      .metrics = parts_.metrics,
                                      .warn_once = &warn_once_,
                                      .outbox_tables = &outbox_tables_,
                                      .capture = &capture_,
                                      .schemas = &memory->schemas,
                                      .pause = &memory->pause,
                                      .stopping = [this] { return Interrupted(); },
                                      .blockers =
                                          [this](const std::string& transactions) {
                                            parts_.board->WaitsOn(transactions);
                                          }},
                           .refusals = &refusals_,
                           .control = parts_.control,
                           .board = parts_.board,
                           .known = &config == parts_.config ? &known_->stored() : nullptr,
                           .slots_read = &known_->slots_read()});
  StartStall stall({.patience = config.runtime->stall_warning,
                    .clock = &world_.clock(),
                    .board = parts_.board,
                    .metrics = parts_.metrics});
  look_ = [&] {
    const ServerView view = preparation.view();
    stall.Look(view.lock, view.lock_looked_at);
  };
  absl::StatusOr<Prepared> prepared = preparation.Run();
  look_ = nullptr;
  sender_timeout_ = preparation.facts().sender_timeout;
  if (preparation.unreached()) {
    parts_.metrics->slot.OnUnreached();
    parts_.metrics->lag.OnUnreached(world_.clock().Now());
  }
  if (!prepared.ok()) return WithLock(prepared.status(), preparation.view(), world_.clock());
  return prepared;
}

absl::Status SlotAttempts::HandOver() {
  return Handover({.config = parts_.config,
                   .world = &world_,
                   .control = parts_.control,
                   .board = parts_.board,
                   .drain = [this](const engine::ConnectorOptions& lane,
                                   Lsn until) { return Drain(lane, until); },
                   .stopping = [this] { return Interrupted(); }})
      .Run();
}

absl::Status SlotAttempts::Drain(const engine::ConnectorOptions& lane, Lsn until) {
  SlotMemory& memory = drain_memory_[lane.replication->share.number];
  ASSIGN_OR_RETURN(Prepared prepared, Prepare(lane, &memory));
  Session session =
      SessionOf(lane, {.until_lsn = until}, &memory, /*ran_before=*/false, std::move(prepared));
  const absl::Status status = session.Run();
  drained_.began |= session.began();
  drained_.progressed |= session.progressed();
  RETURN_IF_ERROR(status);
  return session.goal_reached() ? absl::OkStatus() : absl::CancelledError("stopped");
}

engine::Action SlotAttempts::ActionAfter(const absl::Status& status, engine::Phase phase) const {
  const std::string reason = ErrorReason(status);
  const bool lost = reason == "slot_lost" || reason == "slot_missing";
  // A slot that was lost while it was read is replaced, or held, by the next attempt.
  const bool holds = streamed_ && parts_.config->replication->holds_lost_slot;
  return lost && (holds || snapshot::FillsGaps(parts_.config->snapshot->mode))
             ? engine::Action::kRetry
             : engine::ActionFor(status, phase);
}

engine::SoonRetries SlotAttempts::soon() const {
  const replication::ReplicationOptions& slot = *parts_.config->replication;
  return {.most = slot.max_retries,
          .delay = slot.retry_delay,
          .given = slot.retries_given,
          .held = sender_timeout_};
}

// What it says of the slot counts at once: the next look may be far.
void SlotAttempts::ShowError(const absl::Status& error) {
  parts_.board->ShowError(error, Lsn(parts_.metrics->received_lsn.value()));
  parts_.metrics->slot.OnError(ErrorReason(error), world_.clock().Monotonic());
}

// Those that wait for it to hand tables over wait in vain.
void SlotAttempts::OnFailure(const absl::Status& status) {
  const engine::ConnectorOptions& config = *parts_.config;
  if (config.handover_news != nullptr && config.replication->share.number == 1)
    config.handover_news->End(status);
}

// Asked by what waits for servers.
bool SlotAttempts::Interrupted() {
  parts_.control->Take();
  if (look_) look_();
  return parts_.control->interrupted();
}

}  // namespace walduct::slot
