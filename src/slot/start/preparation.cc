#include "slot/start/preparation.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/record_error_options.h"
#include "engine/errors/named_hint.h"
#include "engine/lifecycle/start_turns.h"
#include "incremental/options/incremental_options.h"
#include "incremental/state.h"
#include "offset/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "route/topic_naming.h"
#include "sink/options.h"
#include "slot/duties/remembering_store.h"
#include "slot/duties/save_offset.h"
#include "slot/lanes/handover_news.h"
#include "slot/lanes/lanes.h"
#include "slot/masks/mask_memory.h"
#include "slot/start/no_tables.h"
#include "slot/start/slot_hold.h"
#include "slot/start/start_position.h"
#include "slot/world/capture/capture_record.h"
#include "snapshot/options.h"
#include "spill/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::slot {
namespace {

bool Prints(const engine::ConnectorOptions& config) {
  return config.sink->target->type().traits.terminal && !config.replication->temporary_slot;
}

using Stored = std::optional<offset::StoredOffset>;

bool Moved(const Stored& before, const Stored& now) {
  if (before.has_value() != now.has_value()) return true;
  return now && before->position.commit_end != now->position.commit_end;
}

absl::Status HandoverDue() {
  return Error(absl::StatusCode::kUnavailable, kHandoverDue,
               "tables have to be handed over to other slots first");
}

}  // namespace

std::string SinkMark(const engine::ConnectorOptions& config) {
  return Prints(config) ? std::string(config.sink->target->type().name) : std::string();
}

absl::Status CheckSlotOwner(const engine::ConnectorOptions& config,
                            const std::optional<replication::SlotState>& slot,
                            const Stored& stored) {
  if (!Prints(config)) return absl::OkStatus();
  const absl::string_view sink = config.sink->target->type().name;
  return CheckSlotIsOurs(config.replication->slot_name, sink, slot, stored);
}

bool HoldsSlot(const engine::ConnectorOptions& config, const Stored& stored) {
  const replication::ReplicationOptions& slot = *config.replication;
  return slot.holds_lost_slot && !slot.temporary_slot && !slot.share.hands_over &&
         snapshot::Streams(config.snapshot->mode) && stored && stored->written_by_walduct &&
         StateOf(stored) == snapshot::OffsetState::kStreaming;
}

absl::StatusOr<Prepared> Preparation::Run() {
  parts_.board->Show(engine::ConnectorState::kRunning, engine::Activity::kConnecting);
  const auto turn =
      engine::AwaitTurn(*parts_.world, *parts_.board, [this] { return Interrupted(); });
  for (const StartCheck check : kStartChecks) {
    if (check > StartCheck::kPosition && IsDone()) break;
    RETURN_IF_ERROR(Ask(check));
  }
  if (!IsDone()) RETURN_IF_ERROR(Create());
  return std::move(prepared_);
}

// Nothing is left to do: initial_only, done before.
bool Preparation::IsDone() const {
  return !prepared_.decision.snapshot && !prepared_.decision.stream;
}

absl::Status Preparation::Ask(StartCheck check) {
  switch (check) {
    case StartCheck::kSpill:
      return OpenSpill();
    case StartCheck::kSink:
      return OpenSink();
    case StartCheck::kRegistries:
      return OpenRegistries();
    case StartCheck::kOffsetStore:
      return OpenStore();
    case StartCheck::kServer:
      return OpenSource();
    case StartCheck::kStoredPosition:
      return LoadPosition();
    case StartCheck::kSlotCount:
      return CheckSlots();
    case StartCheck::kTables:
      return LookAtTables();
    case StartCheck::kPromotion:
      return CheckPromoted({.in_recovery = facts_.in_recovery,
                            .decodes = facts_.decodes,
                            .slot = &facts_.slot,
                            .stored = &prepared_.stored});
    case StartCheck::kSlot:
      return CheckSlot();
    case StartCheck::kSlotOwner:
      return CheckSlotOwner(config(), facts_.slot, prepared_.stored);
    case StartCheck::kEarlierWriters:
      return ShutOthersOut();
    case StartCheck::kPosition:
      return Decide();
    case StartCheck::kMasks:
      return GuardMasks();
    case StartCheck::kTransforms:
      return prepared_.source->PreviewTransforms();
    case StartCheck::kRights:
      return prepared_.source->CheckPlan(Plan());
    case StartCheck::kTopics:
      return AskForTopics(/*creates=*/false);
    case StartCheck::kPublication:
      return PreparePublication();
  }
  return absl::OkStatus();
}

