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

// SQL to run once connected, from PostgreSQL 10 on: one row. It makes all settings, too, where the
// session is ours alone: what a pooler or a login trigger has set since has not the last word.
enum SessionAnswer {
  kAnswerPid,   // the server's process
  kAnswerOurs,  // null: StartupOptions have not reached the session; it is no walsender, though
                // SessionKind::kReplication was asked for
  kAnswerColumns,
};
std::string SessionQuestion(const ConnectionOptions& options, int server_version);

}  // namespace walduct::postgres
