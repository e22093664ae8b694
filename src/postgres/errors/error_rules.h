// The table behind StatusFromSqlState: which error of the server or of libpq means what. The first
// rule that fits wins.
//
// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html. What shares a SQLSTATE is
// told apart by the text, and, since a server may speak any language, by the function of its source
// that raises the error: the server names it with each error, and it is never translated. Names of
// settings and files in a text are not translated either. A pooler names no function.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::postgres {

inline constexpr char kPoolerReplicationHint[] =
    "the connection pooler passes no replication connection on: PgBouncer does from 1.23 on "
    "(SHOW VERSION in its console), RDS Proxy and Supavisor never; upgrade it, or set "
    "database.hostname and database.port to the server itself";

// "(PID)" becomes the process that the message names (engine/errors/named_hint.h).
inline constexpr char kSlotInUseHint[] =
    "stop the other process, which may be another walduct or Debezium that publishes the same "
    "changes, or give each connector its own slot.name; to end a session that nobody owns any "
    "more: SELECT pg_terminate_backend(PID)";

struct ErrorRule {
  const char* sqlstate;  // code or class (first characters); unused for libpq's own texts
  const char* text;      // must occur in the message; "" fits always, or wherever functions do
  absl::StatusCode code;
  const char* reason;
  const char* hint;
  const char* functions = "";  // with blanks between; raised by one of them it fits, too
};

// What an error of a rule becomes where whoever gets it knows more.
struct Becomes {
  const char* reason;
  const char* becomes;
};
absl::Span<const Becomes> LaterReasons();

// Of the reasons whose rules bring no hint, where the server has none either; empty: of others.
absl::string_view GeneralHint(absl::string_view reason);
absl::Span<const ErrorRule> SqlStateRules();
// For errors without SQLSTATE: name look-up, refused connections, TLS.
absl::Span<const ErrorRule> ConnectionRules();

}  // namespace walduct::postgres
