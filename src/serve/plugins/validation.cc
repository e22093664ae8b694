#include "serve/plugins/validation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/hash/hash_code.h"
#include "java/text/text_lists.h"
#include "serve/plugins/checks.h"
#include "serve/plugins/versions.h"

namespace walduct::serve {
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
                              const KafkaNames& names) {
  KafkaVerdict verdict = JudgeKafka(definition, names, config);
  return {.definition = definition,
          .value = std::move(verdict.value),
          .recommended = definition.values,
          .errors = std::move(verdict.errors),
          .visible = definition.visible};
}

ValidatedSetting KafkaSetting(const Definition& definition, const ConfigMap& config) {
  return KafkaSetting(definition, config, {definition.name, definition.name});
}

struct Asked {
  const ConfigMap& config;
  const ValidationQuestions& questions;
};

ValidatedSetting* FindSetting(const std::string& name, Validation* validation) {
  for (ValidatedSetting& one : validation->settings) {
    if (one.definition.name == name) return &one;
  }
  return nullptr;
}

std::string InterfaceOf(absl::string_view type) {
  if (type == "header_converter") return "HeaderConverter";
  if (type == "converter") return "Converter";
  return type == "transformation" ? "Transformation" : "Predicate";
}

// A class of this type, or why it is none.
const Plugin* FindClass(absl::string_view type, const Asked& asked, ValidatedSetting* setting) {
  if (!setting->value) return nullptr;
  const std::string name = *setting->value;
  if (const Plugin* plugin = FindOfType(name, type)) {
    setting->value = plugin->class_name;
    return plugin;
  }
  if (asked.questions.knows && asked.questions.knows(name, type)) return nullptr;
  if (const Plugin* other = FindPlugin(name)) {
    setting->errors.push_back(absl::StrCat("Class class ", other->class_name,
                                           " does not implement the ", InterfaceOf(type),
                                           " interface"));
    return nullptr;
  }
  setting->errors.push_back(absl::StrCat("Invalid value ", name, " for configuration ",
                                         setting->definition.name, ": Class ", name,
                                         " could not be found."));
  setting->value.reset();
  return nullptr;
}

// The class of a plug-in, and after it its version. Null: none of that class, one of another
// version, or one whose settings have no definitions.
const Plugin* AddClass(const Definition& class_definition, Definition version,
                       absl::string_view type, const Asked& asked, Validation* validation) {
  const ConfigMap& config = asked.config;
  ValidatedSetting setting = KafkaSetting(class_definition, config);
  setting.recommended = ClassesOf(type);
  const Plugin* plugin = FindClass(type, asked, &setting);
  version.default_value.reset();
  const bool of_chain = type == "transformation" || type == "predicate";
  version.visible = of_chain || (setting.value && FindPlugin(*setting.value) != nullptr);
  if (plugin != nullptr) version.default_value = plugin->version();
  ValidatedSetting versioned = KafkaSetting(version, config);
  if (plugin != nullptr) versioned.recommended = {plugin->version()};
  const std::string* given = FindValue(config, version.name);
  const std::string wrong =
      plugin == nullptr || given == nullptr ? "" : VersionError(*plugin, *given);
  // That of a class which is not named is not looked at.
  if (!wrong.empty() && HasKey(config, class_definition.name)) {
    if (!absl::StartsWith(wrong, "Unbounded")) setting.errors.push_back(wrong);
    versioned.errors.push_back(wrong);
    plugin = nullptr;
  }
  validation->settings.push_back(std::move(setting));
  validation->settings.push_back(std::move(versioned));
  return plugin;
}

absl::string_view ConverterType(absl::string_view name) {
  return absl::StartsWith(name, "header.") ? "header_converter" : "converter";
}

std::string ConnectorVersionError(const ConfigMap& config) {
  const std::string* version = FindValue(config, "connector.plugin.version");
  return version == nullptr ? "" : VersionError(ConnectorPlugin(), *version);
}

