#include "rest/plugins/validation.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/hash/hash_code.h"
#include "java/text/text_lists.h"
#include "rest/plugins/checks.h"

namespace walduct::rest {
namespace {

std::vector<std::string> ClassesOf(absl::string_view type) {
  std::vector<std::string> classes;
  for (const Plugin& one : AllPlugins()) {
    if (one.type != type) continue;
    classes.push_back(one.class_name);
    // Connect finds these in two places.
    if (absl::StartsWith(one.class_name, "org.apache.kafka.connect.storage."))
      classes.push_back(one.class_name);
  }
  return classes;
}

// By its full or its simple name.
const Plugin* FindOfType(absl::string_view name, absl::string_view type) {
  if (const Plugin* plugin = FindPlugin(name, type)) return plugin;
  for (const Plugin& one : AllPlugins()) {
    if (one.type == type && java::SimpleClassName(one.class_name) == name) return &one;
  }
  return nullptr;
}

// A setting of Connect itself, or of one of its plug-ins.
ValidatedSetting KafkaSetting(const Definition& definition, const ConfigMap& config,
                              const std::string& checked_as) {
  ValidatedSetting setting{.definition = definition,
                           .value = {},
                           .recommended = definition.values,
                           .errors = {},
                           .visible = definition.visible};
  const std::string* value = FindValue(config, definition.name);
  if (value == nullptr && definition.default_value) value = &*definition.default_value;
  bool valid = true;
  setting.errors = KafkaErrors(definition, value, checked_as, &valid);
  if (valid && value != nullptr) setting.value = *value;
  return setting;
}

struct Asked {
  const ConfigMap& config;
  const ValidationQuestions& questions;
};

// The class of a plug-in, and after it its version. Null: none of that class, or one whose settings
// have no definitions.
const Plugin* AddClass(const Definition& class_definition, Definition version,
                       absl::string_view type, const Asked& asked, Validation* validation) {
  const ConfigMap& config = asked.config;
  ValidatedSetting setting = KafkaSetting(class_definition, config, class_definition.name);
  setting.recommended = ClassesOf(type);
  const Plugin* plugin = setting.value ? FindOfType(*setting.value, type) : nullptr;
  const bool known =
      setting.value && asked.questions.knows && asked.questions.knows(*setting.value, type);
  if (setting.value && plugin == nullptr && !known) {
    setting.errors.push_back(absl::StrCat("Invalid value ", *setting.value, " for configuration ",
                                          class_definition.name, ": Class ", *setting.value,
                                          " could not be found."));
    setting.value.reset();
  }
  validation->settings.push_back(std::move(setting));
  version.default_value.reset();
  version.visible = plugin != nullptr;
  if (plugin != nullptr) version.default_value = plugin->version();
  ValidatedSetting versioned = KafkaSetting(version, config, version.name);
  if (plugin != nullptr) versioned.recommended = {plugin->version()};
  validation->settings.push_back(std::move(versioned));
  return plugin;
}

absl::string_view ConverterType(absl::string_view name) {
  return absl::StartsWith(name, "header.") ? "header_converter" : "converter";
}

void AddFramework(const Asked& asked, Validation* validation) {
  const std::vector<Definition>& all = FrameworkDefinitions();
  for (size_t i = 0; i < all.size(); ++i) {
    Definition one = all[i];
    if (absl::EndsWith(one.name, ".converter")) {
      // As a worker without its own sets them.
      one.default_value = one.name == "header.converter"
                              ? "org.apache.kafka.connect.storage.SimpleHeaderConverter"
                              : "org.apache.kafka.connect.json.JsonConverter";
      AddClass(one, all[i + 1], ConverterType(one.name), asked, validation);
      ++i;
      continue;
    }
    ValidatedSetting setting = KafkaSetting(one, asked.config, one.name);
    if (one.name == "connector.plugin.version") setting.recommended = {ConnectorPlugin().version()};
    validation->settings.push_back(std::move(setting));
  }
}

Definition ChainClass(absl::string_view kind, const std::string& alias) {
  Definition one;
  const absl::string_view what = kind == "transforms" ? "Transformation" : "Predicate";
  one.name = absl::StrCat(kind, ".", alias, ".type");
  one.type = "CLASS";
  one.required = true;
  one.importance = "HIGH";
  one.group = absl::StrCat(kind == "transforms" ? "Transforms: " : "Predicates: ", alias);
  one.width = "LONG";
  one.display = absl::StrCat(what, " type for ", alias);
  return one;
}

Definition ChainVersion(absl::string_view kind, const std::string& alias) {
  Definition one = ChainClass(kind, alias);
  const absl::string_view what = kind == "transforms" ? "Transformation" : "Predicate";
  one.name = absl::StrCat(kind, ".", alias, ".plugin.version");
  one.type = "STRING";
  one.required = false;
  one.order = 1;
  one.display = absl::StrCat(what, " version for ", alias);
  return one;
}

// What every transform takes.
std::vector<Definition> PredicateSettings() {
  Definition negate;
  negate.name = negate.display = "negate";
  negate.type = "BOOLEAN";
  negate.default_value = "false";
  negate.importance = "MEDIUM";
  negate.order = -1;
  negate.width = "NONE";
  Definition predicate = negate;
  predicate.name = predicate.display = "predicate";
  predicate.type = "STRING";
  predicate.default_value.reset();
  return {negate, predicate};
}

int ImportanceRank(absl::string_view importance) {
  return importance == "HIGH" ? 0 : importance == "MEDIUM" ? 1 : 2;
}

// ConfigDef.sortedConfigs: what has no default first, then by importance and name.
bool ComesBefore(const Definition& one, const Definition& other) {
  if (one.group.has_value() != other.group.has_value()) return !one.group.has_value();
  if (one.order != other.order) return one.order < other.order;
  if (one.required != other.required) return one.required;
  const int rank = ImportanceRank(one.importance);
  const int other_rank = ImportanceRank(other.importance);
  return rank != other_rank ? rank < other_rank : one.name < other.name;
}

// One transform or predicate: ConfigDef.embed.
void AddLink(absl::string_view kind, const std::string& alias, const Asked& asked,
             Validation* validation) {
  const absl::string_view type = kind == "transforms" ? "transformation" : "predicate";
  const Plugin* plugin =
      AddClass(ChainClass(kind, alias), ChainVersion(kind, alias), type, asked, validation);
  if (plugin == nullptr) return;
  std::vector<Definition> definitions = plugin->definitions;
  if (kind == "transforms") {
    for (Definition& one : PredicateSettings()) definitions.push_back(std::move(one));
  }
  std::stable_sort(definitions.begin(), definitions.end(), ComesBefore);
  int order = 2;
  for (Definition& one : definitions) {
    const std::string name = one.name;
    const std::string group = *ChainClass(kind, alias).group;
    one.name = absl::StrCat(kind, ".", alias, ".", name);
    one.group = one.group ? absl::StrCat(group, ": ", *one.group) : group;
    one.order = order++;
    validation->settings.push_back(KafkaSetting(one, asked.config, name));
  }
}

void AddChain(absl::string_view kind, const Asked& asked, Validation* validation) {
  const std::string* aliases = FindValue(asked.config, kind);
  if (aliases == nullptr) return;
  for (const std::string& alias : java::SplitCommaList(*aliases))
    AddLink(kind, alias, asked, validation);
}

// Debezium gives its settings no values.
void AddConnector(const ConfigMap& config, Validation* validation) {
  for (const Definition& one : ConnectorPlugin().definitions) {
    // Connect tells it without a value, at which clients stop.
    if (one.name == "internal.legacy.snapshot.max.threads") continue;
    validation->settings.push_back({.definition = one,
                                    .value = {},
                                    .recommended = one.values,
                                    .errors = DebeziumErrors(one, config),
                                    .visible = one.visible});
  }
}

// Of those given.
void AddOverrides(absl::string_view client, const ConfigMap& config, Validation* validation) {
  const std::string prefix = absl::StrCat(client, ".override.");
  for (Definition one : ClientDefinitions(client)) {
    const std::string name = one.name;
    one.name = absl::StrCat(prefix, name);
    if (FindValue(config, one.name) != nullptr)
      validation->settings.push_back(KafkaSetting(one, config, name));
  }
}

// In the order of a HashMap of their names.
void AddConverter(const std::string& prefix, const ConfigMap& config, Validation* validation) {
  const std::string* given = FindValue(config, prefix);
  const Plugin* plugin = given == nullptr ? nullptr : FindOfType(*given, ConverterType(prefix));
  if (plugin == nullptr) return;
  std::vector<Definition> definitions = plugin->definitions;
  const size_t buckets = java::HashMapBuckets(definitions.size());
  std::stable_sort(definitions.begin(), definitions.end(),
                   [buckets](const Definition& one, const Definition& other) {
                     const auto bucket = [buckets](const Definition& definition) {
                       return java::SpreadHash(java::StringHash(definition.name)) & (buckets - 1);
                     };
                     return bucket(one) < bucket(other);
                   });
  ConfigMap with_type = config;
  PutValue(&with_type, absl::StrCat(prefix, ".converter.type"), prefix.substr(0, prefix.find('.')));
  for (Definition& one : definitions) {
    const std::string name = one.name;
    one.name = absl::StrCat(prefix, ".", name);
    validation->settings.push_back(KafkaSetting(one, with_type, name));
  }
}

ValidatedSetting* FindSetting(const std::string& name, Validation* validation) {
  for (ValidatedSetting& one : validation->settings) {
    if (one.definition.name == name) return &one;
  }
  return nullptr;
}

// Connect takes the connector, and its task fails: so it is here.
bool ComesOutLater(absl::string_view name) {
  return absl::StartsWith(name, "topic.creation.") ||
         absl::StartsWith(name, "producer.override.") || name == "signal.enabled.channels" ||
         (absl::StartsWith(name, "transforms.") &&
          (absl::EndsWith(name, ".predicate") ||
           absl::EndsWith(name, ".table.op.invalid.behavior")));
}

// The database is asked once all else is right.
void Ask(const ConfigMap& config, const ValidationQuestions& questions, bool connector_is_right,
         Validation* validation) {
  if (questions.load && validation->errors().empty()) {
    for (const auto& [name, why] : questions.load(config)) {
      if (ComesOutLater(name)) continue;
      ValidatedSetting* setting = FindSetting(name, validation);
      if (setting == nullptr) setting = FindSetting("connector.class", validation);
      setting->errors.push_back(why);
    }
    connector_is_right = connector_is_right && validation->errors().empty();
  }
  if (!questions.database || !connector_is_right) return;
  const std::string why = questions.database(config);
  if (why.empty()) return;
  FindSetting("database.hostname", validation)
      ->errors.push_back(absl::StrCat("Error while validating connector config: ", why));
}

}  // namespace

std::vector<std::string> Validation::groups() const {
  std::vector<std::string> groups;
  for (const ValidatedSetting& one : settings) {
    const std::optional<std::string>& group = one.definition.group;
    if (group && std::find(groups.begin(), groups.end(), *group) == groups.end())
      groups.push_back(*group);
  }
  return groups;
}

std::vector<std::string> Validation::errors() const {
  std::vector<std::string> all;
  for (const ValidatedSetting& one : settings)
    all.insert(all.end(), one.errors.begin(), one.errors.end());
  return all;
}

Validation Validate(const ConfigMap& config, const ValidationQuestions& questions) {
  Validation validation;
  AddFramework({config, questions}, &validation);
  AddChain("transforms", {config, questions}, &validation);
  AddChain("predicates", {config, questions}, &validation);
  const size_t before = validation.errors().size();
  AddConnector(config, &validation);
  const bool connector_is_right = validation.errors().size() == before;
  for (const char* client : {"producer", "admin"}) AddOverrides(client, config, &validation);
  for (const char* converter : {"key.converter", "value.converter", "header.converter"})
    AddConverter(converter, config, &validation);
  Ask(config, questions, connector_is_right, &validation);
  return validation;
}

}  // namespace walduct::rest
