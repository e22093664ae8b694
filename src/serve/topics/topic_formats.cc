#include "serve/topics/topic_formats.h"

#include <rapidjson/document.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace walduct::serve {
namespace {

constexpr absl::string_view kConnectorPrefix = "connector-";
constexpr absl::string_view kCommitPrefix = "commit-";
constexpr absl::string_view kTargetPrefix = "target-state-";
constexpr absl::string_view kLoggerPrefix = "logger-cluster-";
constexpr absl::string_view kRestartPrefix = "restart-connector-";
constexpr absl::string_view kTopicInfix = ":connector-";

std::string Members(absl::string_view key, const std::string& json) {
  return JsonWriter().Object().Key(key).Raw(json).EndObject().text();
}

absl::string_view StateWord(TargetState state) {
  switch (state) {
    case TargetState::kStarted:
      return "STARTED";
    case TargetState::kPaused:
      return "PAUSED";
    case TargetState::kStopped:
      return "STOPPED";
  }
  return "";
}

absl::Status ParseObject(absl::string_view value, rapidjson::Document* document) {
  *document = json::Parse(value);
  if (document->HasParseError() || !document->IsObject())
    return absl::InvalidArgumentError("the value is not a JSON object");
  return absl::OkStatus();
}

void TextOrNull(absl::string_view key, absl::string_view text, JsonWriter* json) {
  json->Key(key);
  if (text.empty()) {
    json->Null();
  } else {
    json->Text(text);
  }
}

}  // namespace

std::string ConnectorKey(absl::string_view name) { return absl::StrCat(kConnectorPrefix, name); }
std::string TaskKey(absl::string_view name) { return absl::StrCat("task-", name, "-0"); }
std::string CommitKey(absl::string_view name) { return absl::StrCat(kCommitPrefix, name); }
std::string TargetKey(absl::string_view name) { return absl::StrCat(kTargetPrefix, name); }
std::string RestartKey(absl::string_view name) { return absl::StrCat(kRestartPrefix, name); }
std::string LoggerKey(absl::string_view logger) { return absl::StrCat(kLoggerPrefix, logger); }
std::string ConnectorStatusKey(absl::string_view name) {
  return absl::StrCat("status-connector-", name);
}
std::string TaskStatusKey(absl::string_view name) {
  return absl::StrCat("status-task-", name, "-0");
}
std::string TopicStatusKey(absl::string_view name, absl::string_view topic) {
  return absl::StrCat("status-topic-", topic, kTopicInfix, name);
}

std::string ConnectorValue(const ConfigMap& config) {
  return Members("properties", ConfigJson(config));
}

ConfigMap TaskConfig(const ConfigMap& config) {
  ConfigMap task = config;
  PutValue(&task, "task.class", absl::StrCat(kPostgresClass, "Task"));
  return task;
}

std::string TaskValue(const ConfigMap& config) {
  return Members("properties", ConfigJson(TaskConfig(config)));
}

std::string CommitValue(int tasks) {
  return JsonWriter().Object().Key("tasks").Signed(tasks).EndObject().text();
}

// Workers of Kafka before 3.5 read "state", which knows no stopped connectors.
std::string TargetValue(TargetState state) {
  const TargetState old = state == TargetState::kStopped ? TargetState::kPaused : state;
  JsonWriter json;
  json.Object().Key("state").Text(StateWord(old));
  return json.Key("state.v2").Text(StateWord(state)).EndObject().text();
}

std::string RestartValue(bool include_tasks, bool only_failed) {
  JsonWriter json;
  json.Object().Key("include-tasks").Flag(include_tasks);
  return json.Key("only-failed").Flag(only_failed).EndObject().text();
}

std::string LoggerValue(absl::string_view level) {
  return JsonWriter().Object().Key("level").Text(level).EndObject().text();
}

std::string SessionValue(const access::SessionKey& key) {
  JsonWriter json;
  json.Object().Key("key").Text(absl::Base64Escape(key.bytes));
  json.Key("algorithm").Text(key.algorithm);
  return json.Key("creation-timestamp").Signed(absl::ToUnixMillis(key.created)).EndObject().text();
}

std::string StatusValue(const StatusRecord& status, absl::string_view worker_id,
                        int64_t generation) {
  JsonWriter json;
  json.Object().Key("state").Text(status.state);
  TextOrNull("trace", status.trace, &json);
  json.Key("worker_id").Text(worker_id).Key("generation").Signed(generation);
  TextOrNull("version", status.version, &json);
  return json.EndObject().text();
}

std::string TopicStatusValue(absl::string_view name, absl::string_view topic, absl::Time now) {
  JsonWriter json;
  json.Object().Key("topic").Object().Key("name").Text(topic).Key("connector").Text(name);
  json.Key("task").Signed(0).Key("discoverTimestamp").Signed(absl::ToUnixMillis(now));
  return json.EndObject().EndObject().text();
}