absl::Status Preparation::OpenSpill() {
  if (!config().spill->enabled) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<spill::Disk> disk, parts_.world->OpenSpill(config()));
  ASSIGN_OR_RETURN(prepared_.spill, spill::Spill::Open(std::move(disk), config().spill->max_bytes));
  return absl::OkStatus();
}

absl::Status Preparation::OpenSink() {
  parts_.board->WaitsFor(engine::WaitReason::kSink);
  ASSIGN_OR_RETURN(prepared_.sink, parts_.world->OpenSink(config(), parts_.refusals));
  return absl::OkStatus();
}

// Reaches none of them: who has a schema asks.
absl::Status Preparation::OpenRegistries() {
  ASSIGN_OR_RETURN(prepared_.registries, parts_.world->OpenRegistries(config()));
  return absl::OkStatus();
}

absl::Status Preparation::OpenStore() {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(prepared_.store, parts_.world->OpenOffsetStore(config()));
  if (prepared_.sink->transactions() != nullptr) {
    auto committing = std::make_unique<delivery::CommittingStore>(
        std::move(prepared_.store), prepared_.sink.get(), &parts_.world->clock());
    committing_ = committing.get();
    prepared_.store = std::move(committing);
  }
  // Who takes a file away means it.
  if (parts_.known != nullptr && config().offset->kind == offset::OffsetStoreKind::kKafkaTopic)
    prepared_.store = std::make_unique<RememberingStore>(std::move(prepared_.store), parts_.known);
  return absl::OkStatus();
}

// After it was seen that nobody streams from the slot: an instance at work is not shut out. What
// the one before had committed last is sure only afterwards.
absl::Status Preparation::ShutOthersOut() {
  if (committing_ == nullptr) return absl::OkStatus();
  parts_.board->WaitsFor(engine::WaitReason::kSink);
  RETURN_IF_ERROR(committing_->Open());
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  const std::optional<offset::StoredOffset> before = std::move(prepared_.stored);
  ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  return Moved(before, prepared_.stored) ? LookAgain() : absl::OkStatus();
}

absl::Status Preparation::OpenSource() {
  // The first lane has locked all slots meanwhile.
  const replication::SlotShare& share = config().replication->share;
  if (share.number > 1 && !share.hands_over && config().handover_news != nullptr &&
      config().handover_news->Read().leads)
    return HandoverDue();
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  prepared_.source = parts_.world->MakeSource(parts_.source);
  absl::Status connected = prepared_.source->Connect();
  unreached_ = absl::IsUnavailable(connected) || absl::IsUnauthenticated(connected) ||
               absl::IsDeadlineExceeded(connected) || absl::IsPermissionDenied(connected);
  return connected;
}

absl::Status Preparation::LoadPosition() {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
  return absl::OkStatus();
}

// Another number of slots finds positions that are not those of its tables. The first slot's offset
// is there whatever the number was.
absl::Status Preparation::CheckSlots() const {
  const replication::SlotShare& share = config().replication->share;
  if (share.hands_over) return absl::OkStatus();
  std::optional<offset::StoredOffset> first = prepared_.stored;
  if (share.number > 1) {
    ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(FirstLaneOf(config())));
    ASSIGN_OR_RETURN(first, store->Load());
  }
  if (offset::IsHandoverDue(first, share.count)) return HandoverDue();
  return CheckSameSlots(share.count, prepared_.stored);
}

// Once more, where the position that was loaded is not the last one.
absl::Status Preparation::LookAgain() {
  for (const StartCheck check :
       {StartCheck::kTables, StartCheck::kPromotion, StartCheck::kSlot, StartCheck::kSlotOwner}) {
    RETURN_IF_ERROR(Ask(check));
  }
  return absl::OkStatus();
}

