#include "tests/simulation/source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::simulation {
namespace {

// The rows that a snapshot sees, a few at a time.
class Snapshot final : public slot::TableSnapshot {
 public:
  // standby: where it is read; absent: on the server of the stream.
  Snapshot(World* world, Process* process, snapshot::SnapshotOrigin origin, Lsn seen,
           std::optional<Standby::Session> standby)
      : world_(*world),
        process_(*process),
        origin_(origin),
        standby_(standby),
        marker_(origin),
        fd_(world->time.NewDescriptor()) {
    process_.reading =
        Process::Reading{.seen = seen, .timeline = world->database.timeline(), .due = {}};
    for (size_t table = 0; table < kTables; ++table) {
      for (const Change* row : world->ledger.RowsAt(seen, table)) {
        if (row == nullptr) continue;
        rows_.push_back(*row);
        process_.reading->due.insert({table, row->key});
      }
    }
    world->Note(absl::StrCat("snapshot of ", seen.ToString(), ", ", rows_.size(), " rows"));
  }

  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override {
    if (process_.Step("a snapshot")) return Dead();
    if (absl::Status there = CheckServer(); !there.ok()) return there;
    if (world_.random.OneIn(5)) return Block();
    for (int i = 0; i < max_rows; ++i) {
      const size_t left_of_table = static_cast<size_t>(
          std::count_if(rows_.begin() + static_cast<ptrdiff_t>(next_), rows_.end(),
                        [this](const Change& row) { return row.table == table_; }));
      if (open_ && left_of_table == 0) {
        marker_.EndTable();
        open_ = false;
        ++table_;
        return Progress::kRead;
      }
      if (table_ == kTables) return Finish(handler);
      if (!open_)
        StartTable();
      else if (absl::Status sent = Row(handler); !sent.ok())
        return sent;
      if (world_.random.OneIn(4)) return Progress::kRead;
    }
    return Progress::kRead;
  }
  int ready_fd() const override { return fd_; }
  const snapshot::SnapshotOrigin& origin() const override { return origin_; }
  absl::Status End() override {
    return process_.Step("the end of a snapshot") ? Dead() : absl::OkStatus();
  }

