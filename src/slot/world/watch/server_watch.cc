#include "slot/world/watch/server_watch.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/amount_text.h"
#include "base/code_pages.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/named_hint.h"
#include "postgres/open_session.h"
#include "replication/session_names.h"
#include "replication/watched_slot.h"
#include "slot/world/capture/capture_watch.h"
#include "slot/world/watch/slot_show.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kFirstLook = absl::Seconds(3);
constexpr absl::Duration kAgain = absl::Milliseconds(1500);
// What was seen for the first time counts if it is there still.
constexpr absl::Duration kSoon = absl::Seconds(4);
constexpr absl::Duration kBetweenTries = absl::Milliseconds(150);
constexpr int kTries = 4;
constexpr absl::Duration kRepeat = absl::Seconds(30);
constexpr absl::Duration kTimeout = absl::Seconds(5);
// A transaction that keeps WAL for the slot is worth a line when it is old and so much is kept.
constexpr absl::Duration kOldTransaction = absl::Minutes(10);
constexpr uint64_t kMuchKept = uint64_t{1} << 30;
constexpr absl::Duration kRepeatTransaction = absl::Minutes(10);

// What runs beside the stream, on a session of its own.
struct BesideSession {
  metrics::Beside what;
  absl::string_view session, who;
};
constexpr BesideSession kBeside[] = {
    {metrics::Beside::kIncrementalSnapshot, " chunks", "an incremental snapshot is "},
    {metrics::Beside::kHeartbeatAction, " heartbeat", "heartbeat.action.query is "},
};

// Our sessions that wait for a lock, and the first of those in the way: of those that the stream
// needs one (0), and one of each that runs beside it (its place in kBeside, from 1 on). Takes no
// lock on a table.
constexpr absl::string_view kLocks = R"(
SELECT DISTINCT ON (c.kind) CASE WHEN l.relation IS NULL THEN 'the end of a transaction'
            ELSE pg_catalog.concat('a lock on table ', l.relation::pg_catalog.regclass) END,
  b.pid, b.application_name, b.state,
  pg_catalog.date_trunc('second', pg_catalog.clock_timestamp() - b.xact_start),
  pg_catalog.left(pg_catalog.regexp_replace(b.query, '\s+', ' ', 'g'), 120), c.kind, b.usename,
  CURRENT_USER
FROM pg_catalog.pg_stat_activity w
JOIN pg_catalog.pg_locks l ON l.pid = w.pid AND NOT l.granted
CROSS JOIN LATERAL (SELECT x.pid FROM pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) x(pid)
                    LIMIT 1) f
JOIN pg_catalog.pg_stat_activity b ON b.pid = f.pid
CROSS JOIN LATERAL (SELECT CASE WHEN w.application_name = ANY ($1::pg_catalog.text[]) THEN 0
                                WHEN w.application_name = ANY ($2::pg_catalog.text[]) THEN 1
                                ELSE 2 END AS kind) c
WHERE w.datname = pg_catalog.current_database()
  AND (w.application_name = ANY ($1::pg_catalog.text[])
       OR w.application_name = ANY ($2::pg_catalog.text[])
       OR w.application_name = ANY ($3::pg_catalog.text[]))
ORDER BY c.kind, w.pid)";

constexpr absl::string_view kAnyWaits =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE NOT l.granted)";

// The oldest transaction of the server that has written something, of any database, open or
// prepared: until it ends, the server keeps the WAL since its first change for every slot, however
// fast the slot is read (restart_lsn stands while confirmed_flush_lsn moves).
constexpr absl::string_view kOldestWriter = R"(
SELECT t.who, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - t.since)
FROM (
  SELECT pg_catalog.format('pid %s (database %s, role %s, application "%s", %s)', a.pid, a.datname,
                           a.usename, a.application_name, a.state), a.xact_start
  FROM pg_catalog.pg_stat_activity a
  WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_catalog.pg_backend_pid()
  UNION ALL
  SELECT pg_catalog.format('prepared transaction %L (database %s, role %s)', p.gid, p.database,
                           p.owner), p.prepared
  FROM pg_catalog.pg_prepared_xacts p
) t(who, since)
WHERE t.since IS NOT NULL
ORDER BY t.since LIMIT 1)";