absl::Status Preparation::LookAtTables() {
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  ASSIGN_OR_RETURN(facts_, prepared_.source->Inspect());
  prepared_.system = facts_.system;
  prepared_.in_recovery = facts_.in_recovery;
  if (facts_.captured.empty() && facts_.elsewhere == 0 && !config().chain->ReadsMessages()) {
    const replication::ReplicationOptions& wanted = *config().replication;
    const bool refuses =
        RefusesNoTables(wanted.publication_autocreate, wanted.allow_empty, facts_.tables_come);
    RETURN_IF_ERROR(JudgeNoTables(facts_.database, !prepared_.stored && refuses));
  }
  return absl::OkStatus();
}

absl::Status Preparation::CheckSlot() {
  lost_slot_ = absl::OkStatus();
  const absl::Status usable = AndReset(prepared_.source->CheckSlot(), prepared_.stored);
  const bool holds = HoldsSlot(config(), prepared_.stored) && ErrorReason(usable) == "slot_lost";
  if (!holds && !ReplacesSlot(config().snapshot->mode, usable)) return usable;
  lost_slot_ = usable;
  facts_.slot.reset();
  return absl::OkStatus();
}

absl::StatusOr<StartVerdict> Preparation::Judge() {
  return JudgePosition({.strategy = config().replication->offset_mismatch,
                        .stored = &prepared_.stored,
                        .slot = &facts_.slot,
                        .system = facts_.system,
                        .in_recovery = facts_.in_recovery,
                        .next_xid = facts_.next_xid,
                        .lost_slot = lost_slot_,
                        .holds = HoldsSlot(config(), prepared_.stored),
                        .timelines = [this] { return prepared_.source->Timelines(); },
                        .traces = [this] { return prepared_.source->UpgradeTraces(); },
                        .other_name =
                            [this](const replication::PositionTrace& trace) {
                              return parts_.slot_is_lost || (trace.slot.empty() && HasRead())
                                         ? absl::OkStatus()
                                         : prepared_.source->CheckSlotName(trace);
                            }});
}

absl::Status Preparation::Decide() {
  parts_.board->Show(engine::Activity::kPreparing);
  ASSIGN_OR_RETURN(StartVerdict verdict, Judge());
  if (!verdict.available.ok() || (!prepared_.stored && facts_.slot)) {
    // Who does not respect the lock of the slot, a Debezium say, may have held it until a moment
    // ago and have stored more since the offset was loaded; it may be more than the server had
    // written when it was asked.
    const std::optional<offset::StoredOffset> before = std::move(prepared_.stored);
    ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
    if (Moved(before, prepared_.stored)) RETURN_IF_ERROR(LookAgain());
    ASSIGN_OR_RETURN(verdict, Judge());
  }
  const absl::StatusOr<snapshot::StartDecision> decision =
      DecideBy(config().snapshot->mode, prepared_.stored, verdict);
  if (!decision.ok()) return verdict.holds ? Hold(verdict.available) : Refuse(decision.status());
  RETURN_IF_ERROR(CheckOffsetIsNotLost());
  prepared_.decision = *decision;
  recovers_ = decision->snapshot && (!verdict.available.ok() || !lost_slot_.ok());
  if (recovers_) {
    const absl::Status& why = verdict.available.ok() ? lost_slot_ : verdict.available;
    log::Warn(absl::StrCat(why.message(), "; taking a new snapshot"),
              {{"reason", ErrorReason(why)}});
    if (parts_.source.metrics != nullptr) parts_.source.metrics->recovery_snapshots.Add();
  }
  WarnOfRepeats();
  if (verdict.position) prepared_.start = *verdict.position;
  if (decision->snapshot) {
    // The rows to come replace whatever had been read of the transaction under way.
    prepared_.start.ordinal = 0;
    prepared_.start.transaction_final_lsn = Lsn();
  }
  return RenewSlot();
}

