#include "encode/options/cloud_events_properties.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"

namespace walduct::encode {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kFields[] = {"id", "type", "traceparent", "dataSchemaName"};

// What metadata.source says: "value,id:generate,…", of which the first word is for all.
struct Sources {
  std::string global = "value";
  std::vector<std::string> in_header;  // fields
  bool InHeader(absl::string_view field) const {
    for (const std::string& one : in_header) {
      if (one == field) return true;
    }
    return false;
  }
};

// "" or what is wrong.
std::string Parse(absl::string_view list, Sources* sources) {
  bool first = true;
  for (absl::string_view word : absl::StrSplit(list, ',')) {
    word = absl::StripAsciiWhitespace(word);
    const size_t colon = word.find(':');
    if (colon == absl::string_view::npos) {
      const std::string global = absl::AsciiStrToLower(word);
      if (!first || (global != "value" && global != "header"))
        return absl::StrCat("says '", word, "', which is neither value nor header in first place");
      sources->global = global;
    } else {
      const absl::string_view field = word.substr(0, colon);
      const std::string where = absl::AsciiStrToLower(word.substr(colon + 1));
      bool known = false;
      for (const absl::string_view one : kFields) known = known || one == field;
      if (!known || (where != "header" && where != "generate")) {
        return absl::StrCat("says '", word, "', which is not one of ", absl::StrJoin(kFields, ", "),
                            " with :header or :generate behind it");
      }
      if (where == "header") sources->in_header.emplace_back(field);
    }
    first = false;
  }
  return "";
}

std::string CheckSources(absl::string_view value) {
  Sources sources;
  return Parse(value, &sources);
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "<part>.converter.serializer.type",
     .type = kEnum,
     .default_value = "json",
     .doc = "Format of events (CloudEventsConverter).",
     .allowed = "json, avro"},
    {.name = "<part>.converter.data.serializer.type",
     .type = kEnum,
     .default_value = "json",
     .doc = "Format of the data inside events (CloudEventsConverter).",
     .allowed = "json, avro"},
    {.name = "<part>.converter.extension.attributes.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Put operation, source and transaction into events as iodebezium… attributes "
            "(CloudEventsConverter)."},
    {.name = "<part>.converter.metadata.source",
     .default_value = "value,id:generate,type:generate,traceparent:header,dataSchemaName:generate",
     .doc = "Where events take their metadata from: value or header for all, then for each of id, "
            "type and dataSchemaName header or generate (CloudEventsConverter).",
     .validator = CheckSources},
    {.name = "<part>.converter.schema.name.adjustment.mode",
     .type = kEnum,
     .default_value = "avro",
     .doc = "How the name of an event's schema is made fit for Avro (CloudEventsConverter).",
     .allowed = "none, avro, avro_unicode"},
    {.name = "<part>.converter.schema.cloudevents.name",
     .doc = "Name of an event's schema; <topic.prefix>.<database>.CloudEvents.Envelope where it is "
            "not set (CloudEventsConverter)."},
    {.name = "<part>.converter.schema.data.name.source.header.enable",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Take the name of the data's schema from the header dataSchemaName, where "
            "metadata.source says so (CloudEventsConverter)."},
    {.name = "<part>.converter.opentelemetry.tracing.attributes.enable",
     .type = kBoolean,
     .default_value = "false",
     .support = kNotYetRefused,
     .doc = "Add the attribute traceparent to events (CloudEventsConverter).",
     .note = "traces are not passed on"},
    {.name = "<part>.converter.json.*",
     .doc = "Option of JsonConverter for the JSON of events (CloudEventsConverter)."},
    {.name = "<part>.converter.avro.*",
     .doc = "Option of AvroConverter for the Avro of events, the registry's among them "
            "(CloudEventsConverter)."},
};

names::NameAdjustment AdjustmentOf(const std::string& mode) {
  if (mode == "none") return names::NameAdjustment::kNone;
  return mode == "avro" ? names::NameAdjustment::kAvro : names::NameAdjustment::kAvroUnicode;
}

std::string AddressesOf(const config::PluginOptions& properties) {
  const absl::string_view wanted =
      HasApicurioData(properties) ? "apicurio.registry.url" : "schema.registry.url";
  for (const auto& [option, value] : properties.Behind("avro.")) {
    if (option != wanted) continue;
    std::vector<std::string> addresses;
    for (const absl::string_view address : absl::StrSplit(value, ','))
      addresses.emplace_back(absl::StripAsciiWhitespace(address));
    return absl::StrJoin(addresses, ",");
  }
  return "";
}

}  // namespace

absl::Span<const config::PropertyDefinition> CloudEventsProperties() { return kRows; }

bool HasAvroData(const config::PluginOptions& properties) {
  return properties.Text("serializer.type") == "avro" ||
         properties.Text("data.serializer.type") == "avro";
}

bool HasApicurioData(const config::PluginOptions& properties) {
  for (const auto& [option, value] : properties.Behind("avro.")) {
    if (option == "apicurio.registry.url" && !absl::StripAsciiWhitespace(value).empty())
      return true;
  }
  return false;
}

void CheckCloudEvents(const config::PluginOptions& properties, config::Findings* findings) {
  if (properties.Text("serializer.type") == "avro" &&
      properties.Text("data.serializer.type") == "json") {
    findings->Error(absl::StrCat(properties.name(), ".data.serializer.type"),
                    "is json, which cannot be put into events that are Avro",
                    "set it to avro, or serializer.type=json");
  }
}

CloudEventsOptions BuildCloudEvents(const config::PluginOptions& properties) {
  Sources sources;
  const std::string problem = Parse(properties.Text("metadata.source"), &sources);
  CHECK(problem.empty());
  CloudEventsOptions options;
  options.avro = properties.Text("serializer.type") == "avro";
  options.extensions = properties.Boolean("extension.attributes.enable");
  options.source_in_header = sources.global == "header";
  options.id_in_header = sources.InHeader("id");
  options.type_in_header = sources.InHeader("type");
  options.data_name_in_header = sources.InHeader("dataSchemaName") &&
                                properties.Boolean("schema.data.name.source.header.enable");
  options.schema_names = AdjustmentOf(properties.Text("schema.name.adjustment.mode"));
  options.schema_name = properties.Text("schema.cloudevents.name");
  options.registry = AddressesOf(properties);
  return options;
}

}  // namespace walduct::encode
