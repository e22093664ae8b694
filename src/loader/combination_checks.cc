#include "loader/combination_checks.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "config/properties/plugin_options.h"
#include "config/property_checks.h"
#include "encode/options/converter_properties.h"
#include "engine/configuration/record_error_properties.h"
#include "engine/configuration/runtime_properties.h"
#include "incremental/incremental_properties.h"
#include "java/text/text_lists.h"
#include "kafka/client_check.h"
#include "kafka/properties.h"
#include "loader/exactly_once.h"
#include "loader/several_slots.h"
#include "loader/source_types.h"
#include "offset/offset_properties.h"
#include "outbox/outbox_properties.h"
#include "postgres/database_properties.h"
#include "postgres/host_checks.h"
#include "registry/registry_properties.h"
#include "replication/replication_properties.h"
#include "route/route_properties.h"
#include "route/topic_naming_properties.h"
#include "sink/list/sink_types.h"
#include "snapshot/snapshot_properties.h"
#include "spill/spill_properties.h"
#include "transform/properties/chain_properties.h"

namespace walduct::loader {
namespace {

// Debezium's context headers are text.
void CheckHeaders(const config::PropertySet& properties, const transform::ChainSpec& chain,
                  config::Findings* findings) {
  const auto kind =
      encode::FindConverter(properties.Text(encode::ConverterName(properties, "header")));
  const bool bytes =
      kind == encode::ConverterKind::kByteArray || kind == encode::ConverterKind::kNumber;
  if (!bytes || chain.DropsHeaders() || properties.Text("extended.headers.enabled") == "false")
    return;
  findings->Error("header.converter",
                  "writes no text, but the headers __debezium.context.* of every record are text",
                  "set extended.headers.enabled=false, or use another converter for headers");
}

// Of converters that need one. The options of a delegate are those of any converter.
void CheckRegistries(const config::PropertySet& properties, config::Findings* findings) {
  for (const absl::string_view role : {"key", "value"}) {
    const auto needed = encode::RegistryOf(properties, role);
    if (!needed) continue;
    registry::CheckRegistry({properties, needed->name, absl::StrCat(role, ".converter"), nullptr},
                            needed->kind == encode::RegistryKind::kApicurio
                                ? registry::RegistryApi::kApicurio
                                : registry::RegistryApi::kConfluent,
                            findings);
  }
}

// Housekeeping removes what it takes to be published.
void CheckCleanup(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("walduct.outbox.cleanup") == "none") return;
  if (properties.Text("errors.tolerance") == "all" &&
      !properties.IsSet("errors.deadletterqueue.topic.name")) {
    findings->Warn("walduct.outbox.cleanup",
                   "also removes rows whose events could not be published and were only logged; "
                   "set errors.deadletterqueue.topic.name");
  }
  if (java::ListContains(properties.Text("skipped.operations"), "c")) {
    findings->Error(
        "skipped.operations",
        "with 'c' inserts are not published, but walduct.outbox.cleanup would delete their rows",
        "remove 'c', or set walduct.outbox.cleanup=none");
  }
}

// Who prints the rows of a polled table takes them from the connector that publishes them.
void CheckLocalSink(const config::PropertySet& properties, config::Findings* findings) {
  const sink::SinkType& sink = sink::ChosenType(properties);
  if (ChosenSource(properties).by_slot || !sink.traits.local ||
      properties.Boolean("walduct.outbox.publish.locally"))
    return;
  findings->Error(
      "sink",
      "cannot be used with walduct.outbox.source=poll: rows would be marked or deleted, and reach "
      "no topic",
      "for a table of a test's own set walduct.outbox.publish.locally=true; to look at a table "
      "that another connector publishes use walduct tail -o walduct.outbox.source=slot, or SELECT");
}

// Both files have the same form: it works, and whoever reads them is misled.
void WarnOfSwappedFiles(const config::PropertySet& properties, config::Findings* findings) {
  const config::Property* const host = properties.Find("database.hostname");
  const config::Property* const brokers = properties.Find("bootstrap.servers");
  if (host == nullptr || brokers == nullptr || host->layer != config::Layer::kWorker ||
      brokers->layer != config::Layer::kConnector)
    return;
  findings->Warn("database.hostname",
                 "is in the worker's file, and bootstrap.servers in the connector's: are -f and -w "
                 "swapped?");
}

// Expressions have to match the whole of schema.table, or schema.table.column: a plain word never
// does. Anything that is more than names is left to its author.
void WarnOfNames(const config::PropertySet& properties, config::Findings* findings) {
  struct List {
    const char* name;
    const char* whole;
    size_t dots;
    const char* example;
  };
  constexpr size_t kLongestName = 63;  // PostgreSQL's
  constexpr List kLists[] = {{"table.include.list", "schema.table", 1, "public."},
                             {"table.exclude.list", "schema.table", 1, "public."},
                             {"column.include.list", "schema.table.column", 2, "public.TABLE."},
                             {"column.exclude.list", "schema.table.column", 2, "public.TABLE."}};
  for (const List& list : kLists) {
    if (!properties.IsSet(list.name)) continue;
    for (const std::string& entry : java::SplitCommaList(properties.Find(list.name)->value)) {
      const auto plain = [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
      };
      const auto dots = static_cast<size_t>(std::count(entry.begin(), entry.end(), '.'));
      if (entry.empty() || entry.size() > kLongestName || dots >= list.dots ||
          !std::all_of(entry.begin(), entry.end(), plain))
        continue;
      findings->Warn(list.name,
                     absl::StrCat("'", entry, "' matches nothing: it is compared with ", list.whole,
                                  "; did you mean '",
                                  dots + 1 == list.dots ? "public." : list.example, entry, "'?"));
    }
  }
}

bool UsesProducer(const config::PropertySet& properties) {
  return sink::ChosenType(properties).traits.kafka || properties.IsSet("offset.storage.topic") ||
         properties.IsSet("offsets.storage.topic");
}

void CheckKafka(const config::PropertySet& properties, config::Findings* findings) {
  const size_t before = findings->error_count();
  kafka::CheckProducer(properties, {.transactional_id = TransactionalId(properties, "")}, findings);
  // Mostly the same properties: they would be found wrong again.
  if (findings->error_count() == before) kafka::CheckOtherClients(properties, findings);
  kafka::WarnOfProtocols(properties, findings);
}

void CheckDeadLetterTopic(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kTopic = "errors.deadletterqueue.topic.name";
  if (!properties.IsSet(kTopic)) return;
  for (const absl::string_view offsets : {"offset.storage.topic", "offsets.storage.topic"}) {
    if (properties.Text(kTopic) != properties.Text(offsets)) continue;
    findings->Error(kTopic, absl::StrCat("is also the topic for stored positions (", offsets, ")"),
                    "use a separate topic");
  }
}

}  // namespace

