#include "operate/commands/offset_commands.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/source_type.h"
#include "kafka/options.h"
#include "names/called.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "operate/commands/position_move.h"
#include "operate/commands/running_reader.h"
#include "operate/commands/server_identity.h"
#include "postgres/connection.h"
#include "postgres/open_session.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/slot.h"
#include "replication/upgrade_traces.h"
#include "slot/lanes/lanes.h"
#include "slot/start/preparation.h"
#include "slot/start/upgraded_server.h"
#include "snapshot/mode.h"
#include "snapshot/options.h"

namespace walduct::operate {
namespace {

constexpr absl::string_view kWalEnd =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() "
    "ELSE pg_catalog.pg_current_wal_lsn() END";
constexpr absl::string_view kInspector = R"(
SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_walinspect')";

absl::StatusOr<Lsn> WalEnd(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result, connection.Query(postgres::OneRow(1), kWalEnd));
  return Lsn::Parse(result.Get(0, 0));
}

// Whatever is in the way, the place is known without it.
std::optional<LsnTransaction> FindTransaction(postgres::Connection& connection, Lsn lsn,
                                              Lsn wal_end) {
  const auto inspector = connection.Query(postgres::Rows(1), kInspector);
  if (!inspector.ok() || inspector->rows() == 0 || lsn >= wal_end) return std::nullopt;
  const std::string functions(inspector->Get(0, 0));
  const auto record =
      connection.Query(postgres::Rows(2),
                       absl::StrCat("SELECT xid, resource_manager || ' ' || record_type FROM ",
                                    functions, ".pg_get_wal_record_info($1)"),
                       {lsn.ToString()});
  uint32_t xid = 0;
  if (!record.ok() || record->rows() == 0 || !absl::SimpleAtoi(record->Get(0, 0), &xid) || xid == 0)
    return std::nullopt;
  LsnTransaction found{.xid = Xid{xid}, .record = std::string(record->Get(0, 1)), .commit = {}};
  const auto commit = connection.Query(
      postgres::Rows(1),
      absl::StrCat("SELECT end_lsn FROM ", functions,
                   ".pg_get_wal_records_info($1, $2) WHERE resource_manager = 'Transaction' AND "
                   "record_type LIKE 'COMMIT%' AND xid::pg_catalog.text = $3 LIMIT 1"),
      {lsn.ToString(), wal_end.ToString(), absl::StrCat(xid)});
  if (!commit.ok() || commit->rows() == 0) return found;
  if (const auto end = Lsn::Parse(commit->Get(0, 0)); end.ok()) found.commit = *end;
  return found;
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(const engine::ConnectorOptions& options,
                                                           postgres::SessionKind kind,
                                                           const Environment& environment) {
  return postgres::OpenSession(*options.database, "walduct offsets", environment, kind);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenStore(
    const engine::ConnectorOptions& options, const Environment& environment) {
  return offset::CreateOffsetStore(*options.offset, *options.kafka,
                                   engine::OffsetIdentityOf(options), environment);
}

absl::Status RefuseWhileRunning(const engine::ConnectorOptions& options,
                                const Environment& environment) {
  const auto connection = Open(options, postgres::SessionKind::kSql, environment);
  if (!connection.ok()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto slot, SlotOf(**connection, options));
  return CheckNotRunning(**connection, options, slot);
}

// Whether pg_upgrade seems to have made the server of the one that the position is of.
absl::StatusOr<bool> IsUpgraded(postgres::Connection& connection,
                                const offset::StoredOffset& stored,
                                const std::optional<replication::SlotState>& slot,
                                const replication::SystemIdentity& system) {
  ASSIGN_OR_RETURN(const postgres::ServerInfo server, postgres::CheckServer(connection));
  ASSIGN_OR_RETURN(const auto traces, replication::ReadUpgradeTraces(connection));
  const slot::ServerHistory history{.system = system,
                                    .timelines = {},
                                    .in_recovery = server.in_recovery,
                                    .next_xid = server.next_xid,
                                    .slot = {}};
  return slot::WhyNotUpgraded(
             {.stored = &stored, .slot = &slot, .server = &history, .traces = &traces})
      .empty();
}

// What is stored, where it is of a server that this one was not made of; see MoveFacts.
std::optional<offset::StoredOffset> ForeignOf(const std::optional<offset::StoredOffset>& stored,
                                              const replication::SystemIdentity& system,
                                              bool upgraded) {
  const bool foreign = stored && !upgraded && slot::IsOfAnotherSystem(*stored, system);
  return foreign ? stored : std::nullopt;
}

bool MayRepeatSnapshot(snapshot::SnapshotMode mode) {
  return mode == snapshot::SnapshotMode::kAlways || mode == snapshot::SnapshotMode::kWhenNeeded;
}

bool TakesSnapshot(snapshot::SnapshotMode mode) {
  const auto decision = snapshot::DecideStart({.mode = mode, .stored_position_text = ""});
  return decision.ok() && decision->snapshot;
}

// A topic that was made just now has no leaders for some seconds: longer than a connector waits,
// which stores again soon.
constexpr absl::Duration kSavePatience = absl::Seconds(30);

absl::Status SaveAndWait(offset::OffsetStore& store, const offset::StoredOffset& offset,
                         const engine::ConnectorOptions& options, const Environment& environment) {
  const auto [clock, poller] = environment;
  RETURN_IF_ERROR(store.StartSave(offset));
  const absl::Duration deadline =
      clock->Monotonic() + std::max(options.offset->flush_timeout, kSavePatience);
  while (clock->Monotonic() < deadline) {
    if (const std::optional<absl::Status> answer = store.PollSave()) return *answer;
    poller->WaitReadable({store.ready_fd()}, absl::Milliseconds(20));
  }
  return Error(absl::StatusCode::kDeadlineExceeded, "offset_store_slow",
               "the offset store has not answered in time: it is not known whether the position is "
               "stored",
               absl::StrCat(names::Command(engine::CalledOf(options), "offsets show"),
                            " says which one is; then repeat the command if it is another"));
}

absl::Status Store(offset::OffsetStore& store, const std::optional<offset::StoredOffset>& wanted,
                   const engine::ConnectorOptions& options, const Environment& environment) {
  if (!wanted) return store.Erase();
  return SaveAndWait(store, *wanted, options, environment);
}

// Before what is said of one of several slots.
std::string SlotText(const engine::ConnectorOptions& lane) {
  const replication::SlotShare& share = lane.replication->share;
  return share.several() ? absl::StrCat("slot ", share.number, ": ") : "";
}

// What stands in the place of a position.
struct LoadedOffset {
  std::optional<offset::StoredOffset> stored = {};
  bool unreadable = false;

  std::string Text() const { return unreadable ? std::string(kUnreadable) : PositionText(stored); }
};

// For what replaces it: that nobody can read it is no reason to keep it. A store that has read
// what it cannot decode saves over it.
absl::StatusOr<LoadedOffset> LoadToReplace(offset::OffsetStore& store) {
  absl::StatusOr<std::optional<offset::StoredOffset>> loaded = store.Load();
  if (loaded.ok()) return LoadedOffset{.stored = *std::move(loaded)};
  if (ErrorReason(loaded.status()) == "offset_malformed") return LoadedOffset{.unreadable = true};
  return loaded.status();
}

absl::StatusOr<std::optional<offset::StoredOffset>> LoadFirst(
    const engine::ConnectorOptions& options, const Environment& environment) {
  ASSIGN_OR_RETURN(const auto store, OpenStore(slot::LanesOf(options).front(), environment));
  return store->Load();
}

absl::StatusOr<std::optional<offset::StoredOffset>> LoadFirstToReplace(
    const engine::ConnectorOptions& options, const Environment& environment) {
  ASSIGN_OR_RETURN(const auto store, OpenStore(slot::LanesOf(options).front(), environment));
  ASSIGN_OR_RETURN(LoadedOffset first, LoadToReplace(*store));
  return std::move(first.stored);
}

// Of what is stored: of another number of slots, or of two of them while tables are handed over.
std::vector<engine::ConnectorOptions> StoredLanes(
    const engine::ConnectorOptions& options, const std::optional<offset::StoredOffset>& first) {
  std::vector<engine::ConnectorOptions> lanes = slot::LanesOf(options);
  int count = static_cast<int>(lanes.size());
  if (first) count = std::max(count, first->slots);
  if (first && first->handover) count = std::max(count, first->handover->to);
  if (count == static_cast<int>(lanes.size())) return lanes;
  const engine::ConnectorOptions one = lanes.front();
  lanes.clear();
  for (int number = 1; number <= count; ++number)
    lanes.push_back(slot::LaneAmong(one, number, count));
  return lanes;
}

// Positions of another number are not those of its tables.
absl::Status RefuseBeforeHandover(const engine::ConnectorOptions& options,
                                  const Environment& environment) {
  ASSIGN_OR_RETURN(const auto first, LoadFirstToReplace(options, environment));
  if (!offset::IsHandoverDue(first, options.replication->share.count)) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "slots_changed",
      absl::StrCat("what is stored are positions of ", first->slots,
                   first->slots == 1 ? " slot" : " slots", ", and walduct.slots is ",
                   options.replication->share.count,
                   first->handover ? ": tables are on their way to other slots" : ""),
      "start the connector until tables are handed over, and stop it again; or walduct offsets "
      "reset forgets all positions");
}

// What a position from elsewhere means, as far as the server answers.
absl::StatusOr<std::string> MeaningOfImport(const engine::ConnectorOptions& options,
                                            const LoadedOffset& found,
                                            const std::optional<offset::StoredOffset>& wanted,
                                            Accepts accepts, const Environment& environment) {
  const auto connection = Open(options, postgres::SessionKind::kSql, environment);
  const auto identity =
      connection.ok() ? IdentityOf(**connection, options, environment) : connection.status();
  if (!identity.ok())
    return absl::StrCat("what that means is not known, the server could not be asked: ",
                        identity.status().message(), "\n");
  const replication::SystemIdentity& system = *identity;
  ASSIGN_OR_RETURN(const auto slot, SlotOf(**connection, options));
  const bool of_other_server = wanted && slot::IsOfAnotherSystem(*wanted, system);
  const bool trusts_slot = replication::TrustsSlot(options.replication->offset_mismatch);
  // What a start finds to be wrong with the server is its own matter.
  const bool upgraded = of_other_server && trusts_slot &&
                        IsUpgraded(**connection, *wanted, slot, system).value_or(false);
  MoveFacts facts = {.stored = found.stored,
                     .slot_name = options.replication->slot_name,
                     .slot = slot,
                     .wal_end = system.wal_end,
                     .system = system.system_identifier,
                     .of_other_server = of_other_server,
                     .upgraded = upgraded,
                     .trusts_slot = trusts_slot,
                     .unreadable = found.unreadable,
                     .takes_snapshot = TakesSnapshot(options.snapshot->mode),
                     .fills_gaps = snapshot::FillsGaps(options.snapshot->mode),
                     .holds_slot = slot::HoldsSlot(options, wanted),
                     .reads_back = engine::CalledOf(options).reads_back,
                     .accept_loss = accepts.loss,
                     .accept_foreign = accepts.foreign};
  if (found.stored && slot::IsOfAnotherSystem(*found.stored, system)) {
    facts.foreign =
        ForeignOf(found.stored, system,
                  IsUpgraded(**connection, *found.stored, slot, system).value_or(false));
    facts.stored.reset();  // LSNs of two servers cannot be compared
  }
  return JudgeImport(std::move(facts), wanted);
}

// What a move comes to in one slot; nothing is stored yet.
struct JudgedMove {
  std::unique_ptr<offset::OffsetStore> store;
  std::optional<offset::StoredOffset> wanted;
  std::string report;
  std::string drops_slot = {};  // its name; empty: none
};

absl::StatusOr<JudgedMove> Judge(const engine::ConnectorOptions& options, const OffsetMove& move,
                                 const Environment& environment) {
  ASSIGN_OR_RETURN(const auto connection, Open(options, postgres::SessionKind::kSql, environment));
  ASSIGN_OR_RETURN(const auto slot, SlotOf(*connection, options));
  RETURN_IF_ERROR(CheckNotRunning(*connection, options, slot));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system,
                   IdentityOf(*connection, options, environment));
  JudgedMove judged;
  ASSIGN_OR_RETURN(judged.store, OpenStore(options, environment));
  ASSIGN_OR_RETURN(const LoadedOffset found, LoadToReplace(*judged.store));
  const std::optional<offset::StoredOffset>& stored = found.stored;
  const bool of_other_server = stored && slot::IsOfAnotherSystem(*stored, system);
  bool upgraded = false;
  if (of_other_server) {
    const auto found_so = IsUpgraded(*connection, *stored, slot, system);
    if (move.to) RETURN_IF_ERROR(found_so.status());
    upgraded = found_so.value_or(false);
  }
  const MoveFacts facts = {.stored = stored,
                           .to = move.to,
                           .slot_name = options.replication->slot_name,
                           .slot = slot,
                           .wal_end = system.wal_end,
                           .system = system.system_identifier,
                           .of_other_server = of_other_server,
                           .upgraded = upgraded,
                           .unreadable = found.unreadable,
                           .takes_snapshot = TakesSnapshot(options.snapshot->mode),
                           .may_repeat_it = MayRepeatSnapshot(options.snapshot->mode),
                           .reads_back = engine::CalledOf(options).reads_back,
                           .accept_loss = move.accepts.loss,
                           .foreign = ForeignOf(stored, system, upgraded),
                           .accept_foreign = move.accepts.foreign,
                           .drops_slot = move.drop_slot && engine::ReadsSlot(options),
                           .polls = !engine::ReadsSlot(options)};
  ASSIGN_OR_RETURN(const std::string report, JudgeMove(facts));
  judged.report = SlotText(options) + report;
  if (!facts.polls && DropsSlot(facts)) judged.drops_slot = options.replication->slot_name;
  if (!move.to) return judged;
  offset::StoredOffset& wanted = judged.wanted.emplace();
  wanted.position.commit_end = *move.to;
  wanted.position.change_lsn = *move.to;
  wanted.system_identifier = system.system_identifier;
  ASSIGN_OR_RETURN(wanted.of_standby, postgres::IsInRecovery(*connection));
  if (!wanted.of_standby) wanted.timeline = system.timeline;
  wanted.sink = slot::SinkMark(options);
  wanted.slots = options.replication->share.count;
  wanted.slot_name = options.replication->slot_name;  // which has what follows
  return judged;
}

// What is published may stand elsewhere.
absl::Status CheckHasPosition(const engine::ConnectorOptions& options) {
  const engine::SourceType* const source = options.source;
  if (source == nullptr || source->instead_of_position.empty()) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "no_position",
               absl::StrCat("the connector has no stored position: what is published stands in ",
                            source->instead_of_position),
               "change the rows themselves");
}