// A snapshot that ended before its last row has published nothing where rows and position are one
// transaction. The slot that was created for it is older than the snapshot to come, and would give
// the changes between them a second time.
absl::Status Preparation::RenewSlot() {
  const bool begins_anew = committing_ != nullptr && prepared_.decision.snapshot &&
                           prepared_.decision.stream && facts_.slot && !facts_.slot->used &&
                           StateOf(prepared_.stored) == snapshot::OffsetState::kSnapshotRunning;
  // The mark of the snapshot was made before its slot.
  renews_slot_ =
      begins_anew && replication::SlotLsn(*facts_.slot) > prepared_.stored->position.commit_end;
  if (!renews_slot_) return absl::OkStatus();
  log::Info(
      "the snapshot begins anew with a new replication slot: nothing of the last one was published",
      {{"slot", config().replication->slot_name}});
  facts_.slot.reset();
  return absl::OkStatus();
}

// A slot from which changes were read before has a past that an offset would tell of. A slot that
// somebody has created for us has none, nor has one whose offset was erased.
absl::Status Preparation::CheckOffsetIsNotLost() const {
  const bool stored = prepared_.stored || prepared_.store->erased();
  return stored ? absl::OkStatus()
                : CheckNoneIsMissing({.connector = config().name,
                                      .topic_prefix = config().route->topic_prefix,
                                      .slot = config().replication->slot_name},
                                     config().snapshot->mode, facts_.slot);
}

absl::Status Preparation::Hold(const absl::Status& why) {
  if (!IsMadeAnew(why)) return why;
  parts_.board->WaitsFor(engine::WaitReason::kTransactions);
  return HoldSlot({.why = &why,
                   .drops = !lost_slot_.ok(),
                   .stored = &*prepared_.stored,
                   .source = prepared_.source.get(),
                   .save = [this](const offset::StoredOffset& offset) { return Save(offset); },
                   .stopping = [this] { return Interrupted(); }});
}

// Before anything is read: what was hidden when the position was stored, or is when it begins.
absl::Status Preparation::GuardMasks() {
  ColumnCover cover(engine::ColumnsOf(config()), engine::MessageKeysOf(config()));
  if (!cover.any()) return absl::OkStatus();
  const std::vector<KnownColumns> known =
      StoredMasks(prepared_.stored, prepared_.system.system_identifier);
  ASSIGN_OR_RETURN(std::vector<KnownColumns> now, prepared_.source->WatchedColumns(cover, known));
  ASSIGN_OR_RETURN(
      prepared_.masks,
      MaskGuard::Create(std::move(cover), known, std::move(now), parts_.source.warn_once,
                        prepared_.same_system() ? StoredFormer(prepared_.stored) : FormerNames()));
  if (parts_.source.capture != nullptr) {
    parts_.source.capture->former = prepared_.masks->former();
    parts_.source.capture->hidden = prepared_.masks->Known();
  }
  return absl::OkStatus();
}

SourcePlan Preparation::Plan() const {
  KnownTables known = prepared_.known();
  return {.decision = prepared_.decision,
          .first_start = !prepared_.stored || recovers_,
          .publication = known.publication,
          .seen = std::move(known.seen)};
}

// PostgreSQL reads publications as of the moment of a change: one created after the slot would not
// be found for ever.
absl::Status Preparation::PreparePublication() {
  if (!prepared_.decision.stream) return absl::OkStatus();
  prepared_.RememberNames(*config().tables, parts_.source.capture);
  return engine::AndSlotAnew(prepared_.source->PreparePublication(Plan()), facts_.slot.has_value());
}

absl::Status Preparation::Create() {
  Source& source = *prepared_.source;
  RETURN_IF_ERROR(AskForTopics(/*creates=*/true));
  RETURN_IF_ERROR(prepared_.decision.snapshot ? RememberSnapshot() : TakeOver());
  if (!prepared_.decision.stream) return absl::OkStatus();
  if (!lost_slot_.ok()) {
    log::Warn("dropping the replication slot that was lost, to create it anew",
              {{"slot", config().replication->slot_name}});
    RETURN_IF_ERROR(source.DropSlot());
  } else if (renews_slot_) {
    RETURN_IF_ERROR(source.DropSlot());
  }
  return facts_.slot ? absl::OkStatus() : CreateSlot(Plan());
}

