#include "engine/start/preparation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/handover_news.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/record_error_options.h"
#include "engine/duties/save_offset.h"
#include "engine/errors/named_hint.h"
#include "engine/start/no_tables.h"
#include "engine/start/start_position.h"
#include "incremental/options/incremental_options.h"
#include "incremental/state.h"
#include "replication/options.h"
#include "route/options.h"
#include "route/topic_naming.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "spill/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {
namespace {

snapshot::OffsetState StateOf(const std::optional<offset::StoredOffset>& stored) {
  if (!stored) return snapshot::OffsetState::kNone;
  return stored->position.snapshot == event::SnapshotPhase::kRunning
             ? snapshot::OffsetState::kSnapshotRunning
             : snapshot::OffsetState::kStreaming;
}

bool Prints(const ConnectorOptions& config) {
  return config.sink->target->type().traits.terminal && !config.replication->temporary_slot;
}

bool Moved(const std::optional<offset::StoredOffset>& before,
           const std::optional<offset::StoredOffset>& now) {
  if (before.has_value() != now.has_value()) return true;
  return now && before->position.commit_end != now->position.commit_end;
}

absl::Status HandoverDue() {
  return Error(absl::StatusCode::kUnavailable, kHandoverDue,
               "tables have to be handed over to other slots first");
}

}  // namespace

std::string SinkMark(const ConnectorOptions& config) {
  return Prints(config) ? std::string(config.sink->target->type().name) : std::string();
}

absl::StatusOr<Prepared> Preparation::Run() {
  parts_.board->Show(ConnectorState::kRunning, Activity::kConnecting);
  RETURN_IF_ERROR(OpenSpill());
  RETURN_IF_ERROR(OpenSink());
  RETURN_IF_ERROR(OpenSource());
  parts_.board->WaitsFor(WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
  RETURN_IF_ERROR(CheckSlots());
  parts_.board->WaitsFor(WaitReason::kDatabase);
  RETURN_IF_ERROR(Look());
  RETURN_IF_ERROR(ShutOthersOut());
  parts_.board->Show(Activity::kPreparing);
  RETURN_IF_ERROR(Decide());
  const bool nothing = !prepared_.decision.snapshot && !prepared_.decision.stream;
  if (!nothing) RETURN_IF_ERROR(Create());
  return std::move(prepared_);
}

absl::Status Preparation::OpenSpill() {
  if (!config().spill->enabled) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<spill::Disk> disk, parts_.world->OpenSpill(config()));
  ASSIGN_OR_RETURN(prepared_.spill, spill::Spill::Open(std::move(disk), config().spill->max_bytes));
  return absl::OkStatus();
}

absl::Status Preparation::OpenSink() {
  parts_.board->WaitsFor(WaitReason::kSink);
  ASSIGN_OR_RETURN(prepared_.sink, parts_.world->OpenSink(config(), parts_.refusals));
  parts_.board->WaitsFor(WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(prepared_.store, parts_.world->OpenOffsetStore(config()));
  if (prepared_.sink->transactions() != nullptr) {
    auto committing =
        std::make_unique<CommittingStore>(std::move(prepared_.store), prepared_.sink.get());
    committing_ = committing.get();
    prepared_.store = std::move(committing);
  }
  return absl::OkStatus();
}

// After it was seen that nobody streams from the slot: an instance at work is not shut out. What
// the one before had committed last is sure only afterwards.
absl::Status Preparation::ShutOthersOut() {
  if (committing_ == nullptr) return absl::OkStatus();
  parts_.board->WaitsFor(WaitReason::kSink);
  RETURN_IF_ERROR(committing_->Open());
  parts_.board->WaitsFor(WaitReason::kOffsetStore);
  const std::optional<offset::StoredOffset> before = std::move(prepared_.stored);
  ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
  parts_.board->WaitsFor(WaitReason::kDatabase);
  return Moved(before, prepared_.stored) ? Look() : absl::OkStatus();
}

absl::Status Preparation::OpenSource() {
  // The first lane has locked all slots meanwhile.
  const replication::SlotShare& share = config().replication->share;
  if (share.number > 1 && !share.hands_over && config().handover_news != nullptr &&
      config().handover_news->Read().leads)
    return HandoverDue();
  parts_.board->WaitsFor(WaitReason::kDatabase);
  prepared_.source = parts_.world->MakeSource(parts_.source);
  return prepared_.source->Connect();
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
  return CheckSameSlots(config(), prepared_.stored);
}

absl::Status CheckSameSlots(const ConnectorOptions& config,
                            const std::optional<offset::StoredOffset>& stored) {
  const int slots = config.replication->share.count;
  if (!stored || stored->slots == slots) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "slots_changed",
      absl::StrCat("the tables of this connector are spread over ", stored->slots,
                   stored->slots == 1 ? " slot" : " slots", ", and walduct.slots is now ", slots,
                   ": the stored positions are not those of tables that would move"),
      absl::StrCat("set walduct.slots=", stored->slots,
                   "; docs/slots.md says how another number is begun with"));
}

