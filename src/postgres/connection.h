// Connection: one libpq connection, RAII. SQL sessions and replication sessions both pin what the
// text of values depends on: DateStyle, IntervalStyle, extra_float_digits, TimeZone, bytea_output,
// lc_monetary, client_encoding, search_path, and switch off statement and idle timeouts of the
// role. SQL sessions run with row_security=off: a table whose policies would hide rows is an error.
// Server notices go to the log. A connection pooler that does not pass this on is found when the
// connection is opened; see Connection::shared.
//
// Thread-safety: none; one thread at a time. Errors: SQLSTATE and connection failures mapped by
// StatusFromSqlState (sqlstate.h), each with reason and hint.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"

struct pg_conn;
struct pg_result;

namespace walduct::postgres {

struct ConnectionOptions;  // connection_options.h

// How an answer has to look at least. The server, or what stands in its place, may answer anything:
// whoever reads a Result has said what it must hold, and gets DataLoss malformed_answer otherwise.
struct Shape {
  int columns;
  int rows;
};
constexpr Shape Rows(int columns) { return {columns, 0}; }
constexpr Shape OneRow(int columns) { return {columns, 1}; }

// One result set in text format. Views into it live as long as the Result.
class Result {
 public:
  // Only so many columns may be read.
  explicit Result(pg_result* result, int readable = 0) : result_(result), readable_(readable) {}
  Result(Result&& other) noexcept;
  Result& operator=(Result&& other) noexcept;
  ~Result();

  int rows() const;
  int columns() const;
  absl::string_view column_name(int column) const;
  bool is_null(int row, int column) const;
  absl::string_view Get(int row, int column) const;  // "" for NULL
  // Of an UPDATE or DELETE without RETURNING: of how many rows the server says so.
  uint64_t changed() const;

 private:
  pg_result* result_;
  int readable_;
};

enum class SessionKind {
  kSql,          // autocommit unless a transaction is begun explicitly
  kReplication,  // replication=database
};

// A statement and its parameters in text format; nullopt is NULL.
struct Statement {
  std::string sql;
  std::vector<std::optional<std::string>> parameters;
  std::optional<Shape> answer;  // absent: nobody reads it
};

// Whether what runs is no longer wanted; empty: never.
using StopCheck = std::function<bool()>;

class Connection {
 public:
  // Gives up after database.connect_timeout for each host.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(ConnectionOptions options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One statement (or several separated by ';' without parameters); the last one's result.
  // Cancelled at query_timeout: DeadlineExceeded query_timeout; given up beyond 64 MB (over TCP):
  // FailedPrecondition answer_too_large. A statement that starts a COPY
  // returns at once; the rest is read from raw().
  absl::StatusOr<Result> Query(Shape shape, absl::string_view sql);
  // Parameters in text format; nullopt is NULL.
  absl::StatusOr<Result> Query(Shape shape, absl::string_view sql,
                               const std::vector<std::optional<std::string>>& parameters);
  absl::StatusOr<Result> Query(const Statement& statement);
  // The same with another limit, for statements that may wait long: also cancelled once `stopping`
  // says so: Cancelled stopped.
  absl::StatusOr<Result> QueryWithin(absl::Duration timeout, Shape shape, absl::string_view sql,
                                     const StopCheck& stopping = nullptr);
  // Whatever it answers, unless it fails.
  absl::Status Run(absl::string_view sql, const StopCheck& stopping = nullptr);
  absl::Status Run(const Statement& statement);

  // SET for the session. Where a pooler shares it, in each of our transactions from now on.
  absl::Status Set(absl::string_view name, absl::string_view value);

  // The same without waiting: starts one statement, whose result PollResult gives. Whatever else is
  // run before that cancels it.
  absl::Status Send(const Statement& statement);
  // Absent: not yet; wait for ready_fd(). An error ends the statement. The rest of one that starts
  // a COPY is read from raw().
  absl::StatusOr<std::optional<Result>> PollResult();
  // There is something to poll for: it has been sent, has not ended, and nothing has cancelled it.
  bool awaits_result() const { return sent_.has_value(); }
  int ready_fd() const;
  // Whether the session is still there, as far as the server has said so without being asked: its
  // last words else. Never waits; OK while a statement is under way.
  absl::Status CheckAlive();

  // Which of several hosts it is.
  std::string host() const;
  std::string port() const;
  int server_version() const;  // 150020
  // The server's process of this session; of one that a pooler shares, the one it began with.
  int backend_pid() const { return backend_pid_; }
  // A connection pooler may hand each transaction to another session of the server. Then what is to
  // hold is set in each, and a message is one transaction, with parameters as literals. Locks,
  // temporary tables and the like do not outlast a transaction; a replication session is not
  // shared.
  bool shared() const { return shared_; }
  std::string server_version_text() const;
  const std::string& database() const;
  uint64_t row_max_bytes() const;
  const Environment& environment() const;
  // The libpq handle, for the streaming and COPY readers of this room and `replication`. Borrowed.
  pg_conn* raw() const { return connection_; }
  // Asks the server to cancel what runs; harmless when nothing does. A statement that the server
  // has not begun is not cancelled: ask again until it ends. Waits a second at most: a
  // server that takes no connection would not answer this one either.
  void Cancel();

 private:
  // What a statement has answered so far.
  struct Answer {
    Answer() : last(nullptr) {}
    Result last;
    absl::Status error;
    std::optional<Shape> shape;  // absent: it may look as it likes

    void Take(pg_result* next);
    absl::StatusOr<Result> Finish();
  };

  Connection(pg_conn* connection, ConnectionOptions options);
  static void OnNotice(void* self, const pg_result* notice);
  absl::Status Establish();
  absl::Status PrepareSession();
  absl::Status EnsureSettings();
  enum class Awaited { kResult, kTimeout, kStopped, kTooLarge };
  absl::Duration DeadlineAfter(absl::Duration timeout) const;
  absl::Duration Remaining(absl::Duration deadline) const;
  absl::Status Submit(absl::string_view sql,
                      const std::vector<std::optional<std::string>>& parameters);
  // Cancels what Send has started and waits for its end.
  absl::Status Discard();
  absl::StatusOr<Result> Collect(absl::Duration timeout, std::optional<Shape> shape,
                                 StopCheck stopping = nullptr, bool cancelled = false);
  StopCheck PatientStop() const;
  Awaited AwaitResult(absl::Duration deadline, const StopCheck& stopping);
  // The same of a statement that is cancelled.
  Awaited AwaitCancelled(absl::Duration deadline, const StopCheck& stopping);

  pg_conn* connection_;
  const std::unique_ptr<const ConnectionOptions> options_;
  std::optional<Answer> sent_;  // by Send, not finished
  absl::Duration sent_deadline_;
  uint64_t sent_at_ = 0;  // received before it
  int backend_pid_ = 0;
  bool shared_ = false;
  // Of a shared session, as SQL: what it is to begin with, and, in front of each transaction, that
  // with what was set since.
  std::string set_at_start_, set_in_transaction_;
  std::vector<std::pair<std::string, std::string>> set_since_;
  absl::Status last_words_;  // an error that the server sent unasked: it ends the session
};

// "name" with every '"' doubled. The only way an identifier gets into SQL.
std::string QuoteIdentifier(absl::string_view name);
std::string QuoteQualified(absl::string_view schema, absl::string_view name);
// 'text' for where no parameter can go (replication commands, SET TRANSACTION SNAPSHOT).
std::string QuoteLiteral(absl::string_view text);

}  // namespace walduct::postgres
