// raw pairs of each source → references resolved, older names replaced → checked by the table →
// typed options.
#include "config/loader.h"

#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "config/files/config_file.h"
#include "config/files/config_providers.h"
#include "config/options_builder.h"
#include "config/outbox_routing.h"
#include "config/properties/findings.h"
#include "config/properties/masking.h"
#include "config/properties/property_set.h"
#include "config/property_checks.h"

namespace walduct::config {
namespace {

struct Source {
  Layer layer;
  ParsedFile file;
};

std::string Line(const absl::Status& status) {
  const std::string hint = ErrorHint(status);
  return hint.empty() ? std::string(status.message()) : absl::StrCat(status.message(), "; ", hint);
}

// The connector file first: the report keeps its order.
std::vector<Source> ReadSources(const LoadRequest& request, LoadResult* result) {
  std::vector<Source> sources;
  const auto read = [&](Layer layer, const std::string& path) {
    absl::StatusOr<ParsedFile> file = ReadConfigFile(path);
    if (!file.ok()) {
      result->errors.push_back(Line(file.status()));
      return;
    }
    for (const std::string& warning : file->warnings) result->loaded.warnings.push_back(warning);
    sources.push_back({layer, *std::move(file)});
  };
  read(Layer::kConnector, request.connector_path);
  if (request.worker_path.has_value()) read(Layer::kWorker, *request.worker_path);
  sources.push_back({Layer::kOverride, {request.overrides, {}}});
  return sources;
}

// config.providers* of every source; the first of equal names counts, so overrides come first and
// the worker last.
absl::StatusOr<std::unique_ptr<ConfigProviders>> CreateProviders(
    const std::vector<Source>& sources) {
  KeyValues merged;
  for (const Layer layer : {Layer::kOverride, Layer::kConnector, Layer::kWorker}) {
    for (const Source& source : sources) {
      if (source.layer == layer)
        merged.insert(merged.end(), source.file.values.begin(), source.file.values.end());
    }
  }
  return ConfigProviders::Create(merged);
}

Property MakeProperty(const std::string& name, const std::string& value, Layer layer) {
  Property property;
  property.written_as = name;
  property.name = CurrentName(name).value_or(name);
  property.raw = value;
  property.value = value;
  property.layer = layer;
  property.definition = FindDefinition(property.name);
  return property;
}

// An older name beside the current one of the same file loses.
bool IsShadowed(const Property& property, const KeyValues& values) {
  if (property.name == property.written_as) return false;
  for (const auto& pair : values) {
    if (pair.first == property.name) return true;
  }
  return false;
}

PropertySet Merge(const std::vector<Source>& sources, ConfigProviders* providers,
                  LoadResult* result) {
  PropertySet properties;
  for (const Source& source : sources) {
    for (const auto& [name, value] : source.file.values) {
      Property property = MakeProperty(name, value, source.layer);
      if (IsShadowed(property, source.file.values)) {
        result->loaded.warnings.push_back(
            absl::StrCat("property '", name, "': ignored, '", property.name, "' is set too"));
        continue;
      }
      absl::StatusOr<std::string> resolved = providers->Resolve(value);
      if (resolved.ok()) {
        property.value = *std::move(resolved);
      } else {
        result->errors.push_back(
            absl::StrCat("property '", name, "': value ", Line(resolved.status())));
      }
      properties.Put(std::move(property));
    }
  }
  return properties;
}

void Append(std::vector<std::string> lines, std::vector<std::string>* out) {
  for (std::string& line : lines) out->push_back(std::move(line));
}

// Whatever a text is about, it may quote a name.
void HideSalts(const PropertySet& properties, LoadResult* result) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Property& property : properties.all()) {
    for (const std::string& name : {property.written_as, property.name}) {
      std::string shown = Masking::ShownName(name);
      if (shown != name) names.emplace_back(name, std::move(shown));
    }
  }
  if (names.empty()) return;
  for (std::string& line : result->errors) line = absl::StrReplaceAll(line, names);
  for (std::string& line : result->loaded.warnings) line = absl::StrReplaceAll(line, names);
  for (PropertyReport& report : result->loaded.properties) {
    report.name = Masking::ShownName(report.name);
    report.note = absl::StrReplaceAll(report.note, names);
  }
}

void CheckAndBuild(PropertySet properties, const std::string& default_name, LoadResult* result) {
  const std::string name = properties.IsSet("name") ? properties.Find("name")->value : default_name;
  const std::optional<Guess> prefix = GuessTopicPrefix(name, &properties);
  const Masking masking(properties);
  Findings findings(properties, masking);
  if (prefix) ReportGuess(*prefix, properties.Boolean("walduct.strict"), &findings);
  for (const Property& property : properties.all()) {
    result->loaded.properties.push_back(CheckProperty(property, properties, masking, &findings));
  }
  CheckCombinations(properties, &findings);
  if (!findings.refused() && result->errors.empty()) {
    result->loaded.options = BuildOptions(properties, default_name, &findings);
  }
  Append(findings.TakeErrors(), &result->errors);
  Append(findings.TakeWarnings(), &result->loaded.warnings);
}

}  // namespace

LoadResult LoadConnector(const LoadRequest& request) {
  LoadResult result;
  const std::vector<Source> sources = ReadSources(request, &result);
  // Without its file every required property would be missing: say only what matters.
  if (!result.errors.empty()) return result;
  absl::StatusOr<std::unique_ptr<ConfigProviders>> providers = CreateProviders(sources);
  if (!providers.ok()) {
    result.errors.push_back(Line(providers.status()));
    return result;
  }
  const PropertySet properties = Merge(sources, providers->get(), &result);
  CheckAndBuild(properties, std::filesystem::path(request.connector_path).stem().string(), &result);
  HideSalts(properties, &result);
  return result;
}

}  // namespace walduct::config
