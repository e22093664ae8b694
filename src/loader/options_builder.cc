#include "loader/options_builder.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/properties/plugin_options.h"
#include "encode/options/converter_properties.h"
#include "encode/options/encode_options.h"
#include "encode/options/encode_properties.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/heartbeat_properties.h"
#include "engine/configuration/record_error_options.h"
#include "engine/configuration/record_error_properties.h"
#include "engine/configuration/runtime_options.h"
#include "engine/configuration/runtime_properties.h"
#include "incremental/channels/signal_queue.h"
#include "incremental/incremental_properties.h"
#include "incremental/options/incremental_options.h"
#include "java/text/text_lists.h"
#include "kafka/client_properties.h"
#include "kafka/options.h"
#include "loader/exactly_once.h"
#include "loader/several_slots.h"
#include "loader/source_types.h"
#include "names/table_filter.h"
#include "offset/offset_properties.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "outbox/outbox_properties.h"
#include "postgres/database_properties.h"
#include "postgres/options.h"
#include "registry/options.h"
#include "registry/registry_properties.h"
#include "replication/options.h"
#include "replication/replication_properties.h"
#include "route/options.h"
#include "route/route_properties.h"
#include "route/table_filter_properties.h"
#include "sink/list/sink_types.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "snapshot/snapshot_properties.h"
#include "spill/options.h"
#include "spill/spill_properties.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {
namespace {

std::string BuildName(const config::PropertySet& properties, const std::string& default_name,
                      config::Findings* findings) {
  if (properties.IsSet("name"))
    return std::string(absl::StripAsciiWhitespace(properties.Text("name")));
  findings->Warn("name",
                 absl::StrCat("not set: '", default_name,
                              "', from the file name, is used; the stored position depends on it"));
  return default_name;
}

// The server's `publish` list, only when skipped.operations was given: its default does not reach
// the publication.
std::optional<std::string> BuildPublish(const config::PropertySet& properties) {
  if (!properties.IsSet("skipped.operations")) return std::nullopt;
  const std::string skipped = properties.Text("skipped.operations");
  std::vector<absl::string_view> published;
  constexpr std::pair<absl::string_view, absl::string_view> kOperations[] = {
      {"c", "insert"}, {"u", "update"}, {"d", "delete"}, {"t", "truncate"}};
  for (const auto& [letter, word] : kOperations) {
    if (!java::ListContains(skipped, letter)) published.push_back(word);
  }
  return absl::StrJoin(published, ",");
}

encode::EncodeOptions BuildEncode(const config::PropertySet& properties,
                                  config::Findings* findings) {
  encode::EncodeOptions encode = encode::BuildEncode(properties, findings);
  encode.topic_prefix = properties.Text("topic.prefix");
  encode.database = properties.Text("database.dbname");
  encode.slot_xmin = properties.Integer("xmin.fetch.interval.ms") > 0;
  return encode;
}

registry::RegistryOptions BuildRegistry(const config::PropertySet& properties,
                                        absl::string_view role, config::Findings* findings) {
  const auto needed = encode::RegistryOf(properties, role);
  if (!needed) return {};
  registry::RegistryOptions options = registry::BuildRegistry(
      {properties, needed->name, absl::StrCat(role, ".converter"), findings},
      needed->kind == encode::RegistryKind::kApicurio ? registry::RegistryApi::kApicurio
                                                      : registry::RegistryApi::kConfluent);
  options.schema_type = needed->schema_type;
  return options;
}

engine::RecordErrorOptions BuildRecordErrors(const config::PropertySet& properties,
                                             const transform::ChainSpec& chain) {
  engine::RecordErrorOptions errors = engine::BuildRecordErrors(properties);
  for (const transform::TransformSpec& one : chain.transforms)
    errors.transforms[one.alias] = one.class_name;
  return errors;
}

// Where the position goes when nothing says so.
void ChooseStore(const sink::Destination& sink, offset::OffsetOptions* offset,
                 config::Findings* findings) {
  constexpr absl::string_view kFile = "offset.storage.file.filename";
  switch (sink.type().traits.store) {
    case sink::SinkTraits::Store::kKafka:
      return;
    case sink::SinkTraits::Store::kBesideOutput:
      offset->kind = offset::OffsetStoreKind::kFile;
      offset->file_path = sink.offset_file();
      findings->Warn(kFile,
                     absl::StrCat("not set: the position is stored in '", offset->file_path, "'"));
      return;
    case sink::SinkTraits::Store::kMemory:
      offset->kind = offset::OffsetStoreKind::kMemory;
      findings->Warn(kFile,
                     "not set: with this sink the position is kept in memory and lost when the "
                     "connector stops");
  }
}

// The router of records that cannot be published and the sink agree about their topic.
void SetDeadLetters(const config::PropertySet& properties, engine::ConnectorOptions* options) {
  using Policy = engine::RecordErrorOptions::Policy;
  const auto tolerates = [options](Policy policy) {
    return policy == Policy::kTolerance ? options->record_errors->tolerate
                                        : policy != Policy::kStop;
  };
  options->sink->target->Tolerate({.dead_letter_topic = options->record_errors->dead_letter_topic,
                                   .replication_factor = static_cast<int>(properties.Integer(
                                       "errors.deadletterqueue.topic.replication.factor")),
                                   .missing = tolerates(options->record_errors->topic_missing),
                                   .denied = tolerates(options->record_errors->topic_denied)});
}

// Who writes the records writes the position: it is read as it is written.
void SetTransactions(const config::PropertySet& properties, engine::ConnectorOptions* options) {
  const std::string id = TransactionalId(properties, options->name);
  if (id.empty()) return;
  options->sink->target->UseTransactions(id);
  options->offset->clients.reset();
  options->offset->commit_interval =
      CommitInterval(properties).value_or(options->offset->commit_interval);
}

}  // namespace

