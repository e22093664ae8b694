// What Kafka Connect's beans give of a worker, by the rules that Debezium's example and Strimzi
// publish. What a single process has no counterpart of (rebalances, a group) has the value of a
// group of one.
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "admin/series.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

using engine::ConnectorState;
using enum MetricType;

constexpr Family Bean(absl::string_view name, MetricType type = kGauge) {
  return {name, type, "attribute of a bean of Kafka Connect"};
}
constexpr absl::string_view kClass = "io.debezium.connector.postgresql.PostgresConnector";

constexpr Family kDebeziumConnectors =
    Bean("kafka_connect_worker_metrics_connector_count", kUntyped);
constexpr Family kDebeziumTasks = Bean("kafka_connect_worker_metrics_task_count", kUntyped);
constexpr Family kConnectors = Bean("kafka_connect_worker_connector_count");
constexpr Family kTasks = Bean("kafka_connect_worker_task_count");
constexpr Family kAssignedConnectors = Bean("kafka_connect_coordinator_assigned_connectors");
constexpr Family kAssignedTasks = Bean("kafka_connect_coordinator_assigned_tasks");
constexpr Family kRebalancing = Bean("kafka_connect_worker_rebalance_rebalancing");
constexpr Family kStatus = Bean("kafka_connect_connector_status");
constexpr Family kTaskStatus = Bean("kafka_connect_connector_task_status");
constexpr Family kConnectorClass = Bean("kafka_connect_connector_connector_class");
constexpr Family kConnectorType = Bean("kafka_connect_connector_connector_type");
constexpr Family kConnectorVersion = Bean("kafka_connect_connector_connector_version");
constexpr Family kTotalTasks = Bean("kafka_connect_worker_connector_total_task_count");
constexpr Family kPollTotal = Bean("kafka_connect_source_task_source_record_poll_total", kCounter);
constexpr Family kWriteTotal =
    Bean("kafka_connect_source_task_source_record_write_total", kCounter);
constexpr Family kActive = Bean("kafka_connect_source_task_source_record_active_count");
constexpr Family kRecordErrors = Bean("kafka_connect_task_error_total_record_errors");
constexpr Family kRecordFailures = Bean("kafka_connect_task_error_total_record_failures");
constexpr Family kRecordsSkipped = Bean("kafka_connect_task_error_total_records_skipped");
constexpr Family kErrorsLogged = Bean("kafka_connect_task_error_total_errors_logged");
constexpr Family kLetters = Bean("kafka_connect_task_error_deadletterqueue_produce_requests");
constexpr Family kProducerBytes = {"kafka_producer_outgoing_byte_total", kCounter,
                                   "bytes of keys and values handed to the producer"};
constexpr Family kProducers = {"kafka_producer_connection_count", kGauge,
                               "1 while the connector runs: connections are not counted"};

// Nothing reads from Kafka, or asks it, all the time.
constexpr Family kConsumers = {"kafka_consumer_connection_count", kGauge, "0: there is none"};
constexpr Family kConsumerBytes = {"kafka_consumer_incoming_byte_total", kCounter,
                                   "0: there is none"};
constexpr Family kAdmins = {"kafka_admin_client_connection_count", kGauge, "0: there is none"};

// Of the one task of a connector.
struct TaskState {
  absl::string_view word;
  Family count;
};
constexpr std::array<TaskState, 6> kTaskStates = {{
    {"running", Bean("kafka_connect_worker_connector_running_task_count")},
    {"paused", Bean("kafka_connect_worker_connector_paused_task_count")},
    {"failed", Bean("kafka_connect_worker_connector_failed_task_count")},
    {"unassigned", Bean("kafka_connect_worker_connector_unassigned_task_count")},
    {"destroyed", Bean("kafka_connect_worker_connector_destroyed_task_count")},
    {"restarting", Bean("kafka_connect_worker_connector_restarting_task_count")},
}};