ConfigRecordName NameOfConfigRecord(absl::string_view key) {
  if (absl::ConsumePrefix(&key, kTargetPrefix))
    return {ConfigRecordKind::kTarget, std::string(key)};
  if (absl::ConsumePrefix(&key, kConnectorPrefix))
    return {ConfigRecordKind::kConnector, std::string(key)};
  if (absl::ConsumePrefix(&key, kCommitPrefix))
    return {ConfigRecordKind::kCommit, std::string(key)};
  if (absl::ConsumePrefix(&key, kLoggerPrefix))
    return {ConfigRecordKind::kLogger, std::string(key)};
  return {};
}

std::optional<std::string> NameOfRestart(absl::string_view key) {
  if (!absl::ConsumePrefix(&key, kRestartPrefix)) return std::nullopt;
  return std::string(key);
}

absl::StatusOr<ConfigMap> ReadConnectorValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  const rapidjson::Value* const found = json::FindObject(document, "properties");
  if (found == nullptr) return absl::InvalidArgumentError("the value has no 'properties'");
  ConfigMap config;
  for (const auto& member : found->GetObject()) {
    std::optional<std::string> text;
    if (member.value.IsString()) text.emplace(json::TextOf(member.value));
    PutValue(&config, std::string(json::TextOf(member.name)), std::move(text));
  }
  return config;
}

absl::StatusOr<int> ReadCommitValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  const rapidjson::Value* const found = json::Find(document, "tasks");
  if (found == nullptr || !found->IsInt())
    return absl::InvalidArgumentError("the value has no 'tasks'");
  return found->GetInt();
}

absl::StatusOr<TargetState> ReadTargetValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  std::string word = json::TextIn(document, "state.v2");
  if (word.empty()) word = json::TextIn(document, "state");
  for (const TargetState state :
       {TargetState::kStarted, TargetState::kPaused, TargetState::kStopped}) {
    if (StateWord(state) == word) return state;
  }
  return absl::InvalidArgumentError("the value has no known 'state'");
}

absl::StatusOr<RestartAsked> ReadRestartValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  const auto flag = [&document](const char* name) {
    const rapidjson::Value* const found = json::Find(document, name);
    return found != nullptr && found->IsTrue();
  };
  return RestartAsked{.include_tasks = flag("include-tasks"), .only_failed = flag("only-failed")};
}

absl::StatusOr<std::string> ReadLoggerValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  return json::TextIn(document, "level");
}

absl::StatusOr<access::SessionKey> ReadSessionValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  access::SessionKey key{
      .bytes = {}, .algorithm = json::TextIn(document, "algorithm"), .created = {}};
  if (!absl::Base64Unescape(json::TextIn(document, "key"), &key.bytes) || key.bytes.empty())
    return absl::InvalidArgumentError("the value has no 'key'");
  const rapidjson::Value* const created = json::Find(document, "creation-timestamp");
  if (key.algorithm.empty() || created == nullptr || !created->IsInt64())
    return absl::InvalidArgumentError("the value has no 'algorithm' or no 'creation-timestamp'");
  key.created = absl::FromUnixMillis(created->GetInt64());
  return key;
}

absl::StatusOr<StatusSaid> ReadStatusValue(absl::string_view value) {
  rapidjson::Document document;
  RETURN_IF_ERROR(ParseObject(value, &document));
  StatusSaid said{.state = json::TextIn(document, "state"),
                  .trace = json::TextIn(document, "trace"),
                  .worker_id = json::TextIn(document, "worker_id"),
                  .version = json::TextIn(document, "version")};
  const rapidjson::Value* const generation = json::Find(document, "generation");
  if (generation != nullptr && generation->IsInt64()) said.generation = generation->GetInt64();
  return said;
}

// A topic's name has no colon.
std::optional<std::pair<std::string, std::string>> NameOfTopicStatus(absl::string_view key) {
  if (!absl::ConsumePrefix(&key, "status-topic-")) return std::nullopt;
  const size_t infix = key.find(kTopicInfix);
  if (infix == absl::string_view::npos) return std::nullopt;
  return std::pair(std::string(key.substr(infix + kTopicInfix.size())),
                   std::string(key.substr(0, infix)));
}

std::optional<StatusName> NameOfStatus(absl::string_view key) {
  if (absl::ConsumePrefix(&key, "status-connector-")) return StatusName{std::string(key), false};
  if (!absl::ConsumePrefix(&key, "status-task-")) return std::nullopt;
  const size_t dash = key.rfind('-');
  if (dash == absl::string_view::npos) return std::nullopt;
  return StatusName{std::string(key.substr(0, dash)), true};
}

}  // namespace walduct::serve