// One query of the statistics, which takes no lock; absent: there is none. Of the sessions of other
// roles the server tells nothing to a role without pg_read_all_stats.
absl::StatusOr<std::optional<metrics::OpenTransaction>> FindOldestTransaction(
    postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(2), kOldestWriter));
  double seconds = 0;
  if (result.rows() == 0 || !absl::SimpleAtod(result.Get(0, 1), &seconds)) return std::nullopt;
  return metrics::OpenTransaction{.who = std::string(result.Get(0, 0)),
                                  .age = absl::Seconds(seconds)};
}

std::string Quoted(absl::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return absl::StrCat("\"", quoted, "\"");
}

// Sessions that are called base and one of these, as the server shows them, as an array of SQL.
std::string SessionNames(const std::string& base, const std::vector<absl::string_view>& all) {
  std::vector<std::string> names;
  for (const absl::string_view what : all)
    for (const std::string& shown : replication::ShownNames(absl::StrCat(base, what)))
      names.push_back(Quoted(shown));
  return absl::StrCat("{", absl::StrJoin(names, ","), "}");
}

std::string DescribeLock(const postgres::Result& result, int row) {
  const auto text = [&](int column) { return result.Get(row, column); };
  const std::string holder =
      absl::StrCat(text(0), ", held up by pid ", text(1), " (application \"", text(2), "\"");
  const std::string role = result.is_null(row, 7) ? "" : absl::StrCat(", role ", text(7));
  // Of another role's session the server shows no more.
  if (result.is_null(row, 3))
    return absl::StrCat(holder, role, "); what it does is shown after GRANT pg_read_all_stats TO ",
                        postgres::QuoteIdentifier(text(8)));
  return absl::StrCat(holder, ", ", text(3), ", in its transaction for ", text(4), role,
                      "): ", text(5));
}

std::unique_ptr<WatchSessions::Member> SessionsOf(const ServerWatch::Options& watch) {
  postgres::ConnectionOptions options = watch.connection;
  options.application_name += " watch";
  options.database.connect_timeout = std::min(options.database.connect_timeout, kTimeout);
  options.database.query_timeout = kTimeout;
  options.database.initial_statements.clear();
  const auto all = watch.sessions != nullptr ? watch.sessions : std::make_shared<WatchSessions>();
  std::string place = postgres::PlaceOf(options.database);
  Clock& clock = *options.environment.clock;
  const auto open = [options = std::move(options)](postgres::StopCheck stopping) {
    postgres::ConnectionOptions own = options;
    own.stopping = std::move(stopping);
    return postgres::Connection::Open(std::move(own));
  };
  return all->Join(std::move(place), open, clock);
}

}  // namespace

ServerWatch::ServerWatch(Options options)
    : options_(std::move(options)),
      sessions_(SessionsOf(options_)),
      thread_(mutex_, [this] { Loop(); }) {}

ServerView ServerWatch::view() const {
  const MutexLock lock(mutex_);
  return view_;
}

void ServerWatch::LookWith(std::shared_ptr<CaptureWatch> capture) {
  {
    const MutexLock lock(mutex_);
    capture_ = std::move(capture);
  }
  // Many that begin at once have all been looked at by their starts.
  if (sessions_->shared() == nullptr) Hurry();
}

void ServerWatch::Hurry() {
  {
    const MutexLock lock(mutex_);
    hurry_ = true;
  }
  thread_.Notify();
}

void ServerWatch::AskForGone(std::vector<replication::ToldRelation> relations) {
  {
    const MutexLock lock(mutex_);
    asked_ = std::move(relations);
    hurry_ = true;
    gone_.reset();
  }
  thread_.Notify();
}