bool IsMoved(const engine::ConnectorOptions& lane, const OffsetMove& move) {
  return move.slot == 0 || lane.replication->share.number == move.slot;
}

}  // namespace

absl::StatusOr<std::string> ReadOffsets(const engine::ConnectorOptions& options,
                                        const Environment& environment) {
  if (!CheckHasPosition(options).ok()) return std::string("{\"offsets\":[]}");
  std::vector<std::optional<offset::StoredOffset>> all(1);
  ASSIGN_OR_RETURN(all.front(), LoadFirst(options, environment));
  const std::vector<engine::ConnectorOptions> lanes = StoredLanes(options, all.front());
  for (size_t i = 1; i < lanes.size(); ++i) {
    ASSIGN_OR_RETURN(const auto store, OpenStore(lanes[i], environment));
    ASSIGN_OR_RETURN(all.emplace_back(), store->Load());
  }
  return offset::EncodeRestBody(engine::TopicPrefixOf(options), all);
}

absl::StatusOr<std::string> WriteOffsets(const engine::ConnectorOptions& options,
                                         absl::string_view rest_body, Accepts accepts,
                                         const Environment& environment) {
  RETURN_IF_ERROR(CheckHasPosition(options));
  const std::vector<engine::ConnectorOptions> lanes = slot::LanesOf(options);
  ASSIGN_OR_RETURN(auto wanted,
                   offset::DecodeRestBody(rest_body, engine::TopicPrefixOf(options), lanes.size()));
  for (const engine::ConnectorOptions& lane : lanes)
    RETURN_IF_ERROR(RefuseWhileRunning(lane, environment));
  RETURN_IF_ERROR(RefuseBeforeHandover(options, environment));
  std::vector<std::unique_ptr<offset::OffsetStore>> stores;
  std::string report;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (wanted[i]) wanted[i]->slots = static_cast<int>(lanes.size());
    // Another connector's is not to be taken from it.
    if (wanted[i] && wanted[i]->slot_name != lanes[i].replication->slot_name)
      wanted[i]->slot_name.clear();
    ASSIGN_OR_RETURN(stores.emplace_back(), OpenStore(lanes[i], environment));
    // Loading first reads what else is in the store, and finds out whether it can be written to.
    ASSIGN_OR_RETURN(const LoadedOffset before, LoadToReplace(*stores[i]));
    ASSIGN_OR_RETURN(const std::string means,
                     MeaningOfImport(lanes[i], before, wanted[i], accepts, environment));
    absl::StrAppend(&report, SlotText(lanes[i]), "position was ", before.Text(), "; is now ",
                    PositionText(wanted[i]), "\n", means);
  }
  for (size_t n = 0; n < lanes.size(); ++n) {
    // What is forgotten, the first slot's last: what a hand-over has still to read stands in it.
    const size_t i = wanted.front() ? n : lanes.size() - 1 - n;
    RETURN_IF_ERROR(Store(*stores[i], wanted[i], lanes[i], environment));
  }
  return report;
}

