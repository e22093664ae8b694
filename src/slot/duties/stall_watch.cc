#include "slot/duties/stall_watch.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/errors/named_hint.h"
#include "slot/world/watch/slot_show.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kInterval = absl::Seconds(1);
constexpr absl::Duration kRepeat = absl::Seconds(30);
// A registry's outage costs nothing but time.
constexpr absl::Duration kRepeatForRegistry = absl::Minutes(1);

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

}  // namespace

bool StallWatch::Lane::Stands(bool has_work, uint64_t progress, absl::Duration now,
                              absl::Duration patience) {
  if (!has_work) {
    since.reset();
    return false;
  }
  if (!since || std::exchange(marker, progress) != progress) since = now;
  marker = progress;
  return now - *since >= patience;
}

StallWatch::~StallWatch() {
  if (!stalled_since_) return;
  parts_.metrics->stalled.Set(0);
  parts_.board->ShowStall(std::nullopt);
}

void StallWatch::Turn(const Reading& reading) {
  const absl::Duration now = parts_.clock->Monotonic();
  if (now < next_look_) return;
  const bool speaks = parts_.patience > absl::ZeroDuration();
  next_look_ = now + (speaks ? std::min(kInterval, parts_.patience) : kInterval);
  const ServerView server = parts_.server ? parts_.server() : ServerView();
  ShowSlot(server, *parts_.clock, parts_.metrics);
  if (!speaks) return;
  const Lane* stands = Find(server, reading, now);
  if (stands == nullptr) return OnProgress(now);
  if (!stalled_since_) {
    stalled_since_ = stands->since;
    parts_.metrics->stalls.Add();
    parts_.metrics->stalled.Set(1);
  }
  // A cause that was found since goes before the one that is shown.
  const bool learnt = KindOf(*stands) != said_kind_ || (!said_lock_ && KnowsLock(*stands, server));
  if (now >= next_line_ || learnt) Say(*stands, server, reading.received, now);
}

// All are looked at: each has its own clock.
const StallWatch::Lane* StallWatch::Find(const ServerView& server, const Reading& reading,
                                         absl::Duration now) {
  const Lsn received = reading.received;
  const engine::WaitReason reads = reading.reads;
  const auto& stored = parts_.checkpointer->stored();
  const bool in_transaction = parts_.metrics->open_commit_us.value() != 0;
  // Nothing is read while the sink is full, or a transaction of it ends: it is not the server that
  // is waited for.
  const bool commits = parts_.sink->transactions() != nullptr && parts_.checkpointer->saving();
  const bool behind = received.valid() && reads == engine::WaitReason::kNothing && !commits &&
                      !reading.unread &&
                      (in_transaction || server.wal_end.value() > received.value() + kMuchWal ||
                       parts_.metrics->lag.UnsentSince(parts_.clock->Now()).has_value());
  const absl::Duration patience = parts_.patience;
  // Not what is written: heartbeats are, while nothing is read. The stream waits for a blocking
  // snapshot.
  const uint64_t read = reading.frames;
  const uint64_t rows_read = parts_.metrics->snapshot_rows.value();
  const bool catalog = catalog_.Stands(reads == engine::WaitReason::kCatalog, read, now, patience);
  const bool schema_id =
      schema_id_.Stands(reads == engine::WaitReason::kSchemaId, acknowledged_, now, patience);
  const bool delivery = delivery_.Stands(Delivers(), DeliveredCount(), now, patience);
  const bool room =
      room_.Stands(reads == engine::WaitReason::kRoom, DeliveredCount(), now, patience);
  const bool store =
      store_.Stands(parts_.checkpointer->busy(parts_.tracker->safe()),
                    stored ? stored->commit_end.value() + stored->ordinal : 0, now, patience);
  const bool wal = wal_.Stands(behind, received.value() + read + rows_read, now, patience);
  const bool rows = rows_.Stands(reads == engine::WaitReason::kDatabase, rows_read, now, patience);
  const bool standby = standby_.Stands(!standby_cause_.empty(), 0, now, patience);
  if (standby) return &standby_;
  if (catalog) return &catalog_;
  if (rows) return &rows_;
  if (schema_id) return &schema_id_;
  if (delivery) return &delivery_;
  if (room) return &room_;
  if (store) return &store_;
  silence_.since = reading.unanswered_since;
  if (silence_.since && now - *silence_.since >= patience) return &silence_;
  return wal ? &wal_ : nullptr;
}

absl::string_view StallWatch::KindOf(const Lane& lane) const {
  if (&lane == &catalog_) return "catalog";
  if (&lane == &schema_id_) return "schema_registry";
  if (&lane == &standby_) return "standby";
  if (&lane == &delivery_ || &lane == &room_) return "sink";
  return &lane == &store_ ? "offset_store" : "database";
}

std::string StallWatch::SchemaIdCause() const {
  for (const event::SchemaIds* ids : {parts_.schema_ids.key, parts_.schema_ids.value}) {
    std::string cause = ids == nullptr ? "" : ids->WaitingFor();
    if (!cause.empty()) return cause;
  }
  return "the schema registry";
}

// The one that is being read.
std::string StallWatch::SnapshotTableNow() const {
  for (const metrics::SnapshotTable& table : parts_.metrics->snapshot.Read().tables) {
    if (table.begun && !table.done) return absl::StrCat(table.schema, ".", table.table);
  }
  return "";
}