std::optional<replication::GoneRelations> ServerWatch::TakeGone() {
  const MutexLock lock(mutex_);
  return std::exchange(gone_, std::nullopt);
}

void ServerWatch::Loop() {
  log::SetConnector(options_.names.connector);
  const absl::Duration interval = options_.interval;
  for (bool goes_on = AwaitLook(std::min(kFirstLook, interval)); goes_on;
       goes_on = AwaitLook(WantsLookSoon() ? std::min(kSoon, interval) : interval)) {
    const absl::Status status = Look();
    const bool refused = ErrorReason(status) == "server_starting";
    if (!status.ok())
      log::Debug("cannot look at the server", {{"error", std::string(status.message())}});
    ReleaseCodePagesAgain(options_.connection.environment.clock->Monotonic());  // of its login
    const MutexLock lock(mutex_);
    view_.shutting_down = refused;
  }
  // Nobody would tell of their end.
  if (options_.metrics == nullptr) return;
  for (const BesideSession& one : kBeside) options_.metrics->beside.WaitsNoMore(one.what);
}

bool ServerWatch::AwaitLook(absl::Duration duration) {
  MutexLock lock(mutex_);
  const bool goes_on = thread_.AwaitFor(lock, duration, [this] {
    mutex_.AssertHeld();
    return hurry_;
  });
  hurry_ = false;
  return goes_on;
}

absl::Status ServerWatch::Look() {
  const auto session = sessions_->Take([this] { return thread_.stopping(); });
  const absl::Status looked = session.ok() ? LookAtServer(**session) : session.status();
  if (thread_.stopping()) return looked;
  slot_trouble_.Saw(looked, options_.names, *options_.connection.environment.clock,
                    options_.metrics);
  const std::shared_ptr<CaptureWatch> capture = Capture();
  if (!looked.ok()) {
    if (capture != nullptr) capture->Tried(looked);
    sessions_->Return(false);
    return looked;
  }
  const absl::Status more = LookAtMore(**session, capture.get());
  sessions_->Return(more.ok());
  return more;
}

absl::Status ServerWatch::LookAtMore(postgres::Connection& connection, CaptureWatch* capture) {
  if (const absl::Status gone = LookForGone(connection); !gone.ok()) {
    if (capture != nullptr) capture->Tried(gone);
    return gone;
  }
  if (capture == nullptr) return absl::OkStatus();
  return capture->Look(connection, [this] { return thread_.stopping(); });
}

absl::Status ServerWatch::LookAtServer(postgres::Connection& connection) {
  ServerView next;
  RETURN_IF_ERROR(LookAtSlot(connection, &next));
  RETURN_IF_ERROR(LookAtTransactions(connection, &next));
  WarnOfOldTransaction(next);
  Locks locks;
  ASSIGN_OR_RETURN(const bool nobody_waits, NobodyWaits(connection));
  if (!nobody_waits) {
    ASSIGN_OR_RETURN(locks, LookAtLocks(connection, stream_lock_.text.empty() ? 1 : kTries));
  }
  // Most locks are gone in a moment.
  if (IsNew(locks)) {
    if (!thread_.Pause(kAgain)) return absl::OkStatus();
    ASSIGN_OR_RETURN(locks, LookAtLocks(connection, kTries));
  }
  WarnOfLock(locks.stream, "", &stream_lock_);
  for (size_t i = 0; i < locks.beside.size(); ++i) TellOfBeside(i, locks.beside[i]);
  next.lock = std::move(locks.stream);
  next.lock_looked_at = options_.connection.environment.clock->Monotonic();
  const MutexLock lock(mutex_);
  view_ = std::move(next);
  return absl::OkStatus();
}

