// PollSession: who polls a table, or which share of its keys.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "outbox/options.h"
#include "poll/session/poll_locks.h"
#include "poll/session/poll_session.h"
#include "postgres/sender_timeout.h"

namespace walduct::poll {
namespace {

// Without an order rows are shared out by another hash: the count is another one.
constexpr int64_t kUnordered = 50;
constexpr absl::Duration kOwnerPause = absl::Seconds(2);

constexpr absl::string_view kLocksHeld = R"(
SELECT count(*) FROM pg_catalog.pg_locks
WHERE locktype = 'advisory' AND granted AND pid = pg_catalog.pg_backend_pid())";

int32_t LockKey(const OutboxTable& table) {
  return static_cast<int32_t>(ToInteger(table.relation));
}

int64_t CountClass(const outbox::OutboxOptions& options) {
  return kCountClass + options.workers + (options.keeps_order ? 0 : kUnordered);
}

// One alone has the table; of several each its share, and all of them know how many they are.
// kind: "" of the session, "_xact" of the transaction; they exclude one another.
std::string LockSql(const OutboxTable& table, const outbox::OutboxOptions& options,
                    absl::string_view kind) {
  const int32_t key = LockKey(table);
  const auto lock = [&](absl::string_view how, int64_t of) {
    return absl::StrCat("pg_try_advisory", kind, "_lock", how, "(", of, ", ", key, ")");
  };
  if (options.workers == 1) return lock("", kLockClass);
  return absl::StrCat(lock("_shared", kLockClass), " AND ", lock("_shared", CountClass(options)),
                      " AND ", lock("", kShareClass + options.worker));
}

// Sessions that share the tables out among another number of workers, or otherwise. Of two that
// begin at once each sees the other, and both wait.
std::string OthersSql(const std::vector<OutboxTable>& tables, int64_t ours) {
  return absl::StrCat(
      "SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND "
      "database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = "
      "pg_catalog.current_database()) AND classid::bigint > ",
      kCountClass, " AND classid::bigint < ", kShareClass, " AND classid::bigint <> ", ours,
      " AND objid::bigint IN (",
      absl::StrJoin(tables, ", ",
                    [](std::string* out, const OutboxTable& table) {
                      absl::StrAppend(out, ToInteger(table.relation));
                    }),
      ")");
}

}  // namespace

std::string PollSession::WhereOf(const OutboxTable& table) const {
  const outbox::OutboxOptions& options = engine::OutboxOf(config());
  if (options.workers == 1) return options.where;
  const std::string share = table.ShareCondition(options.workers, options.worker);
  return options.where.empty() ? share : absl::StrCat(share, " AND (", options.where, ")");
}

// Of a worker that shares connectors: the server ends the session that has the locks when it has
// said nothing for so long, whatever keeps its socket open. The next owner has them then.
absl::Status PollSession::BoundSilence() {
  const int64_t most = absl::ToInt64Milliseconds(postgres::AskedSenderTimeout());
  if (most == 0) return absl::OkStatus();
  spoke_ = parts_.attempt.world->clock().Monotonic();
  const bool in_transaction = owner_ != nullptr;
  const std::string sql =
      absl::StrCat("SELECT pg_catalog.set_config('",
                   in_transaction ? "idle_in_transaction_session_timeout" : "idle_session_timeout",
                   "', '", most, "', ", in_transaction ? "true)" : "false)");
  return AskOn(Owner(), {sql, {}, postgres::OneRow(1)}).status();
}

absl::Status PollSession::Speak(bool hurries) {
  const absl::Duration most = postgres::AskedSenderTimeout();
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  if (most == absl::ZeroDuration() || speaks_ || now - spoke_ < most / 3) return absl::OkStatus();
  // It is not silent while it is asked.
  if (!hurries && owner_ == nullptr && asked_ != Asked::kNothing) return absl::OkStatus();
  spoke_ = now;
  speaks_ = true;
  const absl::Cleanup spoken = [this] { speaks_ = false; };
  return VerifyLocks(hurries);
}

