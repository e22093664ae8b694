#include "postgres/connection.h"

#include <libpq-fe.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/cancel_request.h"
#include "postgres/client_environment.h"
#include "postgres/connection_options.h"
#include "postgres/connection_parameters.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/guards/login_guard.h"
#include "postgres/guards/row_guard.h"
#include "postgres/host_checks.h"
#include "postgres/shared_session.h"

namespace walduct::postgres {
namespace {

constexpr absl::Duration kDefaultConnectTimeout = absl::Seconds(30);
constexpr absl::string_view kNoAnswer = "postgres_unreachable";
constexpr absl::Duration kLongestWait = absl::Seconds(1);
// How long a cancelled statement may take to end before the session is given up.
constexpr absl::Duration kCancelTimeout = absl::Seconds(5);
constexpr absl::Duration kAskAgain = absl::Milliseconds(200);
// The same once everything is to end.
constexpr absl::Duration kStoppedTimeout = absl::Seconds(1);
// How long a statement may run on after a stop: most answer within it.
constexpr absl::Duration kStopPatience = absl::Seconds(1);

absl::string_view Field(const pg_result* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? absl::string_view() : absl::string_view(text);
}

// How soon a stop is noticed while the server is silent.
constexpr absl::Duration kStopPoll = absl::Milliseconds(200);

// What comes in pieces.
constexpr absl::Duration kRestOfMessage = absl::Milliseconds(10);
// An answer is a part of the catalog; a larger one is not what was asked for.
constexpr uint64_t kMostAnswerBytes = 64u << 20;

// Of an answer of which more has come than libpq reads at once.
constexpr int kReadsAtOnce = 64;
bool HasMore(pg_conn* connection) {
  int bytes = 0;
  return PQisBusy(connection) != 0 && ioctl(PQsocket(connection), FIONREAD, &bytes) == 0 &&
         bytes > 0;
}

absl::Status TooLarge() {
  return Error(absl::StatusCode::kFailedPrecondition, "answer_too_large",
               absl::StrCat("the server's answer to a question about its catalog is larger than ",
                            kMostAnswerBytes >> 20, " MB"),
               "check that database.hostname and database.port lead to a PostgreSQL server");
}

absl::Status TimeoutError(absl::Duration timeout) {
  return Error(absl::StatusCode::kDeadlineExceeded, "query_timeout",
               absl::StrCat("a statement took longer than ", absl::FormatDuration(timeout)),
               "raise database.query.timeout.ms, or look for locks and load on the server");
}

// Those behind the given one; absent: it is the last.
std::optional<DatabaseOptions> HostsAfter(DatabaseOptions database, absl::string_view host,
                                          absl::string_view port) {
  std::vector<std::string> hosts = absl::StrSplit(database.hostname, ',');
  std::vector<std::string> ports = absl::StrSplit(database.port, ',');
  ports.resize(hosts.size(), ports.front());
  size_t next = 0;
  while (next < hosts.size() && !(hosts[next] == host && ports[next] == port)) ++next;
  if (next + 1 >= hosts.size()) return std::nullopt;
  database.hostname =
      absl::StrJoin(hosts.begin() + static_cast<ptrdiff_t>(next) + 1, hosts.end(), ",");
  database.port = absl::StrJoin(ports.begin() + static_cast<ptrdiff_t>(next) + 1, ports.end(), ",");
  return database;
}

absl::Status StoppedError() {
  return Error(absl::StatusCode::kCancelled, "stopped",
               "a statement was cancelled because the connector is stopping");
}

// One that speaks the protocol without being PostgreSQL may answer anything.
absl::Status CheckShape(const Result& answer, Shape shape) {
  if (answer.columns() >= shape.columns && answer.rows() >= shape.rows) return absl::OkStatus();
  const bool narrow = answer.columns() < shape.columns;
  return Error(absl::StatusCode::kDataLoss, "malformed_answer",
               narrow ? absl::StrCat("the server answered a query with ", answer.columns(),
                                     " columns instead of ", shape.columns)
                      : absl::StrCat("the server answered a query with ", answer.rows(),
                                     " rows instead of ", shape.rows),
               "check that database.hostname and database.port lead to a PostgreSQL server");
}

// Without a passphrase OpenSSL would ask for one at the terminal, and wait.
bool NeverAskForPassphrase() {
  PQsetSSLKeyPassHook_OpenSSL(PQdefaultSSLKeyPassHook_OpenSSL);
  return true;
}

void TakeNewPassword(DatabaseOptions* database) {
  if (!database->password_source) return;
  if (std::optional<std::string> password = database->password_source())
    database->password = *std::move(password);
}

// Of a role that is not there the server says that its password is wrong. A password that is read
// from a file may be changed on the server first, or in the file.
absl::Status Explained(const absl::Status& status, const DatabaseOptions& database) {
  const std::string reason = ErrorReason(status);
  if (reason == "too_many_connections") {
    const std::string role = absl::StrCat("ALTER ROLE ", QuoteIdentifier(database.user));
    const std::string of = absl::StrCat("ALTER DATABASE ", QuoteIdentifier(database.dbname));
    return Error(status.code(), reason, status.message(),
                 absl::StrReplaceAll(ErrorHint(status),
                                     {{"ALTER ROLE NAME", role}, {"ALTER DATABASE NAME", of}}));
  }
  if (reason == "address_not_allowed") {
    return Error(status.code(), reason, status.message(),
                 WithHbaLine(ErrorHint(status), status.message(), database.dbname, database.user));
  }
  if (reason != "wrong_password") return status;
  const std::string look = absl::StrCat(
      "; the server says the same of a role that is missing or whose password has expired: SELECT "
      "rolcanlogin, rolvaliduntil FROM pg_roles WHERE rolname = ",
      QuoteLiteral(database.user), " (no row: CREATE ROLE)");
  if (!database.password_source)
    return Error(status.code(), reason, status.message(), absl::StrCat(ErrorHint(status), look));
  const std::string refers =
      database.password_of_environment
          ? absl::StrCat("ALTER ROLE ", QuoteIdentifier(database.user),
                         " PASSWORD '…' to what the environment of this process has, or restart "
                         "the process with the new value: its environment does not change while "
                         "it runs")
          : "check database.user and what database.password refers to, which is read again for "
            "each connection";
  return Error(status.code(), "password_refused", status.message(), absl::StrCat(refers, look));
}

// What a pooler says that takes no `options`: PgBouncer names the parameter, RDS Proxy what it is.
bool RefusesOptions(const absl::Status& status) {
  return ErrorReason(status) == "pooler" && absl::StrContains(status.message(), "option");
}

}  // namespace

Connection::Connection(pg_conn* connection, ConnectionOptions options)
    : connection_(connection),
      options_(std::make_unique<const ConnectionOptions>(std::move(options))) {}

Connection::~Connection() { PQfinish(connection_); }

// libpq hands over as a notice what the server says to a session that asks nothing.
void Connection::OnNotice(void* self, const pg_result* notice) {
  const absl::string_view severity = Field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const absl::string_view message = Field(notice, PG_DIAG_MESSAGE_PRIMARY);
  const absl::string_view sqlstate = Field(notice, PG_DIAG_SQLSTATE);
  if (severity == "FATAL" || severity == "PANIC")
    static_cast<Connection*>(self)->last_words_ =
        StatusFromSqlState(sqlstate, message, Field(notice, PG_DIAG_SOURCE_FUNCTION));
  const log::Fields fields = {{"message", message}, {"sqlstate", sqlstate}};
  if (severity == "WARNING") {
    log::Warn("PostgreSQL notice", fields);
  } else {
    log::Debug("PostgreSQL notice", fields);
  }
}

absl::Status Connection::CheckAlive() {
  if (sent_) return absl::OkStatus();
  const bool readable = PQconsumeInput(connection_) != 0;
  PQisBusy(connection_);  // makes libpq look at what came
  RETURN_IF_ERROR(last_words_);
  const bool there = readable && PQstatus(connection_) == CONNECTION_OK;
  return there ? absl::OkStatus() : StatusFromConnection(connection_);
}

absl::Duration Connection::Remaining(absl::Duration deadline) const {
  return std::min(deadline - environment().clock->Monotonic(), kLongestWait);
}

absl::Duration Connection::DeadlineAfter(absl::Duration timeout) const {
  if (timeout <= absl::ZeroDuration()) return absl::InfiniteDuration();
  return environment().clock->Monotonic() + timeout;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(ConnectionOptions options) {
  static const bool kNeverAsks = NeverAskForPassphrase();
  static_cast<void>(kNeverAsks);
  TakeNewPassword(&options.database);
  const auto parameters = ConnectionParameters(options, HasKerberos());
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword);
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  pg_conn* raw = PQconnectStartParams(keywords.data(), values.data(), 0);
  if (raw == nullptr)
    return Error(absl::StatusCode::kUnavailable, "out_of_memory", "no memory for a connection");
  std::unique_ptr<Connection> connection(new Connection(raw, options));
  const absl::Status established = Explained(connection->Establish(), options.database);
  if (ErrorReason(established) == kNoAnswer) {
    // libpq goes on to the next host by itself after a refusal, but does not know of our timeout.
    std::optional<DatabaseOptions> rest = HostsAfter(options.database, PQhost(raw), PQport(raw));
    if (!rest) return established;
    options.database = *std::move(rest);
    connection.reset();
    return Open(std::move(options));
  }
  if (options.startup_options && RefusesOptions(established)) {
    options.startup_options = false;
    connection.reset();
    return Open(std::move(options));
  }
  RETURN_IF_ERROR(established);
  RETURN_IF_ERROR(connection->PrepareSession());
  return connection;
}

absl::Status Connection::Establish() {
  PQsetNoticeReceiver(connection_, &Connection::OnNotice, this);
  // libpq keeps the SQLSTATE of a refused connection to itself, except in the verbose text (see
  // StatusFromConnection).
  PQsetErrorVerbosity(connection_, PQERRORS_VERBOSE);
  const absl::Duration configured = options_->database.connect_timeout;
  const absl::Duration timeout =
      configured > absl::ZeroDuration() ? configured : kDefaultConnectTimeout;
  const absl::Duration deadline = DeadlineAfter(timeout);
  LoginGuard guard;
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  if (PQstatus(connection_) == CONNECTION_BAD) state = PGRES_POLLING_FAILED;
  while (state != PGRES_POLLING_OK) {
    if (state == PGRES_POLLING_FAILED) return StatusFromConnection(connection_);
    if (options_->stopping && options_->stopping()) return StoppedError();
    const absl::Duration left = Remaining(deadline);
    const absl::Duration remaining = options_->stopping ? std::min(left, kStopPoll) : left;
    if (remaining <= absl::ZeroDuration()) {
      return Error(absl::StatusCode::kUnavailable, kNoAnswer,
                   absl::StrCat("PostgreSQL at ", HostAndPort(host(), port()),
                                " did not answer within ", absl::FormatDuration(timeout)),
                   "check database.hostname, database.port, firewalls, and that the server runs");
    }
    if (state == PGRES_POLLING_READING) {
      environment().poller->WaitReadable({PQsocket(connection_)}, remaining);
    } else {
      environment().poller->WaitWritable(PQsocket(connection_), remaining);
    }
    ASSIGN_OR_RETURN(const bool whole, guard.MayGoOn(connection_));
    if (whole) {
      state = PQconnectPoll(connection_);
    } else {
      environment().poller->WaitReadable({}, std::min(remaining, kRestOfMessage));
    }
  }
  PQsetErrorVerbosity(connection_, PQERRORS_DEFAULT);
  PQsetErrorContextVisibility(connection_, PQSHOW_CONTEXT_NEVER);
  PQsetnonblocking(connection_, 1);
  return absl::OkStatus();
}

absl::StatusOr<Result> Connection::Query(Shape shape, absl::string_view sql) {
  return Query(shape, sql, {});
}

absl::StatusOr<Result> Connection::QueryWithin(absl::Duration timeout, Shape shape,
                                               absl::string_view sql, const StopCheck& stopping) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(sql, {}));
  return Collect(timeout, shape, stopping);
}

