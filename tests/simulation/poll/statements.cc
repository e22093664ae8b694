#include "tests/simulation/poll/statements.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/error.h"
#include "poll/position/position_sql.h"
#include "tests/simulation/poll/answers.h"
#include "tests/simulation/poll/table.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {
namespace {

constexpr absl::Duration kLockWait = absl::Milliseconds(20);
// As room poll has them.
constexpr int64_t kCountClass = 0x77616c64 + 100, kShareClass = 0x77616c64 + 200;

absl::Status Ended() {
  return Error(absl::StatusCode::kUnavailable, "connection_lost", "the server has ended it");
}

bool IsPosition(const World& world) { return world.policy.done == Done::kPosition; }

}  // namespace

Statements::Statements(World* world)
    : world_(*world),
      table_(MakeTable(*world)),
      open_(table_.layout.open),
      ready_(table_.layout.ready),
      blocks_(table_.layout.blocks),
      parked_(table_.layout.parked) {
  Learn();
}

// By their texts, whoever shares the keys out.
void Statements::Learn() {
  using postgres::Statement;
  const auto learn = [this](std::string sql, Handler handler) {
    handlers_.emplace(std::move(sql), std::move(handler));
  };
  if (IsPosition(world_)) return LearnPosition();
  const int64_t workers = static_cast<int64_t>(world_.policy.workers);
  for (int64_t worker = 0; worker < workers; ++worker) {
    const std::string where = workers == 1 ? "" : table_.ShareCondition(workers, worker);
    using Beside = poll::ClaimForm::Beside;
    for (const bool waits : {false, true})
      for (const Beside beside : {Beside::kNothing, Beside::kKeys, Beside::kRange})
        for (const bool from : {false, true}) {
          const poll::ClaimForm form{.waits = waits, .beside = beside, .from = from};
          learn(table_.ClaimSql(where, form), [=, this](Session*, const Statement& statement) {
            return Claim(statement, {workers, worker, form});
          });
        }
    for (const bool ranged : {false, true})
      learn(table_.LowWaterSql(where, ranged), [=, this](Session*, const Statement& statement) {
        return LowWater(statement, workers, worker, ranged);
      });
    learn(table_.BacklogSql(where), [this](Session*, const Statement&) { return Backlog(); });
  }
  for (const auto chosen : {poll::OutboxTable::Chosen::kKeys, poll::OutboxTable::Chosen::kRange}) {
    const bool range = chosen == poll::OutboxTable::Chosen::kRange;
    learn(table_.Done(chosen).sql,
          [=, this](Session*, const Statement& statement) { return MarkDone(statement, range); });
    learn(table_.StillOpenSql(chosen),
          [=, this](Session*, const Statement& statement) { return StillOpen(statement, range); });
  }
  if (table_.counts_attempts())
    learn(table_.FailedSql(world_.policy.max_attempts),
          [this](Session*, const Statement& statement) { return Failed(statement); });
}

void Statements::LearnPosition() {
  using postgres::Statement;
  handlers_[poll::NowSql()] = [this](Session*, const Statement&) { return Now(); };
  for (const bool hastens : {false, true}) {
    handlers_[poll::FlushedSql(hastens)] = [this, hastens](Session*, const Statement&) {
      Answer answer =
          TextRow({world_.server.flushed().ToString(), hastens ? Text("1") : std::nullopt});
      if (hastens) world_.server.HastenFlush();
      return answer;
    };
  }
  handlers_[poll::BoundsSql(table_)] = [this](Session*, const Statement& statement) {
    return Bounds(statement);
  };
  handlers_[poll::WindowSql(table_, "")] = [this](Session*, const Statement& statement) {
    return Window(statement);
  };
  handlers_[poll::BehindSql(table_, "")] = [this](Session*, const Statement&) { return Backlog(); };
}

absl::StatusOr<SessionPtr> Statements::Open() {
  if (world_.server.down() || world_.Happens(Fault::kRefuses))
    return Error(absl::StatusCode::kUnavailable, "connection_refused", "the server is away");
  auto session = std::make_shared<Session>();
  session->fd = world_.time.NewDescriptor();
  sessions_.push_back(session);
  return session;
}

void Statements::Send(const SessionPtr& session, const postgres::Statement& statement) {
  session->answer.reset();
  world_.time.SetReadable(session->fd, session->notified || !session->told.ok());
  if (session->ended) return;
  session->executing = true;
  const absl::Duration takes = world_.Happens(Fault::kSlow)
                                   ? world_.random.UpTo(absl::Seconds(5))
                                   : world_.random.UpTo(absl::Milliseconds(20));
  world_.time.After(takes, [this, session, statement, number = ++session->number] {
    Execute(session, statement, number);
  });
}

void Statements::Execute(const SessionPtr& session, const postgres::Statement& statement,
                         uint64_t number) {
  if (session->ended) return;
  std::optional<Answer> answer;
  const bool cancelled = number != session->number;
  if (cancelled) {
    answer = Error(absl::StatusCode::kCancelled, "query_canceled", "cancelled");
  } else {
    answer = Run(session.get(), statement);
  }
  if (!answer) {
    world_.time.After(kLockWait,
                      [this, session, statement, number] { Execute(session, statement, number); });
    return;
  }
  session->executing = false;
  if (session->closed) return End(session, absl::ZeroDuration(), absl::ZeroDuration());
  // What was done may be all that there is to it.
  if (world_.Happens(Fault::kDisconnect))
    return End(session, world_.random.UpTo(absl::Milliseconds(50)), kTakeover);
  auto kept = std::make_shared<Answer>(*std::move(answer));
  world_.time.After(world_.random.UpTo(absl::Milliseconds(20)), [this, session, kept, number] {
    if (session->ended || session->closed || number < session->number) return;
    session->answer = std::move(*kept);
    world_.time.SetReadable(session->fd, true);
  });
}

