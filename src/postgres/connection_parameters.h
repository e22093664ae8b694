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

// Settings that only newer servers know, or that older ones need, as SQL to run once connected; "" when there are none.
std::string VersionedSettings(int server_version);

}  // namespace walduct::postgres
