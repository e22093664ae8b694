#include "outbox/init_connector.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace walduct::outbox {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

// Names in table.include.list are regular expressions, separated by commas.
std::string Literally(absl::string_view name) {
  std::string out;
  for (const char c : name) {
    constexpr absl::string_view kSpecial = "\\^$.|?*+()[]{},";
    if (kSpecial.find(c) != absl::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string Or(const std::string& given, absl::string_view otherwise) {
  return given.empty() ? std::string(otherwise) : given;
}

void AddSource(const InitOptions& options, Properties* out) {
  const bool located = !options.host.empty() || !options.port.empty() || !options.database.empty();
  out->insert(out->end(),
              {{"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
               {"plugin.name", "pgoutput"},
               {"database.hostname", Or(options.host, located ? "localhost" : "<HOST>")},
               {"database.port", Or(options.port, located ? "5432" : "<PORT>")},
               {"database.user", options.role},
               {"database.password", "${env:DATABASE_PASSWORD}"},
               {"database.dbname", Or(options.database, "<DATABASE>")},
               {"topic.prefix", ConnectorOf(options)}});
  if (!options.sslmode.empty()) out->emplace_back("database.sslmode", options.sslmode);
  if (IsPolled(options.flavour)) return;
  out->insert(out->end(), {{"slot.name", options.slot},
                           {"publication.name", options.publication},
                           {"publication.autocreate.mode", "disabled"}});
}

void AddPolled(const InitOptions& options, Properties* out) {
  out->insert(out->end(),
              {{"walduct.outbox.source", "poll"},
               {"walduct.outbox.tables",
                absl::StrCat(Literally(options.schema), "\\.", Literally(options.table))},
               {"transforms", "outbox"},
               {"transforms.outbox.table.field.event.id", "event_id"},
               {"key.converter", "org.apache.kafka.connect.storage.StringConverter"},
               {"value.converter", "org.apache.kafka.connect.storage.StringConverter"}});
  // Its position is committed with the records; without this line the sink need not be Kafka.
  if (options.flavour == Flavour::kPosition)
    out->insert(out->end(),
                {{"walduct.outbox.done", "position"}, {"exactly.once.support", "required"}});
}

void AddTable(const InitOptions& options, Properties* out) {
  out->emplace_back("table.include.list",
                    absl::StrCat(Literally(options.schema), "\\.", Literally(options.table)));
  // Rows written before the slot exists are published too; the table is new, so there is no
  // history.
  out->emplace_back("snapshot.mode", "initial");
  out->insert(out->end(),
              {{"transforms", "outbox"},
               {"key.converter", "org.apache.kafka.connect.storage.StringConverter"},
               // jsonb text as it is: no quoting, nothing lost.
               {"value.converter", "org.apache.kafka.connect.storage.StringConverter"}});
}

void AddMessages(const InitOptions& options, Properties* out) {
  out->insert(out->end(),
              {{"message.prefix.include.list", Literally(options.message_prefix)},
               {"snapshot.mode", "no_data"},
               {"transforms", "decode,outbox"},
               {"transforms.decode.type",
                "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent"},
               {"key.converter", "org.apache.kafka.connect.storage.StringConverter"},
               {"value.converter", "org.apache.kafka.connect.json.JsonConverter"},
               {"value.converter.schemas.enable", "false"}});
}

void AddCleanup(const InitOptions& options, Properties* out) {
  if (!options.cleanup || options.flavour == Flavour::kMessage) return;
  const bool drops = options.flavour == Flavour::kPartitioned;
  out->insert(out->end(),
              {{"walduct.outbox.tables", absl::StrCat(options.schema, ".", options.table)},
               {"walduct.outbox.cleanup", drops ? "drop_partitions" : "delete"},
               {"walduct.outbox.cleanup.time.column", "created_at"},
               {"walduct.outbox.retention.ms", "604800000"}});
}

}  // namespace

std::string ConnectorJson(const InitOptions& options) {
  Properties properties;
  AddSource(options, &properties);
  if (options.flavour == Flavour::kMessage) {
    AddMessages(options, &properties);
  } else if (IsPolled(options.flavour)) {
    AddPolled(options, &properties);
  } else {
    AddTable(options, &properties);
  }
  properties.insert(
      properties.end(),
      {{"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"},
       {"transforms.outbox.table.fields.additional.placement", "type:header:eventType"},
       {"tombstones.on.delete", "false"}});
  AddCleanup(options, &properties);
  std::string out = "{\n  \"name\": ";
  AppendJsonString(ConnectorOf(options), &out);
  absl::string_view separator = ",\n  \"config\": {\n    ";
  for (const auto& [name, value] : properties) {
    absl::StrAppend(&out, separator);
    AppendJsonString(name, &out);
    out += ": ";
    AppendJsonString(value, &out);
    separator = ",\n    ";
  }
  out += "\n  }\n}\n";
  return out;
}

}  // namespace walduct::outbox
