// What a session is set to once it is there, when a pooler has not passed it on. Declared in
// connection.h.
#include <libpq-fe.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/connection_parameters.h"
#include "postgres/errors/error_rules.h"
#include "postgres/oid_text.h"
#include "postgres/shared_session.h"

namespace walduct::postgres {
namespace {

// Supavisor drops what it does not know without a word, and PgBouncer what it is told to ignore.
absl::Status NoReplication() {
  return Error(absl::StatusCode::kFailedPrecondition, "pooler",
               "a replication connection was asked for, and what came is an ordinary session: a "
               "connection pooler on the way has dropped the parameter replication=database",
               kPoolerReplicationHint);
}

}  // namespace

absl::Status Connection::PrepareSession() {
  backend_pid_ = PQbackendPID(connection_);
  // A walsender runs SQL since PostgreSQL 10; an older server is refused by CheckServer with a text
  // of its own.
  if (server_version() >= 100000) RETURN_IF_ERROR(EnsureSettings());
  if (options_->kind == SessionKind::kReplication) return absl::OkStatus();
  for (const std::string& statement : options_->database.initial_statements) {
    const std::string local = shared_ ? AsLocal(statement) : "";
    if (absl::Status status = Run(local.empty() ? statement : local); !status.ok()) {
      return WithContext(status, "database.initial.statements");
    }
    set_in_transaction_ += local;
  }
  set_at_start_ = set_in_transaction_;
  return absl::OkStatus();
}

// A pooler may have refused what was asked for at the start, or have dropped it without a word. In
// place of the server's process it names one of its own.
absl::Status Connection::EnsureSettings() {
  ASSIGN_OR_RETURN(const Result answer,
                   Query(OneRow(kAnswerColumns), SessionQuestion(*options_, server_version())));
  backend_pid_ = ParseInt(answer.Get(0, kAnswerPid), backend_pid_);
  if (!answer.is_null(0, kAnswerOurs)) return absl::OkStatus();
  if (options_->kind == SessionKind::kReplication) return NoReplication();
  log::Debug("a connection pooler shares the session: settings are made in each transaction");
  shared_ = true;
  set_at_start_ = set_in_transaction_ = SetInTransaction(SettingsOf(*options_, server_version()));
  return absl::OkStatus();
}

absl::Status Connection::Set(absl::string_view name, absl::string_view value) {
  if (!shared_) return Run(SetInSession({{std::string(name), std::string(value)}}));
  // It has to be one that can be set.
  RETURN_IF_ERROR(Run(SetInTransaction({{std::string(name), std::string(value)}})));
  Replace(name, value, &set_since_);
  set_in_transaction_ = absl::StrCat(set_at_start_, SetInTransaction(set_since_));
  return absl::OkStatus();
}

}  // namespace walduct::postgres