std::optional<Statements::Answer> Statements::Run(Session* session,
                                                  const postgres::Statement& statement) {
  const std::string& sql = statement.sql;
  const auto known = handlers_.find(sql);
  if (known != handlers_.end()) return known->second(session, statement);
  if (absl::StrContains(sql, "pg_try_advisory")) return Locks(session, sql);
  if (absl::StrContains(sql, "pid = pg_catalog.pg_backend_pid()")) {
    const auto held = std::count_if(locks_.begin(), locks_.end(),
                                    [&](const Lock& lock) { return lock.holder.get() == session; });
    return TextRow({absl::StrCat(held)});
  }
  if (absl::StrContains(sql, "classid::bigint <> ")) return Others(sql);
  if (sql == "SELECT pg_notification_queue_usage()") return TextRow({"0"});
  if (absl::StrContains(sql, "pg_stat_get_dead_tuples"))
    return TextRow({"0", {}, {}, {}, {}, {}, {}, {}});
  if (absl::StartsWith(sql, "LISTEN ")) {
    session->listens = true;
  } else if (absl::StartsWith(sql, "BEGIN ")) {
    session->in_transaction = true;
  } else {
    CHECK(sql == "ROLLBACK" || sql == "SELECT pg_advisory_unlock_all()");
    session->in_transaction = false;
    Release(session);
  }
  return TextRow({""});
}

// As an AND evaluates them: what was locked before one that cannot be stays so.
Statements::Answer Statements::Locks(Session* session, const std::string& sql) {
  for (absl::string_view one : absl::StrSplit(absl::StripPrefix(sql, "SELECT "), " AND ")) {
    CHECK(absl::ConsumePrefix(&one, "pg_try_advisory"));
    CHECK(absl::ConsumePrefix(&one, "_xact") == session->in_transaction);
    CHECK(absl::ConsumePrefix(&one, "_lock"));
    const bool shared = absl::ConsumePrefix(&one, "_shared");
    CHECK(absl::ConsumePrefix(&one, "("));
    int64_t of = 0;
    CHECK(absl::SimpleAtoi(one.substr(0, one.find(',')), &of));
    const bool taken = std::any_of(locks_.begin(), locks_.end(), [&](const Lock& lock) {
      return lock.of == of && lock.holder.get() != session && !(shared && lock.shared);
    });
    if (taken && world_.defect != Defect::kTwoOwners) return TextRow({"f"});
    const auto holder = std::find_if(sessions_.begin(), sessions_.end(),
                                     [&](const SessionPtr& each) { return each.get() == session; });
    CHECK(holder != sessions_.end());
    locks_.push_back({.holder = *holder, .of = of, .shared = shared});
  }
  return TextRow({"t"});
}

Statements::Answer Statements::Others(const std::string& sql) const {
  int64_t ours = 0;
  absl::string_view rest = sql;
  rest.remove_prefix(rest.find("classid::bigint <> ") + 19);
  CHECK(absl::SimpleAtoi(rest.substr(0, rest.find(' ')), &ours));
  const auto others = std::count_if(locks_.begin(), locks_.end(), [&](const Lock& lock) {
    return lock.of > kCountClass && lock.of < kShareClass && lock.of != ours;
  });
  return TextRow({absl::StrCat(others)});
}

void Statements::Cancel(const SessionPtr& session) {
  // The server may have begun it, and it may have ended.
  if (session->executing) ++session->number;
}

void Statements::Close(const SessionPtr& session) {
  session->closed = true;
  if (!session->executing) End(session, absl::ZeroDuration(), absl::ZeroDuration());
}

void Statements::Abandon(const SessionPtr& session) {
  session->closed = true;
  world_.time.After(world_.random.UpTo(absl::Seconds(2)),
                    [this, session] { End(session, absl::ZeroDuration(), absl::ZeroDuration()); });
}

void Statements::DisconnectSome() {
  const std::vector<SessionPtr> all = sessions_;
  for (const SessionPtr& session : all) {
    if (!session->closed && world_.Happens(Fault::kDisconnect))
      End(session, world_.random.UpTo(absl::Milliseconds(50)), kTakeover);
  }
}

void Statements::EndAll() {
  const std::vector<SessionPtr> all = sessions_;
  for (const SessionPtr& session : all)
    End(session, world_.random.UpTo(absl::Milliseconds(50)), absl::ZeroDuration());
}

// free_after: what somebody has locked with it.
void Statements::End(const SessionPtr& session, absl::Duration told_after,
                     absl::Duration free_after) {
  if (std::exchange(session->ended, true)) return;
  std::erase(sessions_, session);
  world_.ledger.OnIncident();
  if (free_after > absl::ZeroDuration()) {
    world_.Note("the server ends a session");
    world_.time.After(free_after, [this, session] { Release(session.get()); });
  } else {
    Release(session.get());
  }
  if (session->closed) return;
  world_.time.After(told_after, [this, session] {
    session->told = Ended();
    world_.time.SetReadable(session->fd, true);
  });
}

void Statements::Notify() {
  for (const SessionPtr& session : sessions_) {
    if (!session->listens || session->closed || world_.Happens(Fault::kNotifyLost)) continue;
    session->notified = true;
    world_.time.SetReadable(session->fd, true);
  }
}

}  // namespace walduct::poll_simulation