engine::ConnectorOptions BuildOptions(const config::PropertySet& properties,
                                      transform::ChainSpec chain, const std::string& default_name,
                                      config::Findings* findings) {
  engine::ConnectorOptions options;
  options.name = BuildName(properties, default_name, findings);
  *options.database = postgres::BuildDatabase(properties);
  *options.replication = replication::BuildReplication(properties, findings);
  options.replication->publish_operations = BuildPublish(properties);
  options.replication->share.only_one = OnlyOneSlot(properties);
  *options.tables = route::BuildTableFilter(properties);
  *options.snapshot = snapshot::BuildSnapshot(properties);
  *options.incremental = incremental::BuildIncremental(properties);
  if (!options.replication->share.several())
    options.incremental->asked = std::make_shared<incremental::SignalQueue>();
  if (const auto& signals = *options.incremental; !signals.signal_table.empty())
    options.tables->signal_table = absl::StrCat(signals.signal_schema, ".", signals.signal_table);
  *options.encode = BuildEncode(properties, findings);
  options.registries->key = BuildRegistry(properties, "key", findings);
  options.registries->value = BuildRegistry(properties, "value", findings);
  *options.route = route::BuildRoute(properties);
  *options.chain = std::move(chain);
  *options.kafka = kafka::BuildKafka(properties);
  options.source = &ChosenSource(properties);
  *options.sink = sink::BuildSink(properties, *options.kafka);
  *options.offset = offset::BuildOffset(properties);
  if (!offset::NamesStore(properties))
    ChooseStore(*options.sink->target, options.offset.get(), findings);
  *options.heartbeat = engine::BuildHeartbeat(properties, findings);
  *options.record_errors = BuildRecordErrors(properties, *options.chain);
  SetDeadLetters(properties, &options);
  SetTransactions(properties, &options);
  *options.runtime = engine::BuildRuntime(properties);
  *options.outbox = outbox::BuildOutbox(properties);
  *options.spill = spill::BuildSpill(properties);
  options.replication->stream_in_progress = options.spill->enabled;
  return options;
}

void WarnOfDefaultBroker(const config::PropertySet& properties,
                         const engine::ConnectorOptions& options, config::Findings* findings) {
  const bool needs_kafka = options.sink->target->type().traits.kafka ||
                           options.offset->kind == offset::OffsetStoreKind::kKafkaTopic;
  const bool given = properties.IsSet("bootstrap.servers") ||
                     properties.IsSet("producer.bootstrap.servers") ||
                     properties.IsSet("producer.override.bootstrap.servers");
  if (!needs_kafka || given) return;
  findings->Warn("bootstrap.servers", absl::StrCat("not set: '", options.kafka->bootstrap_servers,
                                                   "' is used, as Kafka Connect does"));
}

}  // namespace walduct::loader