absl::StatusOr<std::string> MoveOffset(const engine::ConnectorOptions& options,
                                       const OffsetMove& move, const Environment& environment) {
  RETURN_IF_ERROR(CheckHasPosition(options));
  if (move.to) RETURN_IF_ERROR(RefuseBeforeHandover(options, environment));
  if (move.to) RETURN_IF_ERROR(CheckMovedSlot(move.slot, options.replication->share.count));
  std::vector<JudgedMove> judged;
  ASSIGN_OR_RETURN(const auto first, LoadFirstToReplace(options, environment));
  for (const engine::ConnectorOptions& lane : StoredLanes(options, first)) {
    if (!IsMoved(lane, move)) continue;
    ASSIGN_OR_RETURN(judged.emplace_back(), Judge(lane, move, environment));
  }
  // The first says how many there are, and where tables are on their way to: as long as it does, a
  // start, and this command said again, know what an interruption has left.
  std::string report;
  for (auto one = judged.rbegin(); one != judged.rend(); ++one) {
    RETURN_IF_ERROR(Store(*one->store, one->wanted, options, environment));
    report.insert(0, one->report);
    if (one->drops_slot.empty()) continue;
    ASSIGN_OR_RETURN(const auto sql, Open(options, postgres::SessionKind::kSql, environment));
    RETURN_IF_ERROR(replication::DropSlot(*sql, one->drops_slot));
  }
  return report;
}

