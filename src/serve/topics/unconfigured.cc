#include "serve/topics/unconfigured.h"

#include <rapidjson/document.h>

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "serve/topics/topic_formats.h"

namespace walduct::serve {
namespace {

constexpr size_t kShown = 10;

// Of a key ["<connector>",{…}]; empty: none of these.
std::string ConnectorOf(absl::string_view key) {
  const rapidjson::Document document = json::Parse(key);
  if (document.HasParseError() || !document.IsArray() || document.Size() != 2) return "";
  return document[0].IsString() ? std::string(json::TextOf(document[0])) : "";
}

std::string Listed(const std::vector<std::string>& names) {
  const absl::Span<const std::string> shown =
      absl::MakeConstSpan(names).first(names.size() < kShown ? names.size() : kShown);
  const size_t more = names.size() - shown.size();
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Unconfigured(InternalTopics& topics) {
  std::map<std::string, bool> positions;  // by key: it is there
  RETURN_IF_ERROR(topics.Read(InternalTopic::kOffsets,
                              [&](absl::string_view key, std::optional<absl::string_view> value) {
                                positions[std::string(key)] = value.has_value();
                              }));
  std::set<std::string> names;
  for (const auto& [key, present] : positions) {
    if (present) names.insert(ConnectorOf(key));
  }
  names.erase("");
  RETURN_IF_ERROR(topics.Read(InternalTopic::kConfigs,
                              [&](absl::string_view key, std::optional<absl::string_view>) {
                                const ConfigRecordName record = NameOfConfigRecord(key);
                                if (record.kind == ConfigRecordKind::kConnector)
                                  names.erase(record.name);
                              }));
  return std::vector<std::string>(names.begin(), names.end());
}

absl::Status UnconfiguredError(const std::vector<std::string>& names, const WorkerOptions& options,
                               const std::vector<std::string>& similar) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "connectors_missing",
      absl::StrCat("no connector is configured in the topic ", options.configs.name,
                   " (config.storage.topic), and the topic ", options.offsets.name,
                   " (offset.storage.topic) has positions of ", Listed(names),
                   ": nothing of that runs here"),
      absl::StrCat(
          "where they are still to be created, as after walduct offsets import: create them, and "
          "they go on from these positions; where config.storage.topic is misspelt",
          similar.empty() ? "" : absl::StrCat(" (there is ", absl::StrJoin(similar, ", "), ")"),
          ", or offset.storage.topic is another worker's: put it right in this worker's "
          "properties, start the worker again and delete the topic that nobody uses; where the "
          "configurations are lost: create the connectors anew by the same names; where they were "
          "deleted on purpose: nothing"));
}

}  // namespace walduct::serve
