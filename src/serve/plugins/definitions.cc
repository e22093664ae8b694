#include "serve/plugins/definitions.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "admin/connect_bodies.h"
#include "java/text/text_lists.h"
#include "operate/commands/version.h"
#include "serve/plugins/definitions_text.h"

namespace walduct::serve {
namespace {

std::optional<std::string> Given(absl::string_view text) {
  if (text == "~") return std::nullopt;
  return std::string(text);
}

std::vector<std::string> Words(absl::string_view text, char separator) {
  return absl::StrSplit(text, separator, absl::SkipEmpty());
}

// "kin:none, all" is one check.
std::vector<std::string> Checks(absl::string_view text) {
  if (absl::StartsWith(text, "k")) return {std::string(text)};
  return Words(text, ' ');
}

Definition ReadDefinition(const std::vector<absl::string_view>& fields) {
  Definition one;
  one.name = std::string(fields[0]);
  one.type = std::string(fields[1]);
  one.required = fields[2] == "1";
  one.default_value = Given(fields[3]);
  one.importance = std::string(fields[4]);
  one.group = Given(fields[5]);
  static_cast<void>(absl::SimpleAtoi(fields[6], &one.order));
  one.width = std::string(fields[7]);
  one.display = std::string(fields[8]);
  one.visible = fields[9] == "1";
  one.values = Words(fields[10], ',');
  one.checks = Checks(fields[11]);
  one.dependents = Words(fields[12], ',');
  return one;
}

struct Tables {
  std::vector<Plugin> plugins;
  std::vector<Definition> framework, producer, admin;
};

// A header converter that is a converter, too, has its settings.
void ShareSettings(std::vector<Plugin>* plugins) {
  for (Plugin& one : *plugins) {
    if (one.type != "header_converter" || !one.definitions.empty()) continue;
    for (const Plugin& other : *plugins) {
      if (other.type == "converter" && other.class_name == one.class_name)
        one.definitions = other.definitions;
    }
  }
}

Tables ReadTables() {
  Tables tables;
  std::vector<Definition>* target = nullptr;
  for (const absl::string_view line : absl::StrSplit(DefinitionsText(), '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
    if (fields[0] != "plugin") {
      target->push_back(ReadDefinition(fields));
    } else if (fields[1] == "framework") {
      target = &tables.framework;
    } else if (fields[1] == "producer") {
      target = &tables.producer;
    } else if (fields[1] == "admin") {
      target = &tables.admin;
    } else {
      tables.plugins.push_back({.class_name = std::string(fields[1]),
                                .type = std::string(fields[2]),
                                .debezium = fields[3] == "debezium",
                                .definitions = {}});
      target = &tables.plugins.back().definitions;
    }
  }
  ShareSettings(&tables.plugins);
  return tables;
}

const Tables& TheTables() {
  static const Tables tables = ReadTables();
  return tables;
}

}  // namespace

std::string Plugin::version() const {
  return debezium ? std::string(operate::LibraryVersions().debezium)
                  : std::string(admin::kConnectVersion);
}

const std::vector<Plugin>& AllPlugins() { return TheTables().plugins; }

const std::vector<Definition>& FrameworkDefinitions() { return TheTables().framework; }

const std::vector<Definition>& ClientDefinitions(absl::string_view client) {
  return client == "producer" ? TheTables().producer : TheTables().admin;
}

const Plugin& ConnectorPlugin() { return AllPlugins().front(); }

// A simple name that two classes have is none.
const Plugin* FindPlugin(absl::string_view name) {
  const Plugin* found = nullptr;
  for (const Plugin& one : AllPlugins()) {
    if (one.class_name == name) return &one;
    const absl::string_view simple = java::SimpleClassName(one.class_name);
    const bool pruned =
        one.type == "source" && absl::StripSuffix(simple, "Connector") == name && !name.empty();
    if (simple != name && !pruned) continue;
    if (found != nullptr && found->class_name != one.class_name) return nullptr;
    if (found == nullptr) found = &one;
  }
  return found;
}

const Plugin* FindPlugin(absl::string_view class_name, absl::string_view type) {
  for (const Plugin& one : AllPlugins()) {
    if (one.type == type && one.class_name == class_name) return &one;
  }
  return nullptr;
}

}  // namespace walduct::serve