 private:
  // Who reads a standby does not see what happens to its primary.
  absl::Status CheckServer() {
    if (standby_) {
      if (world_.Happens(Fault::kConflict)) return absl::UnavailableError("conflict with recovery");
      return standby_->Check();
    }
    const bool there =
        timeline_ == world_.database.timeline() && !world_.Happens(Fault::kDisconnect);
    return there ? absl::OkStatus() : absl::UnavailableError("snapshot lost");
  }
  Progress Block() {
    world_.time.SetReadable(fd_, false);
    world_.time.After(world_.random.UpTo(absl::Seconds(1)),
                      [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
    return Progress::kWouldBlock;
  }
  void StartTable() {
    open_ = true;
    event::RelationDescription relation;
    const test::RelationSpec spec = Database::Relation(table_);
    relation.relation = Oid{spec.oid};
    relation.schema = spec.schema;
    relation.table = spec.table;
    for (const test::RelationColumnSpec& column : spec.columns) {
      event::RelationColumn described;
      described.name = column.name;
      described.type = Oid{column.type};
      described.part_of_identity = column.key;
      relation.columns.push_back(std::move(described));
    }
    marker_.StartTable(Catalog::Schema(relation));
  }
  absl::Status Row(event::ChangeHandler& handler) {
    const Change& row = rows_[next_++];
    const std::string key = absl::StrCat(row.key), value = Database::Value(row);
    const event::Value values[] = {event::Value::Text(key), event::Value::Text(value)};
    return marker_.OnRow(values, handler);
  }
  absl::StatusOr<Progress> Finish(event::ChangeHandler& handler) {
    process_.reading->all_read = true;
    if (rows_.empty()) process_.OnReadAcknowledged(0, 0);
    if (absl::Status status = marker_.Finish(handler); !status.ok()) return status;
    return Progress::kDone;
  }

  World& world_;
  Process& process_;
  const snapshot::SnapshotOrigin origin_;
  const std::optional<Standby::Session> standby_;
  snapshot::RowMarker marker_;
  const int fd_;
  const uint32_t timeline_ = world_.database.timeline();
  std::vector<Change> rows_;
  size_t next_ = 0, table_ = 0;
  bool open_ = false;
};

}  // namespace

absl::Status Source::Connect() {
  if (process_.Step("Connect")) return Dead();
  if (world_.Happens(Fault::kRefuses) || world_.time.Monotonic() < world_.promoted)
    return absl::UnavailableError("no connection");
  timeline_ = world_.database.timeline();
  connected_at_ = Now();
  session_ = std::make_shared<Walsender>();
  session_->process = &process_;
  if (world_.defect == Defect::kNoSlotLock) return absl::OkStatus();
  if (world_.holder) {
    return world_.holder->streams
               ? Error(absl::StatusCode::kAborted, "slot_in_use", "the slot is in use")
               : Error(absl::StatusCode::kUnavailable, "slot_held", "the slot is held");
  }
  world_.holder = session_;
  // The server has given it, whether anybody hears of it or not.
  return process_.Step("Connect") ? Dead() : absl::OkStatus();
}

absl::StatusOr<slot::SourceFacts> Source::Inspect() {
  if (process_.Step("Inspect") || Gone()) return Dead();
  if (world_.Happens(Fault::kRefuses)) return absl::UnavailableError("no answer");
  timeline_ = world_.database.timeline();
  slot::SourceFacts facts;
  const absl::Duration now = world_.time.Monotonic();
  facts.system = {
      .system_identifier = "7000", .timeline = world_.database.timeline(), .wal_end = Now()};
  // A slot begins behind what was written before it was asked for, with a record of its own.
  if (world_.policy.exactly_once && !world_.slot_exists)
    facts.system.wal_end = Lsn(Now().value() - 1);
  facts.next_xid = world_.database.NextXid(now);
  if (world_.defect == Defect::kIgnoreTimeline) {
    facts.system.timeline = 1;
    facts.next_xid = 0;
  }
  facts.sender_timeout = world_.policy.wal_sender_timeout;
  for (size_t table = 0; table < kTables; ++table) {
    facts.captured.push_back({.relation = Oid{Database::Relation(table).oid},
                              .schema = "public",
                              .table = Database::TableName(table)});
  }
  if (world_.slot_exists) {
    facts.slot.emplace();
    facts.slot->active = world_.walsender != nullptr;
    facts.slot->restart_lsn = facts.slot->confirmed_flush_lsn = world_.slot;
  }
  return facts;
}

absl::StatusOr<replication::TimelineHistory> Source::Timelines() {
  if (process_.Step("Timelines") || Gone()) return Dead();
  return world_.database.timelines();
}

absl::Status Source::CheckSlot() {
  if (process_.Step("CheckSlot") || Gone()) return Dead();
  if (!world_.walsender) return absl::OkStatus();
  return Error(absl::StatusCode::kAborted, "slot_in_use", "the slot is in use");
}

absl::StatusOr<Lsn> Source::CreateSlot(const slot::SourcePlan& plan, const postgres::StopCheck&) {
  if (process_.Step("CreateSlot") || Gone()) return Dead();
  if (world_.slot_exists)
    return Error(absl::StatusCode::kAlreadyExists, "slot_exists", "somebody else has created it");
  world_.slot_exists = true;
  const Lsn created = world_.slot = Now();
  exported_ = created;
  world_.Note(absl::StrCat("slot created at ", world_.slot.ToString()));
  world_.ledger.OnStreamBegins(world_.slot, plan.decision.snapshot);
  // The server has done it, whether anybody hears of it or not.
  if (process_.Step("CreateSlot")) return Dead();
  return created;
}

absl::Status Source::DropSlot() {
  if (process_.Step("DropSlot") || Gone()) return Dead();
  world_.Note("the slot is dropped");
  world_.slot_exists = false;
  return process_.Step("DropSlot") ? Dead() : absl::OkStatus();
}

absl::StatusOr<std::optional<slot::ReplayLag>> Source::LagOfRows() {
  if (!world_.policy.standby) return std::nullopt;
  if (process_.Step("LagOfRows") || Gone()) return Dead();
  if (!standby_) {
    absl::StatusOr<Standby::Session> opened = Standby::Session::Open(&world_);
    if (!opened.ok()) return opened.status();
    standby_ = *opened;
    const Lsn end = world_.defect == Defect::kNeedsTooEarly ? connected_at_ : Now();
    needs_ = {.primary = {.system_identifier = "7000", .timeline = timeline_, .wal_end = Now()},
              .replayed = end};
  }
  return standby_->Lag(needs_);
}

// What was asked before is asked again, on the session that reads.
absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> Source::OpenOnStandby(Lsn start) {
  absl::StatusOr<std::optional<slot::ReplayLag>> lag = LagOfRows();
  if (!lag.ok()) return lag.status();
  if (*lag) return absl::UnavailableError("the standby is behind");
  const Lsn shown = world_.standby.Replayed();
  const Lsn begins = start.valid() ? start : shown;
  return std::make_unique<Snapshot>(
      &world_, &process_,
      snapshot::SnapshotOrigin{.consistent_point = begins,
                               .xid = std::nullopt,
                               .time_us = absl::ToUnixMicros(process_.clock().Now()),
                               .seen = Now()},
      shown, standby_);
}

absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> Source::OpenSnapshot(Lsn start) {
  if (process_.Step("OpenSnapshot") || Gone()) return Dead();
  if (world_.Happens(Fault::kLock)) return absl::DeadlineExceededError("lock timeout");
  if (world_.policy.standby) return OpenOnStandby(start);
  const Lsn seen = exported_.value_or(Now());
  return std::make_unique<Snapshot>(
      &world_, &process_,
      snapshot::SnapshotOrigin{.consistent_point = start.valid() ? start : seen,
                               .xid = world_.database.NextXid(world_.time.Monotonic()) - 1,
                               .time_us = absl::ToUnixMicros(process_.clock().Now()),
                               .seen = seen},
      seen, std::nullopt);
}

absl::StatusOr<slot::OpenedStream> Source::OpenStream(const event::Position& start) {
  if (process_.Step("OpenStream") || Gone()) return Dead();
  if (world_.Happens(Fault::kRefuses)) return absl::UnavailableError("no stream");
  if (world_.walsender)
    return Error(absl::StatusCode::kAborted, "slot_in_use", "the slot is in use");
  if (!world_.slot_exists) return absl::NotFoundError("there is no slot");
  // In the last moment in which somebody can.
  if (world_.policy.slot_moved > absl::ZeroDuration() && world_.random.OneIn(3)) world_.MoveSlot();
  if (absl::Status there = CheckSlotSession(); !there.ok()) return there;
  auto stream = std::make_unique<Stream>(&world_, &process_, session_, start);
  if (process_.Step("OpenStream")) return Dead();
  if (world_.slot > start.commit_end && world_.defect != Defect::kIgnoreMovedSlot)
    return Error(absl::StatusCode::kUnavailable, "slot_moved", "the slot has been moved");
  return slot::OpenedStream{
      .stream = std::move(stream),
      .status_interval = std::min(absl::Seconds(10), world_.policy.wal_sender_timeout / 2)};
}

// It may stand still before the server is asked, not between the answer and what follows from it:
// no lease can help there.
absl::Status Source::CheckSlotHeld() {
  if (process_.Step("CheckSlotHeld") || Gone()) return Dead();
  if (world_.defect == Defect::kZombieWrites) return absl::OkStatus();
  const auto& of_slot = session_->streams ? world_.walsender : world_.holder;
  if (of_slot == session_ && !session_->ended) return absl::OkStatus();
  if (of_slot && !of_slot->ended) {
    return Error(absl::StatusCode::kFailedPrecondition, "slot_taken_over",
                 "another session has taken the slot over");
  }
  return Error(absl::StatusCode::kUnavailable, "slot_released", "nobody holds the slot");
}

absl::Status Source::CheckSlotSession() {
  if (session_->streams) return absl::OkStatus();
  if (world_.Happens(Fault::kDisconnect)) world_.Terminate(session_);
  return session_->ended ? absl::UnavailableError("connection lost") : absl::OkStatus();
}

std::optional<std::vector<postgres::TableName>> Source::SignalTables() const {
  if (world_.policy.windows == Policy::Windows::kNone) return std::nullopt;
  std::vector<postgres::TableName> tables;
  for (size_t table = 0; table <= kTables; ++table) {
    const test::RelationSpec relation = Database::Relation(table);
    tables.push_back(
        {.relation = Oid{relation.oid}, .schema = relation.schema, .table = relation.table});
  }
  return tables;
}

}  // namespace walduct::simulation