absl::StatusOr<std::string> ForgetWithoutSlot(const engine::ConnectorOptions& options,
                                              const Environment& environment) {
  RETURN_IF_ERROR(CheckHasPosition(options));
  ASSIGN_OR_RETURN(const auto stored, LoadFirst(options, environment));
  const std::string& name = options.replication->slot_name;
  ASSIGN_OR_RETURN(const auto connection, Open(options, postgres::SessionKind::kSql, environment));
  ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*connection, name));
  const bool lost =
      slot && ErrorReason(replication::CheckSlotUsable(*connection, name, *slot)) == "slot_lost";
  if (!lost && (slot || !stored)) return std::string();
  RETURN_IF_ERROR(
      MoveOffset(options, {.to = {}, .accepts = {.loss = true, .foreign = true}}, environment)
          .status());
  return absl::StrCat("replication slot ", name,
                      lost ? " had lost its WAL and is dropped" : " is gone");
}

absl::StatusOr<std::string> SkipChange(const engine::ConnectorOptions& options,
                                       const event::ChangeId& change,
                                       const Environment& environment) {
  RETURN_IF_ERROR(CheckHasPosition(options));
  // Each slot's stream counts its own changes.
  if (options.replication->share.several()) {
    return Error(absl::StatusCode::kFailedPrecondition, "skip_of_several_slots",
                 "a change cannot be skipped where walduct.slots is above 1",
                 "set errors.tolerance=all, with errors.deadletterqueue.topic.name to keep what it "
                 "was, until the change is behind");
  }
  RETURN_IF_ERROR(RefuseWhileRunning(options, environment));
  ASSIGN_OR_RETURN(const auto store, OpenStore(options, environment));
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored, store->Load());
  if (!stored || stored->position.snapshot == event::SnapshotPhase::kRunning) {
    return Error(absl::StatusCode::kFailedPrecondition, "offset_missing",
                 "no position of a stream is stored: there is no change to skip",
                 "name the connector, and the worker file that it runs with");
  }
  const event::Position& position = stored->position;
  const bool in_it = position.transaction_final_lsn == change.commit;
  if (position.commit_end > change.commit || (in_it && position.ordinal >= change.number)) {
    return Error(absl::StatusCode::kFailedPrecondition, "change_behind",
                 absl::StrCat("change ", change.Text(), " is behind the stored position, ",
                              PositionText(stored)),
                 "name the change that the connector's error names");
  }
  stored->skip = change;
  RETURN_IF_ERROR(Store(*store, stored, options, environment));
  return absl::StrCat("change ", change.Text(), " will not be published; the position stays at ",
                      PositionText(stored), "\n");
}

absl::StatusOr<LsnFacts> FactsOfLsn(const engine::ConnectorOptions& options, Lsn lsn,
                                    const Environment& environment) {
  LsnFacts facts{.lsn = lsn};
  ASSIGN_OR_RETURN(const auto connection, Open(options, postgres::SessionKind::kSql, environment));
  RETURN_IF_ERROR(connection->Set("statement_timeout", "10s"));
  // What moves on behind the other is asked for first: else it seems to be before it.
  ASSIGN_OR_RETURN(const auto slot,
                   replication::InspectSlot(*connection, options.replication->slot_name));
  if (slot) {
    facts.kept_from = slot->restart_lsn;
    facts.confirmed = slot->confirmed_flush_lsn;
  }
  ASSIGN_OR_RETURN(const auto store, OpenStore(options, environment));
  ASSIGN_OR_RETURN(const auto stored, store->Load());
  if (stored && stored->position.snapshot != event::SnapshotPhase::kRunning)
    facts.stored = stored->position.commit_end;
  ASSIGN_OR_RETURN(facts.wal_end, WalEnd(*connection));
  facts.transaction = FindTransaction(*connection, lsn, *facts.wal_end);
  return facts;
}

}  // namespace walduct::operate
