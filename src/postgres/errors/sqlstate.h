// SQLSTATE → absl::Status. One table: code, reason id, hint. See ARCHITECTURE.md for what the
// engine does with each code.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct pg_conn;
struct pg_result;

namespace walduct::postgres {

// function: of the server's source that raised it; empty: not known.
absl::Status StatusFromSqlState(absl::string_view sqlstate, absl::string_view message,
                                absl::string_view function = "");
// The text that libpq has of a connection that was refused.
struct Attempt {
  bool encrypted = false;    // the last one
  bool plain_first = false;  // sslmode=allow
  bool certificate = false;  // a client certificate was offered
};
absl::Status StatusFromLibpqText(absl::string_view text, const Attempt& attempt);
// From a failed PGresult (primary message, detail and hint of the server).
absl::Status StatusFromResult(const pg_result* result);
// What the words of the error mean from a walsender: it does not find the table of a change, and
// not one that was dropped a moment before.
absl::Status OfDecoding(const absl::Status& error);
// Of a statement that reads: a right that it lacks is SELECT, which its hint says.
absl::Status OfReading(const absl::Status& error);
// Of a statement that somebody wrote: what it names and is missing is to be made again, or property
// corrected.
absl::Status OfStatement(const absl::Status& error, absl::string_view property);
// "host DATABASE USER ADDRESS" of a hint as the line of pg_hba.conf, by what the server says of a
// connection that it refuses. Where it says no address in English, that stays open.
std::string WithHbaLine(const std::string& hint, absl::string_view message,
                        absl::string_view database, absl::string_view user);
// From a broken or refused connection, whose errors often carry no SQLSTATE.
absl::Status StatusFromConnection(const pg_conn* connection);

}  // namespace walduct::postgres
