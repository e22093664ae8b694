#include "engine/start/preparation.h"

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/record_error_options.h"
#include "engine/start/start_position.h"
#include "replication/options.h"
#include "route/options.h"
#include "route/topic_naming.h"
#include "snapshot/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {
namespace {

snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return snapshot::OffsetState::kNone;
  return stored->position.snapshot == event::SnapshotPhase::kRunning
             ? snapshot::OffsetState::kSnapshotRunning
             : snapshot::OffsetState::kStreaming;
}

}  // namespace

absl::StatusOr<Prepared> Preparation::Run() {
  parts_.board->Show(ConnectorState::kRunning, Activity::kConnecting);
  RETURN_IF_ERROR(OpenSink());
  RETURN_IF_ERROR(OpenSource());
  parts_.board->Show(Activity::kPreparing);
  RETURN_IF_ERROR(Decide());
  const bool nothing = !prepared_.decision.snapshot && !prepared_.decision.stream;
  if (!nothing) RETURN_IF_ERROR(Create());
  return std::move(prepared_);
}

absl::Status Preparation::OpenSink() {
  parts_.board->WaitsFor(WaitReason::kSink);
  ASSIGN_OR_RETURN(prepared_.sink, parts_.world->OpenSink(config()));
  parts_.board->WaitsFor(WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(prepared_.store, parts_.world->OpenOffsetStore(config()));
  ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
  return absl::OkStatus();
}

absl::Status Preparation::OpenSource() {
  parts_.board->WaitsFor(WaitReason::kDatabase);
  prepared_.source = parts_.world->MakeSource(parts_.source);
  ASSIGN_OR_RETURN(facts_, prepared_.source->Inspect());
  prepared_.system = facts_.system;
  if (facts_.captured.empty() && !config().chain->ReadsMessages()) {
    log::Warn(
        "no table is captured: the include and exclude lists match none; check their spelling "
        "(schema.table, regular expressions)");
  }
  return prepared_.source->CheckSlot();
}

absl::Status Preparation::Decide() {
  ASSIGN_OR_RETURN(const StartVerdict verdict,
                   JudgeStart({.stored = &prepared_.stored,
                               .slot = &facts_.slot,
                               .system = facts_.system,
                               .in_recovery = facts_.in_recovery,
                               .strategy = config().replication->offset_mismatch}));
  const bool streams = config().snapshot->mode != snapshot::SnapshotMode::kInitialOnly;
  const std::optional<offset::StoredOffset>& stored = prepared_.stored;
  const absl::StatusOr<snapshot::StartDecision> decision = snapshot::DecideStart(
      {.mode = config().snapshot->mode,
       .offset = StateOf(stored),
       .position_available = !streams || verdict.available.ok(),
       .stored_position_text = stored ? stored->position.commit_end.ToString() : ""});
  if (!decision.ok()) {
    // JudgeStart knows better why the position is gone than the rule that trips over it.
    const bool lost = ErrorReason(decision.status()) == "position_lost";
    return lost && !verdict.available.ok() ? verdict.available : decision.status();
  }
  prepared_.decision = *decision;
  if (!verdict.available.ok())
    log::Warn(std::string(verdict.available.message()) + "; taking a new snapshot");
  if (verdict.position) prepared_.start = *verdict.position;
  if (decision->snapshot) {
    // The rows to come replace whatever had been read of the transaction under way.
    prepared_.start.ordinal = 0;
    prepared_.start.transaction_final_lsn = Lsn();
  }
  return absl::OkStatus();
}

// PostgreSQL reads publications as of the moment of a change: one created after the slot would not
// be found for ever.
absl::Status Preparation::Create() {
  Source& source = *prepared_.source;
  const SourcePlan plan = {.decision = prepared_.decision, .first_start = !prepared_.stored};
  RETURN_IF_ERROR(source.PreviewTransforms());
  RETURN_IF_ERROR(source.CheckPlan(plan));
  RETURN_IF_ERROR(PrepareTopics());
  if (!prepared_.decision.stream) return absl::OkStatus();
  RETURN_IF_ERROR(source.PreparePublication(plan));
  return facts_.slot ? absl::OkStatus() : CreateSlot(plan);
}

absl::Status Preparation::PrepareTopics() {
  parts_.board->WaitsFor(WaitReason::kSink);
  const absl::Status prepared = prepared_.sink->PrepareTopics(
      KnownTopics(config(), facts_.captured, prepared_.decision.stream));
  parts_.board->WaitsFor(WaitReason::kDatabase);
  // A topic's name that Kafka refuses is the error of each of its records.
  const bool of_records = absl::IsInvalidArgument(prepared) && config().record_errors->tolerate;
  if (of_records) log::Warn(std::string(prepared.message()), {{"hint", ErrorHint(prepared)}});
  return of_records ? absl::OkStatus() : prepared;
}

absl::Status Preparation::CreateSlot(const SourcePlan& plan) {
  parts_.board->WaitsFor(WaitReason::kTransactions);
  const auto interrupted = [this] {
    parts_.control->Take();
    return parts_.control->interrupted();
  };
  ASSIGN_OR_RETURN(const Lsn consistent_point, prepared_.source->CreateSlot(plan, interrupted));
  prepared_.start = {};
  prepared_.start.commit_end = consistent_point;
  prepared_.start.change_lsn = consistent_point;
  return absl::OkStatus();
}

// What transforms make of the topics shows with the records.
std::vector<std::string> KnownTopics(const ConnectorOptions& config,
                                     const std::vector<postgres::TableName>& captured,
                                     bool streams) {
  std::vector<std::string> topics;
  if (!config.chain->transforms.empty()) return topics;
  const route::TopicNaming naming(*config.route);
  for (const postgres::TableName& table : captured)
    topics.push_back(naming.TableTopic(table.schema, table.table));
  if (config.route->transaction_metadata && streams)
    topics.push_back(route::TransactionTopic(*config.route));
  if (config.heartbeat->interval > absl::ZeroDuration())
    topics.push_back(route::HeartbeatTopic(*config.route));
  return topics;
}

}  // namespace walduct::engine