absl::Status Preparation::Look() {
  ASSIGN_OR_RETURN(facts_, prepared_.source->Inspect());
  prepared_.system = facts_.system;
  prepared_.in_recovery = facts_.in_recovery;
  if (facts_.captured.empty() && facts_.elsewhere == 0 && !config().chain->ReadsMessages()) {
    const replication::ReplicationOptions& wanted = *config().replication;
    const bool refuses =
        RefusesNoTables(wanted.publication_autocreate, wanted.allow_empty, facts_.tables_come);
    RETURN_IF_ERROR(JudgeNoTables(facts_.database, !prepared_.stored && refuses));
  }
  RETURN_IF_ERROR(CheckPromoted());
  RETURN_IF_ERROR(CheckSlot());
  return CheckSlotIsOurs(config(), facts_.slot, prepared_.stored);
}

// A standby takes over when it is promoted: until then nothing may be created on it in place of
// what the primary has.
absl::Status Preparation::CheckPromoted() const {
  if (!facts_.in_recovery) return absl::OkStatus();
  const bool came_from_primary = prepared_.stored && !prepared_.stored->of_standby;
  const bool synced = facts_.slot && facts_.slot->synced;
  const bool waits = synced || (came_from_primary && (!facts_.slot || !facts_.decodes.ok()));
  if (!waits) return facts_.decodes;
  return Error(
      absl::StatusCode::kUnavailable, "waiting_for_promotion",
      absl::StrCat("waiting for promotion: the server is a standby",
                   synced ? ", and its replication slot a copy of the primary's that cannot be "
                            "read before"
                          : ""),
      "nothing to do while a failover is under way; else connect to the primary: "
      "database.hostname=HOST1,HOST2 with database.target_session_attrs=primary finds it");
}

absl::Status Preparation::CheckSlot() {
  lost_slot_ = absl::OkStatus();
  const absl::Status usable = prepared_.source->CheckSlot();
  const bool replaceable =
      ErrorReason(usable) == "slot_lost" && snapshot::FillsGaps(config().snapshot->mode);
  if (!replaceable) return usable;
  lost_slot_ = usable;
  facts_.slot.reset();
  return absl::OkStatus();
}

absl::StatusOr<StartVerdict> Preparation::Judge() {
  const std::optional<offset::StoredOffset>& stored = prepared_.stored;
  ServerHistory server{.system = facts_.system,
                       .timelines = {},
                       .in_recovery = facts_.in_recovery,
                       .next_xid = facts_.next_xid,
                       .slot = facts_.slot ? replication::SlotLsn(*facts_.slot) : Lsn()};
  std::optional<replication::UpgradeTraces> traces;
  if (NeedsTraces(stored, facts_.system)) {
    ASSIGN_OR_RETURN(traces, prepared_.source->UpgradeTraces());
  } else if (stored && stored->timeline && *stored->timeline != facts_.system.timeline) {
    absl::StatusOr<replication::TimelineHistory> timelines = prepared_.source->Timelines();
    const bool unknown = ErrorReason(timelines.status()) == "timeline_unknown";
    if (!timelines.ok() && !unknown) return timelines.status();
    if (unknown) log::Warn(std::string(timelines.status().message()));
    if (timelines.ok()) server.timelines = *std::move(timelines);
    log::Info("the server is on a different timeline than the stored position",
              {{"stored", *stored->timeline}, {"server", facts_.system.timeline}});
  }
  ASSIGN_OR_RETURN(StartVerdict verdict,
                   JudgeStart({.stored = &stored,
                               .slot = &facts_.slot,
                               .server = std::move(server),
                               .strategy = config().replication->offset_mismatch,
                               .traces = traces}));
  if (!lost_slot_.ok() && ErrorReason(verdict.available) == "position_lost")
    verdict.available = lost_slot_;
  return verdict;
}