absl::Status Preparation::AskForTopics(bool creates) {
  parts_.board->WaitsFor(engine::WaitReason::kSink);
  const auto topics = KnownTopics(config(), facts_.captured, prepared_.decision.stream);
  const auto stopping = [this] { return Interrupted(); };
  const absl::Status prepared = creates ? prepared_.sink->PrepareTopics(topics, stopping)
                                        : prepared_.sink->CheckTopics(topics, stopping);
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  // A topic's name that Kafka refuses is the error of each of its records.
  const bool of_records = absl::IsInvalidArgument(prepared) && config().record_errors->tolerate;
  if (of_records && creates) log::Warn(prepared.message(), {{"hint", ErrorHint(prepared)}});
  return of_records ? absl::OkStatus() : prepared;
}

absl::Status Preparation::CreateSlot(const SourcePlan& plan) {
  parts_.board->WaitsFor(engine::WaitReason::kTransactions);
  ASSIGN_OR_RETURN(const Lsn consistent_point,
                   prepared_.source->CreateSlot(plan, [this] { return Interrupted(); }));
  prepared_.start = {};
  prepared_.start.commit_end = consistent_point;
  prepared_.start.change_lsn = consistent_point;
  return absl::OkStatus();
}

offset::StoredOffset Prepared::NewOffset(const engine::ConnectorOptions& config) const {
  offset::StoredOffset offset;
  if (resumes()) {
    offset.snapshot_seen = stored->snapshot_seen;
    offset.skip = stored->skip;
    offset.handover = stored->handover;
  }
  offset.sink = SinkMark(config);
  offset.slots = config.replication->share.count;
  offset.system_identifier = system.system_identifier;
  offset.of_standby = in_recovery;
  offset.slot_held = config.replication->restored_server;
  offset.slot_name = SlotRead(config);
  if (!in_recovery) offset.timeline = system.timeline;
  offset.transaction_id = config.route->transaction_metadata;
  return offset;
}

// Whoever had the slot before may have been halted in the middle of a save: one that lands while
// the changes since are repeated would let a later start leave them out. That holds where nothing
// is stored, too: it is where the slot stands that is taken over then.
absl::Status Preparation::TakeOver() {
  const std::optional<offset::StoredOffset>& stored = prepared_.stored;
  if (stored && !stored->written_by_walduct) return absl::OkStatus();
  // Without a slot nobody has had it.
  if (!stored && !prepared_.start.commit_end.valid()) return absl::OkStatus();
  offset::StoredOffset offset = stored ? *stored : prepared_.NewOffset(config());
  if (stored && NeedsTraces(stored, facts_.system)) MoveToUpgraded(&offset);
  if (!stored) {
    offset.position = prepared_.start;
    offset.position.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  }
  if (config().replication->restored_server) offset.slot_held = true;
  offset.slot_name = prepared_.SlotRead(config());
  offset.taken_by = absl::StrCat(absl::Hex(parts_.world->Random(), absl::kZeroPad16));
  return Save(offset);
}

// Durable before the slot exists: a start that finds the slot must know that the rows are not read
// yet, whatever became of this one.
absl::Status Preparation::RememberSnapshot() {
  if (StateOf(prepared_.stored) == snapshot::OffsetState::kSnapshotRunning) return TakeOver();
  offset::StoredOffset offset = prepared_.NewOffset(config());
  const Lsn here =
      prepared_.start.commit_end.valid() ? prepared_.start.commit_end : facts_.system.wal_end;
  offset.position.commit_end = here;
  offset.position.change_lsn = here;
  offset.position.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  offset.position.snapshot = event::SnapshotPhase::kRunning;
  offset.members = prepared_.GoingOn();
  return Save(offset);
}

absl::Status Preparation::Save(const offset::StoredOffset& offset) {
  Ownership ownership({.clock = &parts_.world->clock(),
                       .check = [this] { return prepared_.source->CheckSlotHeld(); },
                       .session = [this] { return prepared_.source->CheckSlotSession(); },
                       .sink = prepared_.sink.get(),
                       .store = prepared_.store.get()});
  return SaveOffset(*prepared_.store, offset,
                    {.world = parts_.world,
                     .control = parts_.control,
                     .board = parts_.board,
                     .ownership = &ownership});
}

// What transforms make of the topics shows with the records.
std::vector<std::string> KnownTopics(const engine::ConnectorOptions& config,
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
  if (config.incremental->notifies_sink) topics.push_back(config.incremental->notification_topic);
  return topics;
}

}  // namespace walduct::slot
