#include "engine/configuration/connector_options.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/shell_word.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/record_error_options.h"
#include "engine/configuration/runtime_options.h"
#include "engine/configuration/source_type.h"
#include "incremental/options/incremental_options.h"
#include "kafka/options.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "postgres/options.h"
#include "registry/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "spill/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::engine {
ConnectorOptions::ConnectorOptions() = default;
ConnectorOptions::ConnectorOptions(const ConnectorOptions&) = default;
ConnectorOptions::ConnectorOptions(ConnectorOptions&&) noexcept = default;
ConnectorOptions& ConnectorOptions::operator=(const ConnectorOptions&) = default;
ConnectorOptions& ConnectorOptions::operator=(ConnectorOptions&&) noexcept = default;
ConnectorOptions::~ConnectorOptions() = default;

SlotAddress SlotOf(const ConnectorOptions& options) {
  const postgres::DatabaseOptions& database = *options.database;
  return {.server = absl::StrCat(database.hostname, ":", database.port),
          .slot = options.replication->slot_name};
}

std::vector<SlotAddress> NumberedSlots(const SlotAddress& first, int count) {
  std::vector<SlotAddress> all = {first};
  for (int number = 2; number <= count; ++number)
    all.push_back({.server = first.server, .slot = absl::StrCat(first.slot, "_", number)});
  return all;
}

bool ReadsSlot(const ConnectorOptions& options) {
  return options.source == nullptr || options.source->by_slot;
}

std::vector<SlotAddress> SlotsOf(const ConnectorOptions& whole) {
  if (!ReadsSlot(whole)) return {};
  return NumberedSlots(SlotOf(whole), whole.replication->share.count);
}

const RuntimeOptions& RuntimeOf(const ConnectorOptions& options) { return *options.runtime; }

std::string TopicPrefixOf(const ConnectorOptions& options) { return options.encode->topic_prefix; }

std::string OffsetFileOf(const ConnectorOptions& options) {
  return options.offset->kind == offset::OffsetStoreKind::kFile ? options.offset->file_path : "";
}

namespace {

bool IsLane(const ConnectorOptions& options) {
  return options.replication->share.several() && !options.offset->connector.empty();
}

}  // namespace

names::Called CalledOf(const ConnectorOptions& options) {
  names::Called called = options.runtime->called;
  called.name = IsLane(options) ? options.offset->connector : options.name;
  if (called.who.empty()) called.who = ShellWord(called.name);
  const bool as_called = !called.where.empty() || options.incremental->channels();
  called.signals = options.replication->share.several() ? names::Called::Signals::kNever
                   : as_called                          ? names::Called::Signals::kAsCalled
                                                        : names::Called::Signals::kByName;
  // Events of an outbox are no rows that a table still has.
  called.reads_back = options.sink->target->type().traits.kafka && !options.chain->IsOutbox("");
  return called;
}

ConnectorNames NamesOf(const ConnectorOptions& options) {
  return {.connector = options.name,
          .host = options.database->hostname,
          .port = options.database->port,
          .database = options.database->dbname,
          .role = options.database->user,
          .slot = ReadsSlot(options) ? options.replication->slot_name : "",
          .slot_number = IsLane(options) ? options.replication->share.number : 0,
          .publication = options.replication->publication_name,
          .prefix = TopicPrefixOf(options),
          .called = CalledOf(options),
          .makes_publication = options.replication->publication_autocreate !=
                               replication::PublicationAutocreate::kDisabled,
          .served = !options.runtime->called.where.empty()};
}

const encode::ColumnOptions& ColumnsOf(const ConnectorOptions& options) {
  return options.encode->columns;
}

const std::optional<route::MessageKeys>& MessageKeysOf(const ConnectorOptions& options) {
  return options.route->message_keys;
}

offset::OffsetIdentity OffsetIdentityOf(const ConnectorOptions& lane) {
  const std::string& connector = lane.offset->connector;
  return {.connector_name = connector.empty() ? lane.name : connector,
          .topic_prefix = TopicPrefixOf(lane),
          .slot = lane.offset->slot};
}

const std::string& NameOf(const ConnectorOptions& options) { return options.name; }
const SourceType* SourceOf(const ConnectorOptions& options) { return options.source; }
const postgres::DatabaseOptions& DatabaseOf(const ConnectorOptions& options) {
  return *options.database;
}
const names::TableFilterOptions& TablesOf(const ConnectorOptions& options) {
  return *options.tables;
}
std::string SlotNameOf(const ConnectorOptions& options) {
  const replication::ReplicationOptions& replication = *options.replication;
  return replication.takes_up_a_slot() ? replication.slot_name : "";
}
const replication::ReplicationOptions& ReplicationOf(const ConnectorOptions& options) {
  return *options.replication;
}
const replication::SlotShare& ShareOf(const ConnectorOptions& options) {
  return options.replication->share;
}
const registry::RegistriesOptions& RegistriesOf(const ConnectorOptions& options) {
  return *options.registries;
}
const sink::SinkOptions& SinkOf(const ConnectorOptions& options) { return *options.sink; }
const kafka::KafkaOptions& KafkaOf(const ConnectorOptions& options) { return *options.kafka; }
const offset::OffsetOptions& OffsetOf(const ConnectorOptions& options) { return *options.offset; }
const outbox::OutboxOptions& OutboxOf(const ConnectorOptions& options) { return *options.outbox; }

std::vector<ConnectorOptions> OutboxWorkersOf(const ConnectorOptions& whole) {
  std::vector<ConnectorOptions> workers;
  for (int64_t worker = 0; worker < whole.outbox->workers; ++worker) {
    ConnectorOptions& one = workers.emplace_back(whole);
    one.outbox->worker = worker;
    if (worker == 0) continue;
    one.name = absl::StrCat(whole.name, "/", worker + 1);
    // Else two of them would be one in Debezium's series.
    one.runtime->metric_tags = absl::StrCat(", worker=", worker + 1, whole.runtime->metric_tags);
  }
  return workers;
}

}  // namespace walduct::engine
