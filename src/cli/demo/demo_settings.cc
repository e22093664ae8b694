#include "cli/demo/demo_settings.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::cli {
namespace {

constexpr absl::string_view kPassword = "database.password";
constexpr char kConverter[] = "org.apache.kafka.connect.json.JsonConverter";

bool IsName(absl::string_view name) {
  const auto fits = [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
  };
  return !name.empty() && name.size() <= 40 && !absl::StartsWith(name, "pg_") &&
         !absl::ascii_isdigit(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

absl::StatusOr<operate::DemoUrl> ReadUrl(const std::string& url, const std::string& password_file) {
  ASSIGN_OR_RETURN(operate::DemoUrl read, operate::ParseDemoUrl(url));
  if (password_file.empty()) return read;
  std::ifstream file(password_file);
  std::string line;
  if (!file || !std::getline(file, line))
    return absl::InvalidArgumentError(
        absl::StrCat("--password-file ", password_file, ": cannot be read, or is empty"));
  read.password = std::string(absl::StripSuffix(line, "\r"));
  return read;
}

absl::Status CheckSchemaName(const std::string& schema) {
  if (IsName(schema)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--schema: '", schema,
                   "': at most 40 lower-case letters, digits and underscores; it does not begin "
                   "with a digit or pg_"));
}

void AddDestination(bool kafka, const std::string& bootstrap_servers, const std::string& file,
                    std::vector<std::pair<std::string, std::string>>* properties) {
  if (!kafka) {
    properties->emplace_back("sink", "file");
    properties->emplace_back("sink.file.path", file);
    return;
  }
  if (!bootstrap_servers.empty()) properties->emplace_back("bootstrap.servers", bootstrap_servers);
  properties->emplace_back("topic.creation.default.partitions", "1");
  properties->emplace_back("topic.creation.default.replication.factor", "-1");
}

absl::StatusOr<DemoSettings> DemoSettingsOf(const DemoRequest& asked,
                                            const std::string& directory) {
  DemoSettings settings;
  ASSIGN_OR_RETURN(settings.url, ReadUrl(asked.url, asked.password_file));
  RETURN_IF_ERROR(CheckSchemaName(asked.schema));
  settings.name = asked.schema;
  settings.kafka = !asked.bootstrap_servers.empty() || !asked.worker_file.empty();
  for (const char* table : {"customers", "orders"})
    settings.topics.push_back(absl::StrCat(asked.schema, ".", asked.schema, ".", table));
  auto& all = settings.properties;
  all = {{"name", asked.schema},
         {"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
         {"plugin.name", "pgoutput"},
         {"database.hostname", settings.url.host},
         {"database.port", settings.url.port},
         {"database.dbname", settings.url.database},
         {"database.user", settings.url.user},
         {std::string(kPassword), settings.url.password}};
  if (!settings.url.sslmode.empty()) all.emplace_back("database.sslmode", settings.url.sslmode);
  const std::pair<std::string, std::string> rest[] = {
      {"topic.prefix", asked.schema},
      {"slot.name", asked.schema},
      {"publication.name", asked.schema},
      {"publication.autocreate.mode", "filtered"},
      {"table.include.list", absl::StrCat(asked.schema, "\\..*")},
      {"key.converter", kConverter},
      {"value.converter", kConverter},
      {"walduct.listen", asked.listen.empty() ? "127.0.0.1:0" : asked.listen},
      {"offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore"}};
  all.insert(all.end(), std::begin(rest), std::end(rest));
  AddDestination(settings.kafka, asked.bootstrap_servers, directory + "/events.jsonl", &all);
  return settings;
}

std::string DemoConfigurationText(const DemoSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.properties) {
    if (name != kPassword) absl::StrAppend(&text, "  ", name, "=", value, "\n");
  }
  return text;
}

}  // namespace walduct::cli