// The acknowledgements of a transaction come with its end: until then there is room for more.
bool StallWatch::Delivers() const {
  if (parts_.tracker->idle()) return false;
  return parts_.sink->transactions() == nullptr || !parts_.sink->HasCapacity();
}

// Of a topic that stands still, heartbeats on another one say nothing.
uint64_t StallWatch::DeliveredCount() const {
  const bool commits = parts_.sink->transactions() != nullptr;
  return acknowledged_ + (parts_.tracker->only_beside() ? acknowledged_beside_ : 0) +
         (commits ? parts_.metrics->records_written.value() : 0);
}

std::string StallWatch::CauseOf(const Lane& lane, const ServerView& server, Lsn received) {
  if (&lane == &catalog_)
    return server.lock.empty() ? "PostgreSQL to describe a table" : server.lock;
  if (&lane == &rows_) {
    return server.lock.empty()
               ? absl::StrCat("PostgreSQL to send the rows of table ", SnapshotTableNow())
               : server.lock;
  }
  if (&lane == &standby_) return standby_cause_;
  if (&lane == &schema_id_) return SchemaIdCause();
  if (&lane == &delivery_) {
    return absl::StrCat(parts_.sink->WaitingFor(), " (", parts_.tracker->in_flight_records(),
                        " records are not acknowledged)");
  }
  if (&lane == &room_) return parts_.sink->WaitingFor();
  if (&lane == &store_) {
    const absl::Status& error = parts_.checkpointer->last_error();
    return error.ok() ? "the offset store to answer"
                      : absl::StrCat("the offset store: ", error.message());
  }
  if (&lane == &silence_)
    return "PostgreSQL to answer on the replication stream (it, its machine or the network stands "
           "still, or it decodes a large transaction)";
  if (parts_.metrics->open_commit_us.value() != 0)
    return "PostgreSQL to send the rest of a transaction";
  const uint64_t left =
      server.wal_end > received ? server.wal_end.value() - received.value() : uint64_t{0};
  return absl::StrCat("PostgreSQL to send the last ", BytesText(left),
                      " of WAL (it decodes a large transaction, waits for "
                      "synchronized_standby_slots, or is slow)");
}

std::string StallWatch::HintOf(const Lane& lane, const ServerView& server) const {
  if (KnowsLock(lane, server)) return engine::LockHint(server.lock);
  if (&lane == &standby_)
    return "wait for the standby, or see what holds its replay up: SELECT * FROM "
           "pg_stat_replication on its primary";
  if (&lane == &schema_id_)
    return "it goes on by itself once the registry answers: look at the registry, and at the "
           "network before it";
  if (&lane == &delivery_ || &lane == &room_) return parts_.sink->WaitingHint();
  if (&lane == &store_) {
    const std::string hint = ErrorHint(parts_.checkpointer->last_error());
    return hint.empty() ? "it goes on by itself once positions are stored: look at the brokers of "
                          "the offset topic, or at the disk of the offset file"
                        : hint;
  }
  if (&lane == &wal_ && parts_.metrics->open_commit_us.value() == 0)
    return "a large transaction takes its time; a standby that synchronized_standby_slots names "
           "and that is away is waited for: SHOW synchronized_standby_slots; SELECT * FROM "
           "pg_stat_replication";
  return "it goes on by itself once the server answers, which SELECT pid, state, wait_event_type, "
         "wait_event, query FROM pg_stat_activity WHERE application_name LIKE 'walduct%' shows: "
         "look at its load, its disk and the network";
}

void StallWatch::Say(const Lane& lane, const ServerView& server, Lsn received, absl::Duration now) {
  next_line_ = now + (&lane == &schema_id_ ? kRepeatForRegistry : kRepeat);
  said_lock_ = KnowsLock(lane, server);
  said_kind_ = KindOf(lane);
  const absl::Duration stood = now - *lane.since;
  std::string cause = CauseOf(lane, server, received);
  const absl::Status named = parts_.board->Named(
      Error(absl::StatusCode::kUnavailable, "connector_stalled", cause, HintOf(lane, server)));
  const engine::Stall stall = {.since = parts_.clock->Now() - stood,
                               .kind = KindOf(lane),
                               .cause = std::move(cause),
                               .hint = ErrorHint(named),
                               .retained_bytes = server.retained_bytes,
                               .growth_per_second = server.growth_per_second};
  std::string cost;
  if (server.wal_end.valid()) {
    cost = absl::StrCat(", retained WAL ", BytesText(stall.retained_bytes), " grows by ",
                        BytesText(stall.growth_per_second), "/s");
  }
  log::Warn(
      absl::StrCat("no progress for ", Seconds(stood), ": waiting for ", stall.cause, " since ",
                   absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", stall.since, absl::UTCTimeZone()), cost),
      {{"hint", stall.hint}});
  parts_.board->ShowStall(stall);
}

void StallWatch::OnProgress(absl::Duration now) {
  if (!stalled_since_) return;
  log::Info("progress again", {{"after", Seconds(now - *stalled_since_)}});
  stalled_since_.reset();
  said_lock_ = false;
  next_line_ = absl::ZeroDuration();
  parts_.metrics->stalled.Set(0);
  parts_.board->ShowStall(std::nullopt);
}

}  // namespace walduct::slot