// A server that does not answer in time may end the session as it is told to: nothing more is sent.
void PollSession::DoubtSilence() {
  const absl::Duration silent = parts_.attempt.world->clock().Monotonic() - spoke_;
  if (speaks_ && silent > postgres::AskedSenderTimeout() / 2) duties_->Doubt();
}

absl::StatusOr<bool> PollSession::Own() {
  const outbox::OutboxOptions& options = engine::OutboxOf(config());
  const absl::string_view kind = owner_ == nullptr ? "" : "_xact";
  // It stays open: the server's session is not shared meanwhile. It has no number and keeps no
  // snapshot between its statements, so that it holds no vacuum up.
  constexpr char kBegin[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
  if (owner_ != nullptr) RETURN_IF_ERROR(AskOn(*owner_, {kBegin, {}, std::nullopt}).status());
  RETURN_IF_ERROR(BoundSilence());
  std::string sql = "SELECT ";
  absl::StrAppend(&sql, absl::StrJoin(tables_, " AND ", [&](std::string* out, const auto& table) {
    absl::StrAppend(out, LockSql(table, options, kind));
  }));
  ASSIGN_OR_RETURN(const auto owned, AskOn(Owner(), {sql, {}, postgres::OneRow(1)}));
  if (owned.Get(0, 0) == "t") {
    if (options.workers == 1) return true;
    ASSIGN_OR_RETURN(const auto others,
                     Ask(OthersSql(tables_, CountClass(options)), postgres::OneRow(1)));
    if (others.Get(0, 0) == "0") return true;
  }
  const char* const release = owner_ == nullptr ? "SELECT pg_advisory_unlock_all()" : "ROLLBACK";
  RETURN_IF_ERROR(AskOn(Owner(), {release, {}, std::nullopt}).status());
  return false;
}

absl::Status PollSession::AwaitOwnership() {
  bool told = false;
  while (!duties_->interrupted()) {
    ASSIGN_OR_RETURN(const bool owned, Own());
    if (owned) {
      duties_->BeginOwning();
      return absl::OkStatus();
    }
    if (!std::exchange(told, true)) {
      parts_.attempt.board->Show(engine::ConnectorState::kRunning, engine::Activity::kPreparing);
      parts_.attempt.metrics->backlog.Forget();
      parts_.attempt.metrics->outbox_server.Forget();
      log::Info("another worker polls the outbox tables: waiting to take over");
    }
    // Of two that see one another one comes first the next time.
    const double share =
        0.5 + static_cast<double>(parts_.attempt.world->Random() >> 32) / (2ULL << 32);
    RETURN_IF_ERROR(
        duties_->TurnAndWait(-1, kOwnerPause * share, engine::WaitReason::kOtherPoller));
  }
  return absl::OkStatus();
}

// The server ends the session of a machine that is gone, and another worker goes on from there.
absl::Status PollSession::Verify() {
  if (!duties_->doubts()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto locks, AskOn(Owner(), LocksHeld()));
  RETURN_IF_ERROR(CheckLocksHeld(locks));
  duties_->Believe();
  return absl::OkStatus();
}

absl::Status PollSession::VerifyLocks(bool hurries) {
  ASSIGN_OR_RETURN(const auto locks, AskHurried(Owner(), LocksHeld(), hurries));
  return CheckLocksHeld(locks);
}

postgres::Statement PollSession::LocksHeld() {
  return {std::string(kLocksHeld), {}, postgres::OneRow(1)};
}

absl::Status PollSession::CheckLocksHeld(const postgres::Result& answer) const {
  if (NumberAt(answer, 0) >= tables_.size()) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "poll_taken_over",
               "this process stood still, and meanwhile its session has lost the locks that say "
               "who polls the outbox tables; what it had not delivered is dropped",
               "nothing: it waits until it may take over again");
}

}  // namespace walduct::poll