absl::Status ServerWatch::LookAtTransactions(postgres::Connection& connection, ServerView* next) {
  const std::shared_ptr<SharedLook> shared = sessions_->shared();
  const absl::Duration now = connection.environment().clock->Monotonic();
  if (shared != nullptr) {
    const MutexLock lock(shared->mutex);
    if (now - shared->oldest_at < SharedLook::kFresh) {
      next->oldest_transaction = shared->oldest;
      return absl::OkStatus();
    }
    shared->oldest_at = now;  // nobody else asks meanwhile
  }
  ASSIGN_OR_RETURN(next->oldest_transaction, FindOldestTransaction(connection));
  if (shared == nullptr) return absl::OkStatus();
  const MutexLock lock(shared->mutex);
  shared->oldest = next->oldest_transaction;
  return absl::OkStatus();
}

absl::StatusOr<bool> ServerWatch::NobodyWaits(postgres::Connection& connection) {
  const std::shared_ptr<SharedLook> shared = sessions_->shared();
  if (shared == nullptr) return false;
  const absl::Duration now = connection.environment().clock->Monotonic();
  {
    const MutexLock lock(shared->mutex);
    if (now - shared->none_waits_at < SharedLook::kFresh) return true;
  }
  ASSIGN_OR_RETURN(const postgres::Result result, connection.Query(postgres::OneRow(1), kAnyWaits));
  if (result.Get(0, 0) != "f") return false;
  const MutexLock lock(shared->mutex);
  shared->none_waits_at = now;
  return true;
}

std::shared_ptr<CaptureWatch> ServerWatch::Capture() const {
  const MutexLock lock(mutex_);
  return capture_;
}

bool ServerWatch::WantsLookSoon() const {
  const MutexLock lock(mutex_);
  return capture_ != nullptr && capture_->WantsLookSoon();
}

