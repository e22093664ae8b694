#include "postgres/jdbc_url.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace walduct::postgres {
namespace {

// The driver's parameters that libpq has, too.
constexpr std::pair<absl::string_view, absl::string_view> kLibpqNames[] = {
    {"user", "user"},
    {"password", "password"},
    {"sslmode", "sslmode"},
    {"sslcert", "sslcert"},
    {"sslkey", "sslkey"},
    {"sslpassword", "sslpassword"},
    {"sslrootcert", "sslrootcert"},
    {"connectTimeout", "connect_timeout"},
    {"targetServerType", "target_session_attrs"},
    {"currentSchema", "application_name"},  // libpq has no such parameter: this one carries it
};

absl::Status NoAddress() {
  return absl::InvalidArgumentError(
      "is no address as jdbc:postgresql://HOST:PORT/DATABASE?user=NAME");
}

absl::string_view Attributes(absl::string_view type) {
  if (type == "master" || type == "primary") return "primary";
  if (type == "slave" || type == "secondary") return "standby";
  if (type == "preferSlave" || type == "preferSecondary") return "prefer-standby";
  return "any";
}

// The parameters behind the '?', by libpq's names. A '+' is a blank to the driver.
std::string LibpqParameters(absl::string_view query) {
  std::string out;
  bool encrypted = false, has_mode = false;
  for (const absl::string_view one : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parameter =
        absl::StrSplit(one, absl::MaxSplits('=', 1));
    const auto& [name, value] = parameter;
    if (name == "ssl") encrypted = value.empty() || value == "true";
    if (name == "sslmode") has_mode = true;
    const auto* const known =
        std::find_if(std::begin(kLibpqNames), std::end(kLibpqNames),
                     [&, wanted = name](const auto& row) { return row.first == wanted; });
    if (known == std::end(kLibpqNames)) continue;
    absl::StrAppend(&out, out.empty() ? "?" : "&", known->second, "=",
                    name == "targetServerType" ? std::string(Attributes(value))
                                               : absl::StrReplaceAll(value, {{"+", "%20"}}));
  }
  if (encrypted && !has_mode) absl::StrAppend(&out, out.empty() ? "?" : "&", "sslmode=verify-full");
  return out;
}

bool ArePorts(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c) || c == ','; });
}

absl::Status Take(absl::string_view name, absl::string_view value, JdbcUrl* url) {
  DatabaseOptions& database = url->database;
  const std::pair<absl::string_view, std::string*> texts[] = {
      {"host", &database.hostname},
      {"port", &database.port},
      {"dbname", &database.dbname},
      {"user", &database.user},
      {"password", &database.password},
      {"sslmode", &database.sslmode},
      {"sslcert", &database.sslcert},
      {"sslkey", &database.sslkey},
      {"sslpassword", &database.sslpassword},
      {"sslrootcert", &database.sslrootcert},
      {"target_session_attrs", &database.target_session_attrs},
      {"application_name", &url->schemas},
  };
  for (const auto& [known, where] : texts) {
    if (known == name) *where = std::string(value);
  }
  if (name == "port" && !ArePorts(value)) return NoAddress();
  if (name != "connect_timeout") return absl::OkStatus();
  uint32_t seconds = 0;
  if (!absl::SimpleAtoi(value, &seconds)) return NoAddress();
  if (seconds != 0) database.connect_timeout = absl::Seconds(seconds);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JdbcUrl> ParseJdbcUrl(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "jdbc:postgresql:")) return NoAddress();
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(url, absl::MaxSplits('?', 1));
  // jdbc:postgresql:DATABASE and jdbc:postgresql:/ are at this machine.
  absl::string_view place = halves.first;
  const bool has_host = absl::ConsumePrefix(&place, "//");
  absl::ConsumePrefix(&place, has_host ? "" : "/");
  const std::string address =
      absl::StrCat("postgresql://", has_host ? "" : "/", place, LibpqParameters(halves.second));
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(address.c_str(), &error), &PQconninfoFree);
  PQfreemem(error);
  if (parsed == nullptr) return NoAddress();
  JdbcUrl found;
  for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one) {
    if (one->val != nullptr) RETURN_IF_ERROR(Take(one->keyword, one->val, &found));
  }
  if (found.database.hostname.empty()) found.database.hostname = "localhost";
  if (found.database.dbname.empty()) found.database.dbname = found.database.user;
  return found;
}

}  // namespace walduct::postgres