// A stopped connector has no task, a failed one a task that is counted as failed.
bool HasTask(const ShownConnector& one) { return one.status.state != ConnectorState::kStopped; }

void AddStatus(const std::string& name, const std::string& state, const std::string& version,
               MetricText* out) {
  const uint64_t yes = 1;
  out->Add(kStatus, {{"connector", name}, {"status", state}}, yes);
  out->Add(kConnectorClass, {{"connector", name}, {"connector_class", kClass}}, yes);
  out->Add(kConnectorType, {{"connector", name}, {"connector_type", "source"}}, yes);
  out->Add(kConnectorVersion, {{"connector", name}, {"connector_version", version}}, yes);
}

void AddConnector(const std::string& name, const std::string& state, bool has_task,
                  const std::string& version, MetricText* out) {
  // Its task fails, the connector runs.
  AddStatus(name, state == "failed" ? "running" : state, version, out);
  out->Add(kTotalTasks, {{"connector", name}}, uint64_t{has_task ? 1u : 0u});
  for (const TaskState& task : kTaskStates)
    out->Add(task.count, {{"connector", name}}, uint64_t{task.word == state ? 1u : 0u});
  if (has_task)
    out->Add(kTaskStatus, {{"connector", name}, {"status", state}, {"task", "0"}}, uint64_t{1});
}

void AddTask(const ShownConnector& one, MetricText* out) {
  const metrics::ConnectorMetrics& numbers = *one.metrics;
  const Labels labels = {{"connector", one.status.name}, {"task", "0"}};
  out->Add(kPollTotal, labels, numbers.records_written.value());
  out->Add(kWriteTotal, labels, numbers.records_acknowledged.value());
  out->Add(kActive, labels, numbers.in_flight_records.value());
  const uint64_t letters =
      numbers.record_errors[static_cast<size_t>(metrics::RecordErrorOutcome::kDeadLetter)].value();
  const uint64_t all = numbers.ErroneousRecords();
  out->Add(kRecordErrors, labels, all);
  out->Add(kRecordFailures, labels, all);
  out->Add(kRecordsSkipped, labels, all);
  out->Add(kErrorsLogged, labels, all - letters);
  out->Add(kLetters, labels, letters);
  const std::string client = absl::StrCat("connector-producer-", one.status.name, "-0");
  out->Add(kProducerBytes, {{"clientid", client}}, numbers.record_bytes.value());
  out->Add(kProducers, {{"clientid", client}}, uint64_t{one.has_task() ? 1u : 0u});
}

}  // namespace

void AddConnectSeries(const ProcessView& process, MetricText* out) {
  const std::string version = operate::LibraryVersions().debezium;
  uint64_t tasks = 0;
  for (const ShownConnector& one : process.connectors) tasks += HasTask(one) ? 1 : 0;
  for (const IdleConnector& one : process.idle) tasks += one.refused ? 1 : 0;
  const uint64_t connectors = process.connectors.size() + process.idle.size();
  for (const Family* family : {&kDebeziumConnectors, &kConnectors, &kAssignedConnectors})
    out->Add(*family, {}, connectors);
  for (const Family* family : {&kDebeziumTasks, &kTasks, &kAssignedTasks})
    out->Add(*family, {}, tasks);
  for (const Family* family : {&kRebalancing, &kConsumers, &kConsumerBytes, &kAdmins})
    out->Add(*family, {}, uint64_t{0});
  for (const ShownConnector& one : process.connectors) {
    const std::string state = absl::AsciiStrToLower(engine::StateText(one.status.state));
    AddConnector(one.status.name, state, HasTask(one), version, out);
    AddTask(one, out);
  }
  for (const IdleConnector& one : process.idle) {
    if (one.refused)
      AddConnector(one.name, "failed", /*has_task=*/true, version, out);
    else
      AddStatus(one.name, absl::AsciiStrToLower(one.state), version, out);
  }
}

}  // namespace walduct::admin
