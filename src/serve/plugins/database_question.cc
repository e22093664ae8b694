#include "serve/plugins/database_question.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/host_checks.h"

namespace walduct::serve {

namespace {

// What keeps libpq from the server, in the words of Debezium's driver.
std::string DriverText(const std::string& message, const postgres::DatabaseOptions& database) {
  const auto says = [&message](absl::string_view part) { return absl::StrContains(message, part); };
  if (says("Connection refused")) {
    return absl::StrCat("Connection to ", postgres::HostAndPort(database.hostname, database.port),
                        " refused. Check that the hostname and port are correct and that the "
                        "postmaster is accepting TCP/IP connections.");
  }
  if (says("could not translate host name")) return "The connection attempt failed.";
  if (says("server does not support SSL")) return "The server does not support SSL.";
  if (says("no password supplied")) {
    return "The server requested SCRAM-based authentication, but no password was provided.";
  }
  return message;
}

}  // namespace

// What the server says is fatal here.
std::string AskDatabase(const postgres::DatabaseOptions& database, const Environment& environment) {
  const auto opened =
      postgres::Connection::Open({.database = database, .environment = environment});
  if (opened.ok()) return "";
  std::string message(opened.status().message());
  absl::RemoveExtraAsciiWhitespace(&message);
  const size_t state = message.find(" (SQLSTATE ");
  if (state == std::string::npos) return DriverText(message, database);
  return absl::StrCat("FATAL: ", message.substr(0, state));
}

}  // namespace walduct::serve
