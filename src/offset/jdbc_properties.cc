#include "offset/jdbc_properties.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "config/secret_source.h"
#include "offset/jdbc_options.h"
#include "postgres/jdbc_url.h"

namespace walduct::offset {
namespace {

constexpr absl::string_view kJdbcUrl = "offset.storage.jdbc.connection.url";
constexpr absl::string_view kJdbcUser = "offset.storage.jdbc.connection.user";
constexpr absl::string_view kJdbcPassword = "offset.storage.jdbc.connection.password";
constexpr absl::string_view kJdbcTable = "offset.storage.jdbc.table.name";
constexpr absl::string_view kJdbcDdl = "offset.storage.jdbc.table.ddl";

// What begins the rest is an identifier: how long it is; 0: none.
size_t IdentifierLength(absl::string_view rest) {
  if (!rest.empty() && rest.front() == '"') {
    size_t end = 1;
    while (end < rest.size() && (rest[end] != '"' || rest.substr(end, 2) == "\"\""))
      end += rest[end] == '"' ? 2 : 1;
    return end > 1 && end < rest.size() ? end + 1 : 0;
  }
  size_t end = 0;
  while (end < rest.size()) {
    const auto c = static_cast<unsigned char>(rest[end]);
    const bool begins = absl::ascii_isalpha(c) || c == '_' || c >= 0x80;
    if (!begins && (end == 0 || (!absl::ascii_isdigit(c) && c != '$'))) break;
    ++end;
  }
  return end;
}

}  // namespace

std::string CheckJdbcUrl(absl::string_view value) {
  if (absl::StartsWith(value, "jdbc:") && !absl::StartsWith(value, "jdbc:postgresql:"))
    return "is not of PostgreSQL; walduct has no other databases";
  const auto url = postgres::ParseJdbcUrl(value);
  return url.ok() ? "" : std::string(url.status().message());
}

std::string CheckJdbcTable(absl::string_view value) {
  absl::string_view rest = value;
  size_t length = IdentifierLength(rest);
  rest.remove_prefix(length);
  if (length > 0 && !rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    length = IdentifierLength(rest);
    rest.remove_prefix(length);
  }
  return length > 0 && rest.empty() ? "" : "is no table's name as SQL has it";
}

void CheckJdbc(const config::PropertySet& properties, config::Findings* findings) {
  if (!properties.IsSet(kJdbcUrl)) {
    findings->Error(kJdbcUrl, "A value is required with JdbcOffsetBackingStore",
                    "add offset.storage.jdbc.connection.url=jdbc:postgresql://HOST:PORT/DATABASE");
    return;
  }
  const auto url = postgres::ParseJdbcUrl(properties.Text(kJdbcUrl));
  if (!url.ok()) return;
  if (url->database.user.empty() && !properties.IsSet(kJdbcUser))
    findings->Error(kJdbcUser, "A value is required with JdbcOffsetBackingStore",
                    "add the role that may write to the table");
  if (properties.IsSet(kJdbcDdl) && !absl::StrContains(properties.Text(kJdbcDdl), "%s") &&
      !absl::StrContains(properties.Text(kJdbcDdl), properties.Text(kJdbcTable)))
    findings->Error(kJdbcDdl, "does not make the table of offset.storage.jdbc.table.name",
                    "write %s where it has the table's name");
}

std::shared_ptr<const JdbcOptions> BuildJdbc(const config::PropertySet& properties) {
  JdbcOptions options;
  if (auto url = postgres::ParseJdbcUrl(properties.Text(kJdbcUrl)); url.ok()) {
    options.database = std::move(url->database);
    options.schemas = std::move(url->schemas);
  }
  if (properties.IsSet(kJdbcUser)) {
    if (options.database.dbname == options.database.user || options.database.dbname.empty())
      options.database.dbname = properties.Text(kJdbcUser);
    options.database.user = properties.Text(kJdbcUser);
  }
  if (properties.IsSet(kJdbcPassword)) {
    options.database.password = properties.Text(kJdbcPassword);
    options.database.password_source =
        config::ReadAgain(properties, "offset.storage.jdbc.connection.password");
    options.database.password_of_environment =
        config::IsOfEnvironment(properties, "offset.storage.jdbc.connection.password");
  }
  options.table = properties.Text(kJdbcTable);
  options.ddl = properties.Text(kJdbcDdl);
  return std::make_shared<const JdbcOptions>(std::move(options));
}

}  // namespace walduct::offset