absl::Status ServerWatch::LookForGone(postgres::Connection& connection) {
  std::vector<replication::ToldRelation> told;
  {
    const MutexLock lock(mutex_);
    told = asked_;
  }
  if (told.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(replication::GoneRelations gone,
                   replication::FindGoneRelations(connection, told));
  const MutexLock lock(mutex_);
  asked_.clear();
  gone_ = std::move(gone);
  return absl::OkStatus();
}

absl::Status ServerWatch::LookAtSlot(postgres::Connection& connection, ServerView* next) {
  ASSIGN_OR_RETURN(const std::vector<replication::WatchedSlot> looks,
                   replication::ReadWatchedSlots(connection, {options_.slot}));
  *next = ViewOf(looks.front(), view(), connection.environment().clock->Monotonic());
  WarnOfSlot(replication::IsEndangered(looks.front()), *next);
  return absl::OkStatus();
}

// More tries: who asks with a lock_timeout does not wait all the time.
absl::StatusOr<ServerWatch::Locks> ServerWatch::LookAtLocks(postgres::Connection& connection,
                                                            int tries) {
  const std::string& base = options_.connection.application_name;
  const std::string stream = SessionNames(base, {"", " stream", " snapshot", " outbox"});
  const std::string chunks = SessionNames(base, {kBeside[0].session});
  const std::string heartbeat = SessionNames(base, {kBeside[1].session});
  while (true) {
    ASSIGN_OR_RETURN(const postgres::Result result,
                     connection.Query(postgres::Rows(9), kLocks, {stream, chunks, heartbeat}));
    Locks locks;
    for (int row = 0; row < result.rows(); ++row) {
      size_t kind = 0;
      if (!absl::SimpleAtoi(result.Get(row, 6), &kind) || kind > locks.beside.size()) continue;
      std::string text = DescribeLock(result, row);
      if (kind == 0)
        locks.stream = std::move(text);
      else
        locks.beside[kind - 1] = {.text = std::move(text),
                                  .holder = std::string(result.Get(row, 1))};
    }
    if (!locks.stream.empty() || --tries <= 0 || !thread_.Pause(kBetweenTries)) return locks;
  }
}

bool ServerWatch::IsNew(const Locks& locks) const {
  bool is_new = !locks.stream.empty() && stream_lock_.text.empty();
  for (size_t i = 0; i < locks.beside.size(); ++i)
    is_new |= !locks.beside[i].text.empty() && beside_locks_[i].text.empty();
  return is_new;
}

void ServerWatch::WarnOfLock(const std::string& lock, absl::string_view who, SaidLock* said) {
  const absl::Duration now = options_.connection.environment.clock->Monotonic();
  if (lock.empty() || (!said->text.empty() && now - said->at < kRepeat)) {
    if (lock.empty() && !std::exchange(said->text, "").empty())
      log::Info(absl::StrCat(who, "no longer waiting for a lock"));
    return;
  }
  *said = {.text = lock, .at = now};
  log::Warn(absl::StrCat(who, "waiting for ", lock), {{"hint", engine::LockHint(lock)}});
}

// Publishing goes on, so that no lag tells of it.
void ServerWatch::TellOfBeside(size_t place, const BesideLock& lock) {
  static_assert(std::size(kBeside) == kBesideSessions);
  SaidLock& said = beside_locks_[place];
  const bool waited = !said.text.empty();
  WarnOfLock(lock.text, kBeside[place].who, &said);
  if (options_.metrics == nullptr || (lock.text.empty() && !waited)) return;
  const metrics::Beside what = kBeside[place].what;
  metrics::BesideBoard& beside = options_.metrics->beside;
  // It is told for how long each holds it up.
  if (std::exchange(beside_holders_[place], lock.holder) != lock.holder) beside.WaitsNoMore(what);
  if (lock.text.empty()) return beside.WaitsNoMore(what);
  beside.Waits(what, options_.connection.environment.clock->Now(),
               absl::StrCat("waits for ", lock.text), engine::LockHint(lock.text));
}

// While something can still be done about it.
void ServerWatch::WarnOfSlot(bool endangered, const ServerView& next) {
  const std::string& wal_status = next.wal_status;
  if (!endangered) {
    wal_status_.clear();
    return;
  }
  const absl::Duration now = options_.connection.environment.clock->Monotonic();
  if (wal_status == wal_status_ && now - slot_said_ < kRepeat) return;
  wal_status_ = wal_status;
  slot_said_ = now;
  log::Warn("the replication slot is about to be lost: it keeps more WAL than the server allows",
            {{"slot", options_.slot},
             {"wal_status", wal_status},
             {"safe_wal_size", BytesText(next.safe_bytes)},
             {"retained_wal", BytesText(next.retained_bytes)},
             {"growth_per_s", absl::StrCat(next.growth_per_second)},
             {"hint",
              "fix what holds the connector up, or raise max_slot_wal_keep_size: ALTER "
              "SYSTEM SET max_slot_wal_keep_size = …; SELECT pg_reload_conf()"}});
}

// The slot is read in time, and its WAL grows all the same.
void ServerWatch::WarnOfOldTransaction(const ServerView& next) {
  const std::optional<metrics::OpenTransaction>& oldest = next.oldest_transaction;
  if (!oldest || oldest->age < kOldTransaction || next.retained_bytes < kMuchKept) return;
  const absl::Duration now = options_.connection.environment.clock->Monotonic();
  if (transaction_said_ && now - *transaction_said_ < kRepeatTransaction) return;
  transaction_said_ = now;
  log::Warn("an open transaction makes the server keep WAL for the slot",
            {{"transaction", oldest->who},
             {"open_for", absl::FormatDuration(absl::Trunc(oldest->age, absl::Seconds(1)))},
             {"retained_wal", BytesText(next.retained_bytes)},
             {"hint", engine::WithProcess("end it: COMMIT, ROLLBACK, ROLLBACK PREPARED, or SELECT "
                                          "pg_terminate_backend(PID)",
                                          oldest->who)}});
}

}  // namespace walduct::slot
