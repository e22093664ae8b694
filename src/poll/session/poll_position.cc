// PollSession: with walduct.outbox.done=position. No row is marked: the offset store has, for each
// table, the snapshot up to which it is published. Where the sink has transactions, the position is
// committed with the records.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "poll/position/position_sql.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kTurn = absl::Seconds(1);
// Of a position that moves without rows: what lies behind it is looked over at every look.
constexpr absl::Duration kSaveIdle = absl::Minutes(1);

absl::Status Lost(absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_position_lost",
               absl::StrCat("the stored position of the outbox tables is not of this server: ", why,
                            "; rows could be left out in silence"),
               "walduct offsets reset, then all rows that the tables have are published again, or, "
               "with snapshot.mode=no_data, only those from now on");
}

bool ReadNow(const postgres::Result& now, offset::StoredOffset* stored) {
  uint32_t timeline = 0;
  const auto lsn = Lsn::Parse(now.Get(0, 2));
  if (!absl::SimpleHexAtoi(now.Get(0, 1), &timeline) || !lsn.ok()) return false;
  stored->timeline = timeline;
  stored->position.commit_end = *lsn;
  stored->position.change_lsn = *lsn;
  stored->system_identifier = std::string(now.Get(0, 3));
  return true;
}

// Statistics that are old make the planner sort what is left of a window for every batch.
constexpr absl::string_view kByIndex = R"(
SELECT pg_catalog.set_config('enable_bitmapscan', 'off', false),
  pg_catalog.set_config('enable_sort', 'off', false))";

absl::Status Odd() {
  return Error(absl::StatusCode::kDataLoss, "malformed_answer",
               "PostgreSQL does not say where its WAL ends", "");
}

}  // namespace

bool PollSession::positions() const { return engine::OutboxOf(config()).positions; }

absl::Status PollSession::OpenPositions() {
  if (!positions()) return absl::OkStatus();
  const Environment& environment = parts_.attempt.world->environment();
  ASSIGN_OR_RETURN(store_,
                   offset::CreateOffsetStore(engine::OffsetOf(config()), engine::KafkaOf(config()),
                                             engine::OffsetIdentityOf(config()), environment));
  if (sink_->transactions() != nullptr) {
    auto committing = std::make_unique<delivery::CommittingStore>(std::move(store_), sink_.get(),
                                                                  environment.clock);
    committing_ = committing.get();
    store_ = std::move(committing);
    RETURN_IF_ERROR(committing_->Open());
  }
  RETURN_IF_ERROR(Ask(std::string(kByIndex), postgres::OneRow(2)).status());
  ASSIGN_OR_RETURN(const auto now, Ask(NowSql(), postgres::OneRow(4)));
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored, store_->Load());
  if (stored) {
    stored_ = *std::move(stored);
    const std::string& member = event::FindMember(stored_.members, event::kOutboxMember);
    if (member.empty())
      return Error(absl::StatusCode::kFailedPrecondition, "outbox_position_lost",
                   "the stored position is that of a replication slot",
                   "give the connector that polls another name, or walduct offsets reset");
    ASSIGN_OR_RETURN(positions_, DecodePositions(member));
    RETURN_IF_ERROR(CheckPositions(now));
  } else if (engine::OutboxOf(config()).skips_history) {
    for (const OutboxTable& table : tables_)
      positions_[table.name].seen = ReadableSnapshot(now.Get(0, 0));
  }
  if (!ReadNow(now, &stored_)) return Odd();
  positions_saved_ = environment.clock->Monotonic();
  return stored ? absl::OkStatus() : SavePositions(false);
}

// A server whose numbers were given again, or are others.
absl::Status PollSession::CheckPositions(const postgres::Result& now) {
  offset::StoredOffset here;
  if (!ReadNow(now, &here)) return Odd();
  if (!stored_.system_identifier.empty() && stored_.system_identifier != here.system_identifier)
    return Lost(absl::StrCat("it is of server ", stored_.system_identifier, ", this one is ",
                             here.system_identifier));
  if (stored_.timeline && *stored_.timeline != *here.timeline)
    return Lost(absl::StrCat("it is of timeline ", *stored_.timeline, ", the server is on ",
                             *here.timeline,
                             ": after a promotion transactions and ids are given "
                             "the numbers of those that were lost"));
  for (const auto& [table, position] : positions_)
    if (EndOf(position.seen) > EndOf(now.Get(0, 0)))
      return Lost(absl::StrCat("it lies at transaction ", EndOf(position.seen),
                               ", the server is at ", EndOf(now.Get(0, 0))));
  return absl::OkStatus();
}

