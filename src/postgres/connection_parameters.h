// What is sent to the server when a connection is opened, as libpq keywords. Pure.
//
// Source: https://www.postgresql.org/docs/current/libpq-connect.html (keywords), conformance of
// text output: DateStyle, IntervalStyle, TimeZone, extra_float_digits, bytea_output and lc_monetary
// of the session decide the text of values, in a walsender too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "postgres/connection.h"

namespace walduct::postgres {

// Keyword and value of every parameter; contains the password. kerberos: there may be tickets, with
// which a connection is encrypted where the server takes them; else it is not tried.
std::vector<std::pair<const char*, std::string>> ConnectionParameters(
    const ConnectionOptions& options, bool kerberos);

// The `options` keyword: "-c name=value …", blanks and backslashes in values escaped.
std::string StartupOptions(const ConnectionOptions& options);

// The same settings by name, with those that only newer servers know: for a session that did not
// get them when it was opened.
using SessionSettings = std::vector<std::pair<std::string, std::string>>;
SessionSettings SettingsOf(const ConnectionOptions& options, int server_version);

// SQL to run once connected, from PostgreSQL 10 on: one row. Where StartupOptions have reached the
// session, it sets what only newer servers know, or older ones need, too.
enum SessionAnswer {
  kAnswerPid,      // the server's process
  kAnswerArrived,  // null: StartupOptions have not reached the session
  kAnswerType,     // "walsender" in a replication session
  kAnswerColumns,
};
std::string SessionQuestion(SessionKind kind, int server_version);

}  // namespace walduct::postgres
