#include "config/files/yaml_config.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "config/files/connect_json.h"
#include "config/files/yaml_text.h"

namespace walduct::config {
namespace {

using Kind = YamlNode::Kind;

absl::Status Refused(absl::string_view message, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "bad_yaml", message, hint);
}

absl::Status CheckName(absl::string_view outer, const YamlNode& config) {
  const std::string inner = config.Text("name");
  return outer.empty() || inner.empty() ? absl::OkStatus() : CheckOneName(outer, inner);
}

void Set(absl::string_view name, absl::string_view value, KeyValues* values) {
  for (auto& [key, present] : *values) {
    if (key != name) continue;
    present = std::string(value);
    return;
  }
  values->emplace_back(name, value);
}

bool Has(const KeyValues& values, absl::string_view name) {
  for (const auto& pair : values) {
    if (pair.first == name) return true;
  }
  return false;
}

// Nested names joined by dots. Lists of scalars are lists of a property.
absl::Status Flatten(const YamlNode& map, const std::string& prefix, ParsedFile* file) {
  for (size_t i = 0; i < map.keys.size(); ++i) {
    const std::string name = absl::StrCat(prefix, map.keys[i]);
    const YamlNode& value = map.items[i];
    switch (value.kind) {
      case Kind::kNull:
        file->warnings.push_back(absl::StrCat("property '", name, "': null, so it is not set"));
        break;
      case Kind::kScalar:
        Set(name, value.text, &file->values);
        break;
      case Kind::kMap:
        RETURN_IF_ERROR(Flatten(value, absl::StrCat(name, "."), file));
        break;
      case Kind::kList: {
        std::string joined;
        for (const YamlNode& item : value.items) {
          if (item.kind != Kind::kScalar)
            return Refused(absl::StrCat("property '", name, "': its list holds more than text"),
                           "write the items as one text, separated by commas");
          absl::StrAppend(&joined, joined.empty() ? "" : ",", item.text);
        }
        Set(name, joined, &file->values);
        break;
      }
    }
  }
  return absl::OkStatus();
}

// spec.config of Strimzi's KafkaConnector, with what the operator adds.
absl::StatusOr<ParsedFile> FromKafkaConnector(const YamlNode& manifest) {
  ParsedFile file;
  const YamlNode* metadata = manifest.Find("metadata");
  const YamlNode* spec = manifest.Find("spec");
  if (metadata != nullptr) Set("name", metadata->Text("name"), &file.values);
  if (spec == nullptr || !spec->is_map())
    return Refused("the KafkaConnector has no spec", "write spec.class and spec.config");
  if (const std::string type = spec->Text("class"); !type.empty())
    Set("connector.class", type, &file.values);
  if (const std::string tasks = spec->Text("tasksMax"); !tasks.empty())
    Set("tasks.max", tasks, &file.values);
  if (const YamlNode* config = spec->Find("config"); config != nullptr && config->is_map()) {
    if (metadata != nullptr) RETURN_IF_ERROR(CheckName(metadata->Text("name"), *config));
    RETURN_IF_ERROR(Flatten(*config, "", &file));
  }
  return file;
}

// What a worker has: for the connector where it does not say otherwise.
absl::Status AddWorker(const YamlNode& manifest, ParsedFile* file) {
  const YamlNode* spec = manifest.Find("spec");
  if (spec == nullptr) return absl::OkStatus();
  ParsedFile worker;
  if (const std::string brokers = spec->Text("bootstrapServers"); !brokers.empty())
    Set("bootstrap.servers", brokers, &worker.values);
  if (const YamlNode* config = spec->Find("config"); config != nullptr && config->is_map())
    RETURN_IF_ERROR(Flatten(*config, "", &worker));
  for (const auto& [name, value] : worker.values) {
    if (!Has(file->values, name)) Set(name, value, &file->values);
  }
  return absl::OkStatus();
}

// The parts of a DebeziumServer, by the names of an application.properties.
class DebeziumServerManifest {
 public:
  absl::StatusOr<ParsedFile> Convert(const YamlNode& spec) {
    if (const YamlNode* source = spec.Find("source")) RETURN_IF_ERROR(AddSource(*source));
    if (const YamlNode* sink = spec.Find("sink")) {
      const std::string type = sink->Text("type");
      Put("debezium.sink.type", type);
      RETURN_IF_ERROR(AddConfig(*sink, absl::StrCat("debezium.sink.", type, ".")));
    }
    if (const YamlNode* format = spec.Find("format")) {
      for (const absl::string_view part : {"key", "value", "header"}) {
        const YamlNode* one = format->Find(part);
        if (one == nullptr) continue;
        Put(absl::StrCat("debezium.format.", part), one->Text("type"));
        RETURN_IF_ERROR(AddConfig(*one, absl::StrCat("debezium.format.", part, ".")));
      }
    }
    RETURN_IF_ERROR(AddTransforms(spec));
    RETURN_IF_ERROR(AddPredicates(spec));
    if (const YamlNode* quarkus = spec.Find("quarkus"))
      RETURN_IF_ERROR(AddConfig(*quarkus, "quarkus."));
    return std::move(file_);
  }

