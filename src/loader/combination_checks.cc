#include "loader/combination_checks.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/properties/validators.h"
#include "config/property_checks.h"
#include "config/transforms/transform_checks.h"
#include "java/text/text_lists.h"
#include "loader/classes.h"
#include "loader/topic_naming_options.h"

namespace walduct::loader {
namespace {

// Numbers that fail their own check were reported already.
bool IsValid(const config::PropertySet& properties, absl::string_view name) {
  const config::Property* property = properties.Find(name);
  return property == nullptr || config::CheckValue(*property->definition, property->value).empty();
}

void CheckSizes(const config::PropertySet& properties, config::Findings* findings) {
  if (!properties.IsSet("max.queue.size") && !properties.IsSet("max.batch.size")) return;
  if (!IsValid(properties, "max.queue.size") || !IsValid(properties, "max.batch.size")) return;
  if (properties.Integer("max.queue.size") > properties.Integer("max.batch.size")) return;
  const absl::string_view name =
      properties.IsSet("max.queue.size") ? "max.queue.size" : "max.batch.size";
  findings->Error(name, "Must be larger than the maximum batch size",
                  "raise max.queue.size or leave both out: they have no effect");
}

void CheckCompanions(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("snapshot.mode") == "custom" &&
      !properties.IsSet("snapshot.mode.custom.name")) {
    findings->AddError(
        "property 'snapshot.mode.custom.name': snapshot.mode.custom.name cannot be empty when "
        "snapshot.mode 'custom' is "
        "defined; use another snapshot.mode");
  }
  if (java::ListContains(properties.Text("notification.enabled.channels"), "sink") &&
      !properties.IsSet("notification.sink.topic.name")) {
    findings->Error(
        "notification.sink.topic.name",
        "Notification topic name must be provided when kafka notification channel is enabled",
        "add it or drop 'sink' from notification.enabled.channels");
  }
  if (properties.Text("sink") == "file" && !properties.IsSet("sink.file.path")) {
    findings->Error("sink.file.path", "A value is required when sink=file",
                    "add the path of the file to write");
  }
  const std::optional<offset::OffsetStoreKind> store =
      FindOffsetStore(properties.Text("offset.storage"));
  if (store == offset::OffsetStoreKind::kFile &&
      !properties.IsSet("offset.storage.file.filename")) {
    findings->Error("offset.storage.file.filename",
                    "A value is required for FileOffsetBackingStore",
                    "add the path of the offset file");
  }
  if (store == offset::OffsetStoreKind::kKafkaTopic && !properties.IsSet("offset.storage.topic") &&
      !properties.IsSet("offsets.storage.topic")) {
    findings->Error("offset.storage.topic", "A value is required for KafkaOffsetBackingStore",
                    "add the topic's name");
  }
}

// Plain words match no schema.table.
void CheckOutboxTables(const config::PropertySet& properties, config::Findings* findings) {
  for (const std::string& item : java::SplitCommaList(properties.Text("walduct.outbox.tables"))) {
    const bool plain = std::all_of(item.begin(), item.end(), [](unsigned char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '-';
    });
    if (!plain) continue;
    findings->Error("walduct.outbox.tables",
                    absl::StrCat("has the item '", item, "' without a schema"),
                    absl::StrCat("write the whole name, as in public.", item));
  }
}

void CheckOutbox(const config::PropertySet& properties, config::Findings* findings) {
  CheckOutboxTables(properties, findings);
  if (properties.Text("walduct.outbox.cleanup") == "none") return;
  if (!properties.IsSet("walduct.outbox.tables")) {
    findings->Error("walduct.outbox.tables", "A value is required for walduct.outbox.cleanup",
                    "name the outbox tables as schema.table, or set walduct.outbox.cleanup=none");
  }
  if (properties.Text("errors.tolerance") == "all" &&
      !properties.IsSet("errors.deadletterqueue.topic.name")) {
    findings->Warn("walduct.outbox.cleanup",
                   "also removes rows whose events could not be published and are in the log only; "
                   "name a topic in errors.deadletterqueue.topic.name");
  }
  if (java::ListContains(properties.Text("skipped.operations"), "c")) {
    findings->Error("skipped.operations",
                    "'c' leaves inserts unpublished, and walduct.outbox.cleanup would delete them",
                    "remove 'c', or set walduct.outbox.cleanup=none");
  }
}

bool UsesTopicCreation(const config::PropertySet& properties) {
  return std::any_of(properties.all().begin(), properties.all().end(),
                     [](const config::Property& property) {
                       return absl::StartsWith(property.name, "topic.creation.") &&
                              property.name != "topic.creation.enable";
                     });
}

void CheckTopicCreation(const config::PropertySet& properties, config::Findings* findings) {
  if (!UsesTopicCreation(properties)) return;
  for (const absl::string_view name :
       {"topic.creation.default.replication.factor", "topic.creation.default.partitions"}) {
    if (properties.IsSet(name)) continue;
    findings->Error(name, "A value is required when topics are to be created",
                    "add it; -1 is the broker's default");
  }
  for (const std::string& group : java::SplitCommaList(properties.Text("topic.creation.groups"))) {
    const std::string include = absl::StrCat("topic.creation.", group, ".include");
    if (group == "default") {
      findings->Error("topic.creation.groups",
                      "the group 'default' always exists and cannot be listed", "remove it");
    } else if (!properties.IsSet(include)) {
      findings->Error(include, "A value is required for each group in topic.creation.groups",
                      "add the regular expressions of the group's topics");
    }
  }
}

void CheckErrorTolerance(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kTopic = "errors.deadletterqueue.topic.name";
  const bool tolerate = properties.Text("errors.tolerance") == "all";
  const bool has_topic = properties.IsSet(kTopic);
  if (has_topic && !tolerate) {
    findings->Warn(kTopic,
                   "has no effect: errors.tolerance=none stops the connector at the first record "
                   "that cannot be published; set errors.tolerance=all");
  }
  if (tolerate && !has_topic) {
    findings->Warn("errors.tolerance",
                   absl::StrCat("records that cannot be published will be in the log only; name a "
                                "topic in ",
                                kTopic, " to keep them"));
  }
  for (const absl::string_view companion : {"errors.deadletterqueue.topic.replication.factor",
                                            "errors.deadletterqueue.context.headers.enable"}) {
    if (properties.IsSet(companion) && !has_topic)
      findings->Warn(companion, absl::StrCat("has no effect without ", kTopic));
  }
  for (const absl::string_view offsets : {"offset.storage.topic", "offsets.storage.topic"}) {
    if (!has_topic || properties.Text(kTopic) != properties.Text(offsets)) continue;
    findings->Error(kTopic, absl::StrCat("is the topic of the stored positions (", offsets, ")"),
                    "name a topic of its own");
  }
}

// Debezium's context headers are text.
void CheckHeaders(const config::PropertySet& properties, const config::TransformChainOptions& chain,
                  config::Findings* findings) {
  const bool bytes =
      FindConverter(properties.Text("header.converter")) == encode::ConverterKind::kByteArray &&
      !properties.IsSet("header.converter.delegate.converter.type");
  const bool dropped = std::any_of(chain.transforms.begin(), chain.transforms.end(),
                                   [](const config::TransformSpec& spec) {
                                     return spec.kind == config::TransformKind::kDropHeaders;
                                   });
  if (!bytes || dropped || properties.Text("extended.headers.enabled") == "false") return;
  findings->Error(
      "header.converter",
      "writes bytes only, and the headers __debezium.context.* of every record are text",
      "set extended.headers.enabled=false, or use another converter for headers");
}

void WarnOfOverrides(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kPrefix = "snapshot.select.statement.overrides.";
  const std::vector<std::string> tables =
      java::SplitCommaList(properties.Text("snapshot.select.statement.overrides"));
  for (const std::string& table : tables) {
    if (properties.IsSet(absl::StrCat(kPrefix, table))) continue;
    findings->Warn("snapshot.select.statement.overrides",
                   absl::StrCat("'", table, "' has no statement; its whole table is read; add '",
                                kPrefix, table, "'"));
  }
  for (const config::Property& property : properties.all()) {
    if (!absl::StartsWith(property.name, kPrefix)) continue;
    const std::string table = property.name.substr(kPrefix.size());
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) continue;
    findings->Warn(property.name,
                   absl::StrCat("has no effect: '", table,
                                "' is not listed in snapshot.select.statement.overrides"));
  }
}

