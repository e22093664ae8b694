#include "outbox/init_options.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/connection_url.h"

namespace walduct::outbox {
namespace {

constexpr size_t kMaxIdentifier = 63;
// "_20250101" of a partition and "_add_partitions" of the function that makes them.
constexpr size_t kLongestSuffix = 15;

absl::Status Refusal(absl::string_view flag, absl::string_view value, absl::string_view wanted) {
  return Error(absl::StatusCode::kInvalidArgument, "outbox_name",
               absl::StrCat(flag, " '", value, "': ", wanted));
}

// Anything PostgreSQL takes between double quotes. The script quotes bodies with $walduct$.
absl::Status CheckIdentifier(absl::string_view flag, absl::string_view name, size_t longest) {
  const bool printable = std::none_of(name.begin(), name.end(),
                                      [](unsigned char c) { return absl::ascii_iscntrl(c) != 0; });
  if (!name.empty() && name.size() <= longest && printable && !absl::StrContains(name, "$walduct$"))
    return absl::OkStatus();
  return Refusal(flag, name,
                 absl::StrCat("a name of 1 to ", longest, " bytes without control characters"));
}

absl::Status CheckCharacters(absl::string_view flag, absl::string_view name,
                             bool (*allowed)(unsigned char), absl::string_view wanted) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), allowed)) return absl::OkStatus();
  return Refusal(flag, name, wanted);
}

bool IsSlotCharacter(unsigned char c) {
  return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_';
}

bool IsTopicCharacter(unsigned char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
}

bool IsPrintable(unsigned char c) { return !absl::ascii_iscntrl(c) && c != ','; }

}  // namespace

absl::Status ReadUrl(const std::string& url, InitOptions* options) {
  ASSIGN_OR_RETURN(const postgres::ConnectionUrl read, postgres::ParseConnectionUrl(url));
  options->host = read.host;
  options->port = read.port;
  options->database = read.database;
  options->sslmode = read.sslmode;
  return absl::OkStatus();
}

std::string ConnectorOf(const InitOptions& options) {
  if (!options.connector.empty()) return options.connector;
  if (options.database.empty()) return "outbox";
  std::string name = absl::StrCat(options.database, "-outbox");
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !IsTopicCharacter(static_cast<unsigned char>(c)); }, '_');
  return name;
}

absl::Status CheckNames(const InitOptions& options) {
  if (options.cleanup && IsPolled(options.flavour))
    return Error(
        absl::StatusCode::kInvalidArgument, "outbox_name",
        "--cleanup: housekeeping knows by a slot what is published, and a table that is "
        "polled has none",
        "leave it out, and delete rows whose published_at is old; or use another --flavour");
  if (options.wake && !IsPolled(options.flavour))
    return Error(absl::StatusCode::kInvalidArgument, "outbox_name",
                 "--wake: a trigger wakes who polls, and this table is read through a slot",
                 "leave it out, or use --flavour poll or position");
  const size_t table_limit =
      options.flavour == Flavour::kPartitioned ? kMaxIdentifier - kLongestSuffix : kMaxIdentifier;
  RETURN_IF_ERROR(CheckIdentifier("--schema", options.schema, kMaxIdentifier));
  RETURN_IF_ERROR(CheckIdentifier("--table", options.table, table_limit));
  RETURN_IF_ERROR(CheckIdentifier("--inbox-table", options.inbox_table, kMaxIdentifier));
  RETURN_IF_ERROR(CheckIdentifier("--role", options.role, kMaxIdentifier));
  if (!options.application_role.empty())
    RETURN_IF_ERROR(
        CheckIdentifier("--application-role", options.application_role, kMaxIdentifier));
  RETURN_IF_ERROR(CheckIdentifier("--publication", options.publication, kMaxIdentifier));
  RETURN_IF_ERROR(CheckCharacters("--slot", options.slot, IsSlotCharacter,
                                  "lower-case letters, digits and underscores"));
  if (options.slot.size() > kMaxIdentifier)
    return Refusal("--slot", options.slot, "at most 63 characters");
  RETURN_IF_ERROR(CheckCharacters("--connector", ConnectorOf(options), IsTopicCharacter,
                                  "letters, digits, '.', '_' and '-', as in a topic's name"));
  constexpr int kLastPort = 65535;
  int port = 0;
  if (!options.port.empty() &&
      (!absl::SimpleAtoi(options.port, &port) || port < 1 || port > kLastPort))
    return Refusal("--port", options.port, "a number from 1 to 65535");
  return CheckCharacters("--message-prefix", options.message_prefix, IsPrintable,
                         "printable characters without a comma");
}

}  // namespace walduct::outbox
