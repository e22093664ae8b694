#include "rest/loading.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"

namespace walduct::rest {

// What the server says is fatal here; what keeps us from it has a text of its own.
std::string AskDatabase(const postgres::DatabaseOptions& database, const Environment& environment) {
  const auto opened =
      postgres::Connection::Open({.database = database, .environment = environment});
  if (opened.ok()) return "";
  std::string message(opened.status().message());
  absl::RemoveExtraAsciiWhitespace(&message);
  const size_t state = message.find(" (SQLSTATE ");
  if (state == std::string::npos) return message;
  return absl::StrCat("FATAL: ", message.substr(0, state));
}

}  // namespace walduct::rest
