// What Kafka Connect's internal topics hold, key by key. Values are schemaless JSON. Pure.
//
//   configs  connector-N {"properties":{…}}, task-N-0 (the same with task.class), commit-N
//            {"tasks":1}, target-state-N {"state":…,"state.v2":…}, restart-connector-N,
//            logger-cluster-L, session-key
//   status   status-connector-N, status-task-N-0, status-topic-T:connector-N
//   offsets  ["N",{"server":"P"}]
//
// Source: storage/KafkaConfigBackingStore.java, KafkaStatusBackingStore.java of Apache Kafka 4.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "access/session_keys.h"
#include "serve/topics/config_map.h"

namespace walduct::serve {

enum class TargetState { kStarted, kPaused, kStopped };

std::string ConnectorKey(absl::string_view name);
std::string TaskKey(absl::string_view name);
std::string CommitKey(absl::string_view name);
std::string TargetKey(absl::string_view name);
std::string RestartKey(absl::string_view name);
std::string LoggerKey(absl::string_view logger);
inline constexpr absl::string_view kSessionKey = "session-key";
std::string ConnectorStatusKey(absl::string_view name);
std::string TaskStatusKey(absl::string_view name);
std::string TopicStatusKey(absl::string_view name, absl::string_view topic);

std::string ConnectorValue(const ConfigMap& config);
// What the task of a connector is configured with.
ConfigMap TaskConfig(const ConfigMap& config);
std::string TaskValue(const ConfigMap& config);
std::string CommitValue(int tasks);
std::string TargetValue(TargetState state);
std::string RestartValue(bool include_tasks, bool only_failed);
std::string LoggerValue(absl::string_view level);
std::string SessionValue(const access::SessionKey& key);

struct StatusRecord {
  std::string state;
  std::string trace;    // empty: null
  std::string version;  // the same

  bool operator==(const StatusRecord&) const = default;
};
std::string StatusValue(const StatusRecord& status, absl::string_view worker_id,
                        int64_t generation = 1);
std::string TopicStatusValue(absl::string_view name, absl::string_view topic, absl::Time now);

// The class of the tasks of a connector class.
inline constexpr absl::string_view kPostgresClass =
    "io.debezium.connector.postgresql.PostgresConnector";

// What a record of the configs topic says; kOther: nothing that counts here.
enum class ConfigRecordKind { kConnector, kCommit, kTarget, kLogger, kOther };
struct ConfigRecordName {
  ConfigRecordKind kind = ConfigRecordKind::kOther;
  std::string name;
};
ConfigRecordName NameOfConfigRecord(absl::string_view key);
// The connector of restart-connector-N; absent: another record.
std::optional<std::string> NameOfRestart(absl::string_view key);

// Of the values; InvalidArgument: not of that form.
absl::StatusOr<ConfigMap> ReadConnectorValue(absl::string_view value);
absl::StatusOr<int> ReadCommitValue(absl::string_view value);
absl::StatusOr<TargetState> ReadTargetValue(absl::string_view value);
struct RestartAsked {
  bool include_tasks = false, only_failed = false;
};
absl::StatusOr<RestartAsked> ReadRestartValue(absl::string_view value);
absl::StatusOr<std::string> ReadLoggerValue(absl::string_view value);
absl::StatusOr<access::SessionKey> ReadSessionValue(absl::string_view value);

// What a state says, and who.
struct StatusSaid {
  std::string state, trace, worker_id, version;
  int64_t generation = 0;
};
absl::StatusOr<StatusSaid> ReadStatusValue(absl::string_view value);

// Connector and topic of status-topic-T:connector-N.
std::optional<std::pair<std::string, std::string>> NameOfTopicStatus(absl::string_view key);

// "status-connector-N" and "status-task-N-0"; absent: another record.
struct StatusName {
  std::string connector;
  bool of_task = false;
};
std::optional<StatusName> NameOfStatus(absl::string_view key);

}  // namespace walduct::serve