absl::StatusOr<bool> PollSession::OpenWindow(const OutboxTable& table) {
  TablePosition& at = positions_[table.name];
  if (at.window.empty()) {
    ASSIGN_OR_RETURN(const auto now, Ask(NowSql(), postgres::OneRow(4)));
    if (!ReadNow(now, &stored_)) return Odd();
    if (now.Get(0, 0) == at.seen) return false;
    at.window = ReadableSnapshot(now.Get(0, 0));
    at.last = "-9223372036854775808";
  } else if (ends_.contains(table.name)) {
    return true;
  }
  ASSIGN_OR_RETURN(const auto bounds, Ask({.sql = BoundsSql(table),
                                           .parameters = {at.seen, at.window, at.last},
                                           .answer = postgres::OneRow(3)}));
  if (bounds.Get(0, 0) != "0") {
    int64_t first = 0;
    if (absl::SimpleAtoi(bounds.Get(0, 1), &first)) at.last = absl::StrCat(first - 1);
    ends_[table.name] = std::string(bounds.Get(0, 2));
    return true;
  }
  at = TablePosition{.seen = std::move(at.window)};
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  if (now - positions_saved_ < kSaveIdle) return false;
  RETURN_IF_ERROR(SavePositions(false));
  return false;
}

absl::StatusOr<postgres::Statement> PollSession::ClaimOfWindow(const OutboxTable& table) {
  const TablePosition& at = positions_[table.name];
  return postgres::Statement{
      .sql = WindowSql(table, engine::OutboxOf(config()).where),
      .parameters = {at.seen, at.window, at.last, ends_[table.name], absl::StrCat(batch_rows_)},
      .answer = postgres::Rows(table.free_column() + 1)};
}

absl::Status PollSession::MovePosition(Batch* batch, size_t acknowledged, bool hurries) {
  const bool ended = batch->ends_window && acknowledged == batch->rows;
  if (acknowledged <= batch->marked && !ended) return absl::OkStatus();
  TablePosition& at = positions_[batch->table->name];
  if (ended) {
    at = TablePosition{.seen = std::move(at.window)};
    ends_.erase(batch->table->name);
  } else {
    at.last = batch->keys.front()[acknowledged - 1];
  }
  RETURN_IF_ERROR(SavePositions(hurries));
  done_ += acknowledged - batch->marked;
  parts_.attempt.metrics->outbox_published.Add(acknowledged - batch->marked);
  batch->marked = acknowledged;
  return absl::OkStatus();
}

// Whoever goes on by a slot reads these rows first.
void PollSession::TellPositions() {
  if (!positions()) return;
  for (const OutboxTable& table : tables_) {
    log::Info("position of the outbox table",
              {{"table", table.name}, {"rest", RestCondition(table, positions_[table.name])}});
  }
}

absl::Status PollSession::SavePositions(bool hurries) {
  engine::Host& world = *parts_.attempt.world;
  while (committing_ != nullptr && sink_->transactions()->undecided())
    RETURN_IF_ERROR(duties_->TurnAndWait(-1, kTurn, engine::WaitReason::kDelivery));
  stored_.members[event::kOutboxMember] = EncodePositions(positions_);
  RETURN_IF_ERROR(store_->StartSave(stored_));
  while (true) {
    if (const std::optional<absl::Status> saved = store_->PollSave()) {
      RETURN_IF_ERROR(*saved);
      break;
    }
    if (hurries) {
      world.poller().WaitReadable({store_->ready_fd()}, kTurn);
    } else {
      RETURN_IF_ERROR(
          duties_->TurnAndWait(store_->ready_fd(), kTurn, engine::WaitReason::kOffsetStore));
      RETURN_IF_ERROR(Verify());
    }
  }
  positions_saved_ = world.clock().Monotonic();
  return committing_ == nullptr || hurries ? absl::OkStatus() : duties_->Turn();
}

}  // namespace walduct::poll