// Printing confirms changes to the slot, so a slot used by another connector is refused.
absl::Status CheckSlotIsOurs(const ConnectorOptions& config,
                             const std::optional<replication::SlotState>& slot,
                             const std::optional<offset::StoredOffset>& stored) {
  if (!Prints(config) || !slot || !slot->confirmed_flush_lsn.valid() ||
      (stored && stored->sink == config.sink->target->type().name)) {
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kFailedPrecondition, "slot_of_another_sink",
               absl::StrCat("replication slot \"", config.replication->slot_name,
                            "\" exists, and sink=", config.sink->target->type().name,
                            " has not read it before: what is printed would be confirmed to it, "
                            "and the connector that "
                            "uses it would never publish it"),
               "to look at changes beside it, use walduct tail; to print them for good, set a "
               "slot.name and an offset store of its own");
}

absl::Status Preparation::Decide() {
  ASSIGN_OR_RETURN(StartVerdict verdict, Judge());
  if (!verdict.available.ok() || (!prepared_.stored && facts_.slot)) {
    // Who does not respect the lock of the slot, a Debezium say, may have held it until a moment
    // ago and have stored more since the offset was loaded; it may be more than the server had
    // written when it was asked.
    const std::optional<offset::StoredOffset> before = std::move(prepared_.stored);
    ASSIGN_OR_RETURN(prepared_.stored, prepared_.store->Load());
    if (Moved(before, prepared_.stored)) RETURN_IF_ERROR(Look());
    ASSIGN_OR_RETURN(verdict, Judge());
  }
  const bool streams = snapshot::Streams(config().snapshot->mode);
  const std::optional<offset::StoredOffset>& stored = prepared_.stored;
  const absl::StatusOr<snapshot::StartDecision> decision = snapshot::DecideStart(
      {.mode = config().snapshot->mode,
       .offset = StateOf(stored),
       .position_available = !streams || verdict.available.ok(),
       .stored_position_text = stored ? stored->position.commit_end.ToString() : ""});
  if (!decision.ok()) {
    // JudgeStart knows better why the position is gone than the rule that trips over it.
    const bool lost = ErrorReason(decision.status()) == "position_lost";
    return lost && !verdict.available.ok() ? Refuse(verdict.available) : decision.status();
  }
  RETURN_IF_ERROR(CheckOffsetIsNotLost());
  prepared_.decision = *decision;
  recovers_ = decision->snapshot && (!verdict.available.ok() || !lost_slot_.ok());
  if (recovers_) {
    const absl::Status& why = verdict.available.ok() ? lost_slot_ : verdict.available;
    log::Warn(std::string(why.message()) + "; taking a new snapshot",
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

// The slot is kept all the same: deletes that it still has are in no snapshot.
void Preparation::WarnOfRepeats() const {
  const bool overlaps = facts_.slot && facts_.slot->used && lost_slot_.ok();
  if (committing_ == nullptr || !prepared_.decision.snapshot || !(recovers_ || overlaps)) return;
  log::Warn(
      absl::StrCat(
          "exactly once does not cover this snapshot: rows that were published before come again, "
          "as reads",
          overlaps ? absl::StrCat("; what was written after ",
                                  replication::SlotLsn(*facts_.slot).ToString(),
                                  ", where the slot stands, comes as a read and as a change")
                   : ""),
      {{"hint", "whoever cannot take that sets snapshot.mode=initial: it stops here instead"}});
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
  return stored ? absl::OkStatus() : CheckNoneIsMissing(config(), facts_.slot);
}

absl::Status CheckNoneIsMissing(const ConnectorOptions& config,
                                const std::optional<replication::SlotState>& slot) {
  const bool used = slot && slot->used;
  if (!used || config.snapshot->mode != snapshot::SnapshotMode::kInitial) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "offset_missing",
      absl::StrCat("changes have been read from replication slot ", config.replication->slot_name,
                   " (it stands at ", replication::SlotLsn(*slot).ToString(),
                   "), but no offset is stored for connector ", config.name, " and topic.prefix ",
                   config.route->topic_prefix, ": all tables would be read and published again"),
      absl::StrCat("did you mean to import one? walduct offsets import stores the position of "
                   "another worker or of a Debezium. Else check the offset store, the "
                   "connector's name and topic.prefix; or choose: "
                   "snapshot.mode=when_needed takes the snapshot, snapshot.mode=no_data goes on "
                   "where the slot stands, and after SELECT pg_drop_replication_slot('",
                   config.replication->slot_name, "') it is a first start"));
}

// A supervisor tries again and again, and a restored server that is written to grows past the
// position meanwhile: that it was once behind is not forgotten.
absl::Status Preparation::Refuse(const absl::Status& why) {
  if (ErrorReason(why) != "position_ahead" || prepared_.stored->seen_behind) return why;
  // An offset of Debezium's may be any server's.
  if (prepared_.stored->system_identifier.empty()) return why;
  offset::StoredOffset offset = *prepared_.stored;
  offset.seen_behind =
      facts_.slot ? replication::SlotLsn(*facts_.slot) : offset.position.commit_end;
  if (const absl::Status saved = Save(offset); !saved.ok())
    log::Warn("cannot remember this refusal", {{"error", std::string(saved.message())}});
  return why;
}

// PostgreSQL reads publications as of the moment of a change: one created after the slot would not
// be found for ever.
absl::Status Preparation::Create() {
  Source& source = *prepared_.source;
  const SourcePlan plan = {.decision = prepared_.decision,
                           .first_start = !prepared_.stored || recovers_};
  RETURN_IF_ERROR(source.PreviewTransforms());
  RETURN_IF_ERROR(source.CheckPlan(plan));
  RETURN_IF_ERROR(PrepareTopics());
  const bool stream = prepared_.decision.stream;
  if (stream)
    RETURN_IF_ERROR(AndSlotAnew(source.PreparePublication(plan), facts_.slot.has_value()));
  RETURN_IF_ERROR(prepared_.decision.snapshot ? RememberSnapshot() : TakeOver());
  if (!stream) return absl::OkStatus();
  if (!lost_slot_.ok()) {
    log::Warn("dropping the replication slot that was lost, to create it anew",
              {{"slot", config().replication->slot_name}});
    RETURN_IF_ERROR(source.DropSlot());
  } else if (renews_slot_) {
    RETURN_IF_ERROR(source.DropSlot());
  }
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

// An offset with what identifies the server.
offset::StoredOffset Preparation::NewOffset() const {
  offset::StoredOffset offset;
  offset.sink = SinkMark(config());
  offset.slots = config().replication->share.count;
  offset.system_identifier = facts_.system.system_identifier;
  offset.of_standby = facts_.in_recovery;
  if (!facts_.in_recovery) offset.timeline = facts_.system.timeline;
  return offset;
}

// One start goes on from there, by word of whoever upgraded the server; the next ones are its own.
void Preparation::MoveToUpgraded(offset::StoredOffset* offset) const {
  const event::SnapshotPhase phase = offset->position.snapshot;
  offset->position = prepared_.start;
  offset->position.snapshot = phase;
  offset->system_identifier = facts_.system.system_identifier;
  offset->timeline = facts_.system.timeline;
  offset->of_standby = false;
  offset->seen_behind.reset();
  offset->snapshot_seen.reset();
}

// Whoever had the slot before may have been halted in the middle of a save: one that lands while
// the changes since are repeated would let a later start leave them out. That holds where nothing
// is stored, too: it is where the slot stands that is taken over then.
absl::Status Preparation::TakeOver() {
  const std::optional<offset::StoredOffset>& stored = prepared_.stored;
  if (stored && !stored->written_by_walduct) return absl::OkStatus();
  // Without a slot nobody has had it.
  if (!stored && !prepared_.start.commit_end.valid()) return absl::OkStatus();
  offset::StoredOffset offset = stored ? *stored : NewOffset();
  if (stored && NeedsTraces(stored, facts_.system)) MoveToUpgraded(&offset);
  if (!stored) {
    offset.position = prepared_.start;
    offset.position.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  }
  offset.taken_by = absl::StrCat(absl::Hex(parts_.world->Random(), absl::kZeroPad16));
  return Save(offset);
}

// A blocking snapshot that waits is read behind this one.
void Preparation::KeepBlocking(offset::StoredOffset* offset) const {
  if (!prepared_.stored) return;
  for (const auto& [name, json] : prepared_.stored->foreign) {
    if (incremental::IsBlockingMember(name)) offset->foreign.emplace(name, json);
  }
}

// Durable before the slot exists: a start that finds the slot must know that the rows are not read
// yet, whatever became of this one.
absl::Status Preparation::RememberSnapshot() {
  if (StateOf(prepared_.stored) == snapshot::OffsetState::kSnapshotRunning) return TakeOver();
  offset::StoredOffset offset = NewOffset();
  const Lsn here =
      prepared_.start.commit_end.valid() ? prepared_.start.commit_end : facts_.system.wal_end;
  offset.position.commit_end = here;
  offset.position.change_lsn = here;
  offset.position.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  offset.position.snapshot = event::SnapshotPhase::kRunning;
  KeepBlocking(&offset);
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
  if (config.incremental->notifies_sink) topics.push_back(config.incremental->notification_topic);
  return topics;
}

}  // namespace walduct::engine