void WarnOfSurprises(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("plugin.name") != "pgoutput") {
    findings->Warn("plugin.name",
                   absl::StrCat("'", properties.Text("plugin.name"), "' is mapped to pgoutput"));
  }
  if (properties.Text("slot.drop.on.stop") == "true") {
    findings->Warn(
        "slot.drop.on.stop",
        "changes made between a stop and the next start will be lost; meant for tests only");
  }
  if (java::ListContains(properties.Text("skipped.operations"), "r")) {
    findings->Warn("skipped.operations",
                   "'r' has no effect: rows of a snapshot are always written");
  }
}

}  // namespace

void CheckCombinations(const config::PropertySet& properties, config::Findings* findings) {
  config::CheckRequired(properties, findings);
  for (const absl::string_view kind : {"schema", "table", "column", "message.prefix"})
    config::CheckOneList(properties, kind, findings);
  CheckSizes(properties, findings);
  CheckCompanions(properties, findings);
  CheckHeaders(properties, config::ReadTransforms(properties, findings), findings);
  CheckTopicCreation(properties, findings);
  CheckTopicNaming(properties, findings);
  CheckOutbox(properties, findings);
  CheckErrorTolerance(properties, findings);
  WarnOfOverrides(properties, findings);
  WarnOfSurprises(properties, findings);
}

}  // namespace walduct::loader