absl::Status Connection::Run(absl::string_view sql, const StopCheck& stopping) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(sql, {}));
  return Collect(options_->database.query_timeout, std::nullopt, stopping).status();
}

absl::Status Connection::Run(const Statement& statement) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(statement.sql, statement.parameters));
  return Collect(options_->database.query_timeout, std::nullopt).status();
}

absl::StatusOr<Result> Connection::Query(
    Shape shape, absl::string_view sql, const std::vector<std::optional<std::string>>& parameters) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(sql, parameters));
  return Collect(options_->database.query_timeout, shape);
}

absl::StatusOr<Result> Connection::Query(const Statement& statement) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(statement.sql, statement.parameters));
  return Collect(options_->database.query_timeout, statement.answer);
}

absl::Status Connection::Submit(absl::string_view sql,
                                const std::vector<std::optional<std::string>>& parameters) {
  std::string text(sql);
  std::vector<const char*> values;
  if (shared_ || options_->kind == SessionKind::kReplication) {
    text = WithLiterals(sql, parameters);
    if (PQtransactionStatus(connection_) == PQTRANS_IDLE) text.insert(0, set_in_transaction_);
  } else {
    for (const auto& parameter : parameters)
      values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  const int sent =
      values.empty() ? PQsendQuery(connection_, text.c_str())
                     : PQsendQueryParams(connection_, text.c_str(), static_cast<int>(values.size()),
                                         nullptr, values.data(), nullptr, nullptr, 0);
  return sent == 0 ? StatusFromConnection(connection_) : absl::OkStatus();
}

absl::Status Connection::Send(const Statement& statement) {
  RETURN_IF_ERROR(Discard());
  RETURN_IF_ERROR(Submit(statement.sql, statement.parameters));
  sent_.emplace();
  sent_->shape = statement.answer;
  sent_deadline_ = DeadlineAfter(options_->database.query_timeout);
  sent_at_ = ReceivedBytes(connection_);
  return PQflush(connection_) < 0 ? StatusFromConnection(connection_) : absl::OkStatus();
}

absl::StatusOr<std::optional<Result>> Connection::PollResult() {
  CHECK(sent_.has_value());
  bool broken = PQconsumeInput(connection_) == 0;
  if (!broken) PQflush(connection_);
  for (int read = 1; read < kReadsAtOnce && !broken && HasMore(connection_); ++read)
    broken = PQconsumeInput(connection_) == 0;
  if (ReceivedBytes(connection_) > sent_at_ + kMostAnswerBytes) return TooLarge();
  while (broken || PQisBusy(connection_) == 0) {
    pg_result* next = PQgetResult(connection_);
    if (next != nullptr) sent_->Take(next);
    // The rest is read from raw().
    const bool copies = PQresultStatus(next) == PGRES_COPY_OUT;
    if (next != nullptr && !copies && PQstatus(connection_) != CONNECTION_BAD) continue;
    ASSIGN_OR_RETURN(Result result, std::exchange(sent_, std::nullopt)->Finish());
    if (broken) return StatusFromConnection(connection_);
    return std::optional<Result>(std::move(result));
  }
  if (Remaining(sent_deadline_) > absl::ZeroDuration()) return std::optional<Result>();
  // The server's own answer to this is not waited for here; Discard does that.
  Cancel();
  return TimeoutError(options_->database.query_timeout);
}

absl::Status Connection::Discard() {
  if (!sent_) return absl::OkStatus();
  sent_.reset();
  Cancel();
  // What the statement itself ends with is of no interest; the session has to be there.
  const absl::Status ended =
      Collect(kCancelTimeout, std::nullopt, nullptr, /*cancelled=*/true).status();
  const bool is_over =
      PQstatus(connection_) != CONNECTION_BAD && PQtransactionStatus(connection_) != PQTRANS_ACTIVE;
  return is_over ? absl::OkStatus() : ended;
}

int Connection::ready_fd() const { return PQsocket(connection_); }

// kResult: PQgetResult will not block.
Connection::Awaited Connection::AwaitResult(absl::Duration deadline, const StopCheck& stopping) {
  const uint64_t begin = ReceivedBytes(connection_);
  int unsent = PQflush(connection_);
  while (unsent > 0 || PQisBusy(connection_) != 0) {
    if (stopping && stopping()) return Awaited::kStopped;
    absl::Duration remaining = Remaining(deadline);
    if (remaining <= absl::ZeroDuration()) return Awaited::kTimeout;
    if (stopping) remaining = std::min(remaining, kStopPoll);
    if (unsent > 0) {
      environment().poller->WaitWritable(PQsocket(connection_), remaining);
    } else {
      environment().poller->WaitReadable({PQsocket(connection_)}, remaining);
    }
    // A broken connection is reported by PQgetResult, with the server's last words if there were
    // any.
    if (PQconsumeInput(connection_) == 0) return Awaited::kResult;
    if (ReceivedBytes(connection_) > begin + kMostAnswerBytes) return Awaited::kTooLarge;
    if (unsent > 0) unsent = PQflush(connection_);
  }
  return Awaited::kResult;
}

// A cancellation that overtakes its statement is lost: nothing ran when it came.
Connection::Awaited Connection::AwaitCancelled(absl::Duration deadline, const StopCheck& stopping) {
  while (true) {
    const Awaited awaited = AwaitResult(std::min(deadline, DeadlineAfter(kAskAgain)), stopping);
    if (awaited != Awaited::kTimeout || Remaining(deadline) <= absl::ZeroDuration()) return awaited;
    Cancel();
  }
}

void Connection::Answer::Take(pg_result* next) {
  last = Result(next, shape ? shape->columns : 0);
  switch (PQresultStatus(next)) {
    case PGRES_COPY_OUT:
    case PGRES_COPY_IN:
    case PGRES_COPY_BOTH:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_TUPLES_OK:
      break;
    default:  // PGRES_FATAL_ERROR and what libpq calls a bad response
      if (error.ok()) error = StatusFromResult(next);
  }
}

absl::StatusOr<Result> Connection::Answer::Finish() {
  RETURN_IF_ERROR(error);
  if (shape) RETURN_IF_ERROR(CheckShape(last, *shape));
  return std::move(last);
}

StopCheck Connection::PatientStop() const {
  if (!options_->stopping) return nullptr;
  return [this, patience = DeadlineAfter(kStopPatience)] {
    return environment().clock->Monotonic() >= patience && options_->stopping();
  };
}

absl::StatusOr<Result> Connection::Collect(absl::Duration timeout, std::optional<Shape> shape,
                                           StopCheck stopping, bool cancelled) {
  Answer answer;
  answer.shape = shape;
  if (!stopping) stopping = PatientStop();
  absl::Duration deadline = DeadlineAfter(timeout);
  while (true) {
    const Awaited awaited =
        cancelled ? AwaitCancelled(deadline, stopping) : AwaitResult(deadline, stopping);
    if (awaited != Awaited::kResult) {
      // The rest is not read: the session is given up.
      if (awaited == Awaited::kTooLarge) return TooLarge();
      // Not even the cancellation was answered. What Discard cancels has no error of its own.
      if (cancelled) return answer.error.ok() ? TimeoutError(timeout) : answer.error;
      const bool stopped = awaited == Awaited::kStopped;
      answer.error = stopped ? StoppedError() : TimeoutError(timeout);
      cancelled = true;
      // Nor may this wait outlast a stop.
      stopping = stopped ? nullptr : PatientStop();
      deadline = DeadlineAfter(stopped ? kStoppedTimeout : kCancelTimeout);
      Cancel();
      continue;
    }
    pg_result* next = PQgetResult(connection_);
    if (next == nullptr) break;
    answer.Take(next);
    const ExecStatusType status = PQresultStatus(next);
    // The rest is read from raw().
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH) break;
    if (PQstatus(connection_) == CONNECTION_BAD) break;
  }
  return answer.Finish();
}

std::string Connection::host() const { return PQhost(connection_); }
std::string Connection::port() const { return PQport(connection_); }

int Connection::server_version() const { return PQserverVersion(connection_); }

std::string Connection::server_version_text() const {
  const char* text = PQparameterStatus(connection_, "server_version");
  return text == nullptr ? std::string() : std::string(text);
}

const std::string& Connection::database() const { return options_->database.dbname; }
uint64_t Connection::row_max_bytes() const { return options_->database.row_max_bytes; }
const Environment& Connection::environment() const { return options_->environment; }

void Connection::Cancel() { SendCancel(connection_); }

}  // namespace walduct::postgres