// A version that is not there is said of the class, too.
void AddConnectorVersion(const ConfigMap& config, ValidatedSetting* version,
                         Validation* validation) {
  version->recommended = {ConnectorPlugin().version()};
  const std::string wrong = ConnectorVersionError(config);
  if (wrong.empty()) return;
  FindSetting("connector.class", validation)->errors.push_back(wrong);
  version->errors.push_back(wrong);
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
    ValidatedSetting setting = KafkaSetting(one, asked.config);
    if (one.name == "connector.plugin.version")
      AddConnectorVersion(asked.config, &setting, validation);
    if (one.name == "transaction.boundary" && setting.value &&
        absl::EqualsIgnoreCase(*setting.value, "connector")) {
      setting.errors.emplace_back(
          "The connector does not support connector-defined transaction boundaries with the given "
          "configuration. Please reconfigure it to use a different transaction boundary "
          "definition.");
    }
    validation->settings.push_back(std::move(setting));
  }
}

// Of a connector of a version that is not there, only what sinks have as well is told, and nothing
// of converters but what is given.
void LeaveCommonSettings(const ConfigMap& config, Validation* validation) {
  std::vector<ValidatedSetting>& all = validation->settings;
  const ValidatedSetting* last = FindSetting("errors.log.include.messages", validation);
  all.resize(static_cast<size_t>(last - all.data()) + 1);
  for (ValidatedSetting& one : all) {
    const bool version = absl::EndsWith(one.definition.name, ".converter.plugin.version");
    if (!version && !absl::EndsWith(one.definition.name, ".converter")) continue;
    one.definition.default_value.reset();
    one = KafkaSetting(one.definition, config);
    one.visible = one.visible && !version;
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

// ConfigDef.sortedConfigs: by group, what has no group first; in it what has no default first, then
// by importance and name.
void SortDefinitions(std::vector<Definition>* definitions) {
  std::map<std::string, size_t> groups;  // as they come
  for (const Definition& one : *definitions) {
    if (one.group) groups.emplace(*one.group, groups.size() + 1);
  }
  const auto rank = [&groups](const Definition& one) {
    const size_t group = one.group ? groups.at(*one.group) : 0;
    return std::tuple(group, one.order, !one.required, ImportanceRank(one.importance), one.name);
  };
  std::stable_sort(
      definitions->begin(), definitions->end(),
      [&](const Definition& one, const Definition& other) { return rank(one) < rank(other); });
}

// One transform or predicate: ConfigDef.embed.
void AddLink(absl::string_view kind, const std::string& alias, const Asked& asked,
             Validation* validation) {
  const absl::string_view type = kind == "transforms" ? "transformation" : "predicate";
  const size_t of_class = validation->settings.size();
  const Plugin* plugin =
      AddClass(ChainClass(kind, alias), ChainVersion(kind, alias), type, asked, validation);
  if (plugin == nullptr) return;
  const std::string prefix = absl::StrCat(kind, ".", alias, ".");
  if (kind == "transforms" && HasKey(asked.config, prefix + "negate") &&
      !HasKey(asked.config, prefix + "predicate")) {
    validation->settings[of_class].errors.push_back(
        absl::StrCat("Config '", prefix, "negate' was provided but there is no config '", prefix,
                     "predicate' defining a predicate to be negated."));
  }
  std::vector<Definition> definitions = plugin->definitions;
  if (kind == "transforms") {
    for (Definition& one : PredicateSettings()) definitions.push_back(std::move(one));
  }
  SortDefinitions(&definitions);
  int order = 2;
  for (Definition& one : definitions) {
    const std::string name = one.name;
    const std::string group = *ChainClass(kind, alias).group;
    one.name = prefix + name;
    one.group = one.group ? absl::StrCat(group, ": ", *one.group) : group;
    one.order = order++;
    validation->settings.push_back(KafkaSetting(one, asked.config, {one.name, name}));
  }
}

void AddChain(absl::string_view kind, const Asked& asked, Validation* validation) {
  const std::string* aliases = FindValue(asked.config, kind);
  if (aliases == nullptr) return;
  std::set<std::string> seen;
  for (const std::string& alias : KafkaList(*aliases)) {
    if (seen.insert(alias).second) AddLink(kind, alias, asked, validation);
  }
}

// Of the connector's own settings, null is as good as nothing.
void AddNulls(const ConfigMap& config, Validation* validation) {
  for (const auto& [key, value] : config) {
    const std::vector<Definition>& own = ConnectorPlugin().definitions;
    const bool of_connector = std::any_of(
        own.begin(), own.end(), [&key = key](const Definition& one) { return one.name == key; });
    if (value || of_connector) continue;
    ValidatedSetting* setting = FindSetting(key, validation);
    if (setting == nullptr) setting = FindSetting("connector.class", validation);
    setting->errors.emplace_back("Null value can not be supplied as the configuration value.");
  }
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
      validation->settings.push_back(KafkaSetting(one, config, {one.name, name}));
  }
}

// Connect makes the topics of a connector that asks for it, by an admin client; else it has none.
bool UsesAdmin(const ConfigMap& config) {
  return std::any_of(config.begin(), config.end(), [](const auto& entry) {
    return absl::StartsWith(entry.first, "topic.creation.");
  });
}

// In the order of a HashMap of their names.
void AddConverter(const std::string& prefix, const ConfigMap& config, Validation* validation) {
  const std::string* given = FindValue(config, prefix);
  const Plugin* plugin = given == nullptr ? nullptr : FindOfType(*given, ConverterType(prefix));
  if (plugin == nullptr) return;
  const std::string* version = FindValue(config, absl::StrCat(prefix, ".plugin.version"));
  if (version != nullptr && !VersionError(*plugin, *version).empty()) return;
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
  const std::string type_key = absl::StrCat(prefix, ".converter.type");
  if (!HasKey(config, type_key)) PutValue(&with_type, type_key, prefix.substr(0, prefix.find('.')));
  for (Definition& one : definitions) {
    const std::string name = one.name;
    one.name = absl::StrCat(prefix, ".", name);
    validation->settings.push_back(KafkaSetting(one, with_type, {name, name}));
  }
}

// Connect takes the connector, and its task fails: so it is here.
bool ComesOutLater(absl::string_view name) {
  return absl::StartsWith(name, "topic.creation.") ||
         absl::StartsWith(name, "producer.override.") ||
         absl::StartsWith(name, "admin.override.") || name == "signal.enabled.channels" ||
         name == "database.port" ||  // AddressError
         (absl::StartsWith(name, "transforms.") &&
          (absl::EndsWith(name, ".predicate") ||
           absl::EndsWith(name, ".table.op.invalid.behavior")));
}

// A port that the driver does not take is one of an address that it cannot read; "": none such.
std::string AddressError(const ConfigMap& config) {
  const auto text = [&config](absl::string_view name) {
    const std::string* value = FindValue(config, name);
    return value == nullptr ? std::string() : *value;
  };
  int64_t port = 0;
  const bool wrong = absl::SimpleAtoi(text("database.port"), &port) && (port < 1 || port > 65535);
  if (!wrong) return "";
  return absl::StrCat("Unable to parse URL jdbc:postgresql://", text("database.hostname"), ":",
                      port, "/", text("database.dbname"));
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
  std::string why = AddressError(config);
  if (why.empty()) why = questions.database(config);
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
  if (!ConnectorVersionError(config).empty()) {
    LeaveCommonSettings(config, &validation);
    return validation;
  }
  AddChain("transforms", {config, questions}, &validation);
  AddChain("predicates", {config, questions}, &validation);
  AddNulls(config, &validation);
  const size_t before = validation.errors().size();
  AddConnector(config, &validation);
  const bool connector_is_right = validation.errors().size() == before;
  AddOverrides("producer", config, &validation);
  if (UsesAdmin(config)) AddOverrides("admin", config, &validation);
  for (const char* converter : {"key.converter", "value.converter", "header.converter"})
    AddConverter(converter, config, &validation);
  Ask(config, questions, connector_is_right, &validation);
  return validation;
}

}  // namespace walduct::serve