 private:
  void Put(const std::string& name, const std::string& value) {
    if (!value.empty()) Set(name, value, &file_.values);
  }

  absl::Status AddConfig(const YamlNode& part, const std::string& prefix) {
    const YamlNode* config = part.Find("config");
    if (config == nullptr || !config->is_map()) return absl::OkStatus();
    return Flatten(*config, prefix, &file_);
  }

  absl::Status AddSource(const YamlNode& source) {
    Put("debezium.source.connector.class", source.Text("class"));
    RETURN_IF_ERROR(AddConfig(source, "debezium.source."));
    const YamlNode* offset = source.Find("offset");
    if (offset == nullptr) return absl::OkStatus();
    if (offset->Find("memory") != nullptr)
      Put("debezium.source.offset.storage",
          "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    if (const YamlNode* file = offset->Find("file"))
      Put("debezium.source.offset.storage.file.filename", file->Text("fileName"));
    if (const YamlNode* kafka = offset->Find("kafka")) AddKafkaOffsets(*kafka);
    for (const absl::string_view store : {"redis", "jdbc", "configMap", "store"}) {
      if (const YamlNode* other = offset->Find(store))
        Put("debezium.source.offset.storage",
            other->Text("type").empty() ? std::string(store) : other->Text("type"));
    }
    return absl::OkStatus();
  }

  void AddKafkaOffsets(const YamlNode& kafka) {
    const std::string prefix = "debezium.source.";
    Put(prefix + "offset.storage", "org.apache.kafka.connect.storage.KafkaOffsetBackingStore");
    Put(prefix + "bootstrap.servers", kafka.Text("bootstrapServers"));
    Put(prefix + "offset.storage.topic", kafka.Text("topic"));
    Put(prefix + "offset.storage.partitions", kafka.Text("partitions"));
    Put(prefix + "offset.storage.replication.factor", kafka.Text("replicationFactor"));
  }

  absl::Status AddTransforms(const YamlNode& spec) {
    const YamlNode* transforms = spec.Find("transforms");
    if (transforms == nullptr) return absl::OkStatus();
    std::string names;
    for (size_t i = 0; i < transforms->items.size(); ++i) {
      const YamlNode& one = transforms->items[i];
      const std::string name = absl::StrCat("t", i);
      absl::StrAppend(&names, i == 0 ? "" : ",", name);
      const std::string prefix = absl::StrCat("debezium.transforms.", name, ".");
      for (const absl::string_view key : {"type", "predicate", "negate"})
        Put(absl::StrCat(prefix, key), one.Text(key));
      RETURN_IF_ERROR(AddConfig(one, prefix));
    }
    Put("debezium.transforms", names);
    return absl::OkStatus();
  }

  absl::Status AddPredicates(const YamlNode& spec) {
    const YamlNode* predicates = spec.Find("predicates");
    if (predicates == nullptr) return absl::OkStatus();
    std::string names;
    for (size_t i = 0; i < predicates->keys.size(); ++i) {
      absl::StrAppend(&names, i == 0 ? "" : ",", predicates->keys[i]);
      const std::string prefix = absl::StrCat("debezium.predicates.", predicates->keys[i], ".");
      Put(absl::StrCat(prefix, "type"), predicates->items[i].Text("type"));
      RETURN_IF_ERROR(AddConfig(predicates->items[i], prefix));
    }
    Put("debezium.predicates", names);
    return absl::OkStatus();
  }

  ParsedFile file_;
};

// A file that a pod mounts.
bool IsMountedFile(absl::string_view name) {
  return absl::EndsWith(name, ".properties") || absl::EndsWith(name, ".json") ||
         absl::EndsWith(name, ".yaml") || absl::EndsWith(name, ".yml");
}

bool IsConnector(const ParsedFile& file) {
  return std::any_of(file.values.begin(), file.values.end(), [](const auto& pair) {
    return pair.first == "connector.class" || absl::StartsWith(pair.first, "debezium.");
  });
}

// Adds the connectors among the files of a ConfigMap or a Secret.
absl::Status AddFiles(const YamlNode& manifest, const ReadText& read_text,
                      std::vector<ParsedFile>* files) {
  for (const absl::string_view member : {"data", "stringData"}) {
    const YamlNode* data = manifest.Find(member);
    if (data == nullptr || !data->is_map()) continue;
    for (size_t i = 0; i < data->keys.size(); ++i) {
      if (!IsMountedFile(data->keys[i]) || data->items[i].kind != Kind::kScalar) continue;
      std::string text = data->items[i].text;
      if (manifest.Text("kind") == "Secret" && member == "data") {
        const std::string encoded = text;
        if (!absl::Base64Unescape(encoded, &text))
          return Refused(absl::StrCat("'", data->keys[i], "' of the Secret is not base64"), "");
      }
      ASSIGN_OR_RETURN(ParsedFile file, read_text(text));
      if (IsConnector(file)) files->push_back(std::move(file));
    }
  }
  return absl::OkStatus();
}

bool IsPostgres(const ParsedFile& file) {
  for (const auto& [name, value] : file.values) {
    if (absl::EndsWith(name, "connector.class")) return absl::StrContains(value, "Postgres");
  }
  return true;
}

absl::StatusOr<ParsedFile> TheOne(std::vector<ParsedFile> connectors) {
  std::vector<ParsedFile> ours;
  for (ParsedFile& one : connectors) {
    if (connectors.size() == 1 || IsPostgres(one)) ours.push_back(std::move(one));
  }
  if (ours.size() == 1) return std::move(ours[0]);
  if (ours.empty())
    return Refused("the manifests hold no connector",
                   "write a KafkaConnector, a DebeziumServer, or a ConfigMap with an "
                   "application.properties");
  return Refused(absl::StrCat("the manifests hold ", ours.size(), " connectors"),
                 "write each into a file of its own, and give each with -f");
}

absl::StatusOr<ParsedFile> FromManifests(const std::vector<YamlNode>& documents,
                                         const ReadText& read_text) {
  std::vector<ParsedFile> connectors;
  for (const YamlNode& document : documents) {
    const std::string kind = document.Text("kind");
    if (kind == "KafkaConnector") {
      ASSIGN_OR_RETURN(ParsedFile file, FromKafkaConnector(document));
      connectors.push_back(std::move(file));
    } else if (kind == "DebeziumServer" && document.Find("spec") != nullptr) {
      ASSIGN_OR_RETURN(ParsedFile file, DebeziumServerManifest().Convert(*document.Find("spec")));
      connectors.push_back(std::move(file));
    } else if (kind == "ConfigMap" || kind == "Secret") {
      RETURN_IF_ERROR(AddFiles(document, read_text, &connectors));
    }
  }
  ASSIGN_OR_RETURN(ParsedFile file, TheOne(std::move(connectors)));
  for (const YamlNode& document : documents) {
    if (document.Text("kind") == "KafkaConnect") RETURN_IF_ERROR(AddWorker(document, &file));
  }
  return file;
}

// Connect's REST body, or one map.
absl::StatusOr<ParsedFile> FromMap(const YamlNode& map) {
  ParsedFile file;
  const YamlNode* config = map.Find("config");
  if (config != nullptr && config->is_map()) {
    if (const std::string name = map.Text("name"); !name.empty()) Set("name", name, &file.values);
    RETURN_IF_ERROR(CheckName(map.Text("name"), *config));
    RETURN_IF_ERROR(Flatten(*config, "", &file));
    return file;
  }
  RETURN_IF_ERROR(Flatten(map, "", &file));
  return file;
}

}  // namespace

bool LooksLikeYaml(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line);
    if (absl::StripLeadingAsciiWhitespace(line).empty() || line[0] == '#') continue;
    if (line == "---" || absl::StartsWith(line, "--- ") || absl::StartsWith(line, "apiVersion:"))
      return true;
    // A name with nothing behind its colon begins a nested map; properties have no use for it.
    if (absl::EndsWith(line, ":") && !absl::StrContains(line, '=')) return true;
  }
  return false;
}

absl::StatusOr<ParsedFile> ParseYamlConfig(absl::string_view text, const ReadText& read_text) {
  ASSIGN_OR_RETURN(const std::vector<YamlNode> documents, ParseYaml(text));
  if (documents.empty() || !documents[0].is_map())
    return Refused("the YAML text is not a map of properties",
                   "write a KafkaConnector, or the properties as name: value");
  for (const YamlNode& document : documents) {
    if (document.is_map() && !document.Text("apiVersion").empty())
      return FromManifests(documents, read_text);
  }
  return FromMap(documents[0]);
}

}  // namespace walduct::config
