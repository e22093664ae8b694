// Attempt: opens everything and decides how to start.
#include "engine/lifecycle/attempt.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/types/column_rules.h"
#include "offset/offset_store_factory.h"
#include "postgres/money_check.h"
#include "sink/sink_factory.h"

namespace walduct::engine {
namespace {

using postgres::Connection;
using postgres::SessionKind;

snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return snapshot::OffsetState::kNone;
  return stored->position.snapshot == event::SnapshotPhase::kRunning
             ? snapshot::OffsetState::kSnapshotRunning
             : snapshot::OffsetState::kStreaming;
}

// An outbox without a table.
bool WantsMessages(const config::TransformChainOptions& chain) {
  return std::any_of(chain.transforms.begin(), chain.transforms.end(),
                     [](const config::TransformSpec& spec) {
                       return spec.kind == config::TransformKind::kDecodeMessageContent;
                     });
}

}  // namespace

Attempt::Attempt(Options options)
    : options_(options),
      replication_options_(options.config->replication),
      filter_(options.config->tables),
      outbox_({.config = options.config,
               .captured = &filter_,
               .metrics = options.metrics,
               .memory = options.outbox_tables,
               .environment = {options.clock, options.poller}}) {}

Attempt::~Attempt() = default;

std::string Attempt::position_text() const {
  const std::optional<event::Position> stored =
      checkpointer_ ? checkpointer_->stored() : std::nullopt;
  return stored ? stored->commit_end.ToString() : "none";
}

absl::Status Attempt::Run() {
  RETURN_IF_ERROR(OpenSink());
  RETURN_IF_ERROR(OpenServer());
  RETURN_IF_ERROR(Decide());
  if (!decision_.snapshot && !decision_.stream) {
    log::Info(
        "nothing to do: the snapshot was completed before and snapshot.mode=initial_only does not "
        "stream");
    goal_reached_ = true;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(PreviewTransforms());
  RETURN_IF_ERROR(PrepareServer());
  RETURN_IF_ERROR(BuildPipeline());
  if (decision_.snapshot) RETURN_IF_ERROR(TakeSnapshot());
  if (decision_.stream && !housekeeping_->stopping()) RETURN_IF_ERROR(Stream());
  return absl::OkStatus();
}

// Before anything is created on a server: a broker that is away is waited for with nothing begun.
absl::Status Attempt::OpenSink() {
  ASSIGN_OR_RETURN(sink_, sink::CreateSink(config().sink, config().kafka, environment()));
  ASSIGN_OR_RETURN(store_, offset::CreateOffsetStore(config(), environment()));
  ASSIGN_OR_RETURN(stored_, store_->Load());
  return absl::OkStatus();
}

absl::Status Attempt::OpenServer() {
  ASSIGN_OR_RETURN(sql_, Connection::Open({.database = config().database,
                                           .kind = SessionKind::kSql,
                                           .application_name = "walduct " + config().name,
                                           .environment = environment()}));
  ASSIGN_OR_RETURN(server_, postgres::CheckServer(*sql_));
  ASSIGN_OR_RETURN(replication_,
                   Connection::Open({.database = config().database,
                                     .kind = SessionKind::kReplication,
                                     .application_name = "walduct " + config().name + " stream",
                                     .environment = environment()}));
  ASSIGN_OR_RETURN(system_, replication::IdentifySystem(*replication_));
  catalog_ = std::make_unique<postgres::Catalog>(*sql_);
  ASSIGN_OR_RETURN(captured_, catalog_->CapturedTables(filter_));
  if (captured_.empty() && !WantsMessages(config().chain)) {
    log::Warn(
        "no table is captured: the include and exclude lists leave none; check their spelling "
        "(schema.table, regular expressions)");
  }
  const auto published = [this](absl::string_view column) {
    return encode::IsIncluded(config().encode.columns, column);
  };
  RETURN_IF_ERROR(postgres::CheckMoneyUnits(*sql_, config().database, captured_, published));
  ASSIGN_OR_RETURN(slot_, replication::InspectSlot(*sql_, replication_options_.slot_name));
  if (slot_)
    RETURN_IF_ERROR(replication::CheckSlotUsable(*sql_, replication_options_.slot_name, *slot_));
  return absl::OkStatus();
}

absl::Status Attempt::Decide() {
  ASSIGN_OR_RETURN(const StartVerdict verdict,
                   JudgeStart({.stored = &stored_,
                               .slot = &slot_,
                               .system = system_,
                               .in_recovery = server_.in_recovery,
                               .strategy = replication_options_.offset_mismatch}));
  const bool streams = config().snapshot.mode != config::SnapshotMode::kInitialOnly;
  const absl::StatusOr<snapshot::StartDecision> decision = snapshot::DecideStart(
      {.mode = config().snapshot.mode,
       .offset = StateOf(stored_),
       .position_available = !streams || verdict.available.ok(),
       .stored_position_text = stored_ ? stored_->position.commit_end.ToString() : ""});
  if (!decision.ok()) {
    // JudgeStart knows better why the position is gone than the rule that trips over it.
    const bool lost = ErrorReason(decision.status()) == "position_lost";
    return lost && !verdict.available.ok() ? verdict.available : decision.status();
  }
  decision_ = *decision;
  if (!verdict.available.ok())
    log::Warn(std::string(verdict.available.message()) + "; taking a new snapshot");
  if (verdict.position) start_ = *verdict.position;
  if (decision_.snapshot) {
    // The rows to come replace whatever had been read of the transaction under way.
    start_.ordinal = 0;
    start_.transaction_final_lsn = Lsn();
  }
  return absl::OkStatus();
}

}  // namespace walduct::engine
