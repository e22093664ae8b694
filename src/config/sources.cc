#include "config/sources.h"

#include <memory>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "config/files/config_file.h"
#include "config/files/config_providers.h"

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
std::vector<Source> ReadSources(const LoadRequest& request, LoadReport* report) {
  std::vector<Source> sources;
  const auto read = [&](Layer layer, const std::string& path) {
    const auto text = request.texts.find(path);
    absl::StatusOr<ParsedFile> file =
        text == request.texts.end() ? ReadConfigFile(path) : ReadConfigFile(path, text->second);
    if (!file.ok()) {
      report->errors.push_back(Line(file.status()));
      return;
    }
    for (const std::string& warning : file->warnings) report->warnings.push_back(warning);
    for (const std::string& problem : file->problems) report->errors.push_back(problem);
    if (!file->problems.empty()) return;
    sources.push_back({layer, *std::move(file)});
  };
  if (request.connector_values.has_value()) {
    sources.push_back({Layer::kConnector, {.values = *request.connector_values}});
  } else {
    read(Layer::kConnector, request.connector_path);
  }
  if (request.worker_path.has_value()) read(Layer::kWorker, *request.worker_path);
  sources.push_back({Layer::kOverride, {.values = request.overrides}});
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

std::optional<std::string> FindIn(const KeyValues& values, absl::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Property MakeProperty(const std::string& name, const std::string& value, Layer layer,
                      const PropertyTable& table) {
  Property property;
  property.written_as = name;
  property.name = table.CurrentName(name).value_or(name);
  property.raw = value;
  property.value = value;
  property.layer = layer;
  property.definition = table.Find(property.name);
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

void Add(const Source& source, ConfigProviders* providers, PropertySet* properties,
         LoadReport* report) {
  for (const auto& [name, value] : source.file.values) {
    Property property = MakeProperty(name, value, source.layer, properties->table());
    if (IsShadowed(property, source.file.values)) {
      report->warnings.push_back(
          absl::StrCat("property '", name, "': ignored, '", property.name, "' is set too"));
      continue;
    }
    property.found_as = FindIn(source.file.written, name).value_or("");
    absl::StatusOr<std::string> resolved =
        providers->Resolve(FindIn(source.file.expanded, name).value_or(value));
    if (resolved.ok()) {
      property.value = *std::move(resolved);
    } else {
      report->errors.push_back(
          absl::StrCat("property '", name, "': value ", Line(resolved.status())));
    }
    properties->Put(std::move(property));
  }
}

}  // namespace

std::optional<PropertySet> ReadProperties(const LoadRequest& request, const PropertyTable& table,
                                          LoadReport* report) {
  std::vector<Source> sources = ReadSources(request, report);
  // Without its file every required property would be missing: say only what matters.
  if (!report->errors.empty()) return std::nullopt;
  absl::StatusOr<std::unique_ptr<ConfigProviders>> providers = CreateProviders(sources);
  if (!providers.ok()) {
    report->errors.push_back(Line(providers.status()));
    return std::nullopt;
  }
  PropertySet properties(table);
  for (Source& source : sources) {
    if (source.layer == Layer::kWorker)
      std::erase_if(source.file.values, [&request](const auto& value) {
        return absl::c_linear_search(request.workers_own, value.first);
      });
    Add(source, providers->get(), &properties, report);
  }
  return properties;
}

}  // namespace walduct::config