// The order of the checks is that of the report.
transform::ChainSpec CheckCombinations(const config::PropertySet& properties,
                                       config::Findings* findings) {
  config::CheckRequired(properties, findings);
  for (const absl::string_view kind : {"schema", "table", "column", "message.prefix"})
    config::CheckOneList(properties, kind, findings);
  engine::CheckRuntime(properties, findings);
  snapshot::CheckSnapshot(properties, findings);
  incremental::CheckIncremental(properties, findings);
  CheckSources(properties, findings);
  sink::CheckSinks(properties, findings);
  offset::CheckOffset(properties, findings);
  CheckExactlyOnce(properties, findings);
  if (UsesProducer(properties)) CheckKafka(properties, findings);
  transform::ChainSpec chain = transform::ReadChain(properties, findings);
  CheckHeaders(properties, chain, findings);
  encode::CheckConverters(properties, findings);
  CheckRegistries(properties, findings);
  route::CheckTopicNaming(properties, findings);
  outbox::CheckOutbox(properties, findings);
  CheckCleanup(properties, findings);
  CheckLocalSink(properties, findings);
  spill::CheckSpill(properties, findings);
  engine::CheckRecordErrors(properties, findings);
  CheckDeadLetterTopic(properties, findings);
  snapshot::WarnOfOverrides(properties, findings);
  postgres::CheckPorts(properties, "database.hostname", "database.port", findings);
  postgres::CheckDatabases(properties, findings);
  replication::WarnOfReplication(properties, findings);
  route::WarnOfOperations(properties, findings);
  replication::CheckSlots(properties, findings);
  CheckSeveralSlots(properties, chain, findings);
  WarnOfSwappedFiles(properties, findings);
  WarnOfNames(properties, findings);
  return chain;
}

}  // namespace walduct::loader
