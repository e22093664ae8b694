#include "config/properties/plugin_options.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "config/properties/validators.h"

namespace walduct::config {

PluginOptions::PluginOptions(const PropertySet& properties, std::string name,
                             absl::string_view whose, Findings* findings)
    : properties_(properties),
      name_(std::move(name)),
      whose_name_(whose),
      whose_(properties.Find(whose)),
      findings_(findings) {}

bool PluginOptions::Counts(const Property& given) const {
  if (whose_ == nullptr || given.layer == Layer::kOverride || whose_->layer == Layer::kOverride ||
      whose_->layer == given.layer)
    return true;
  if (findings_ != nullptr) {
    findings_->Warn(given.name,
                    absl::StrCat("has no effect, as in Kafka Connect: the converter is set in the ",
                                 whose_->layer == Layer::kWorker ? "worker" : "connector",
                                 " file; set both in the same file"));
  }
  return false;
}

std::string PluginOptions::Text(absl::string_view option) const {
  const PropertyDefinition* const definition =
      properties_.table().Find(absl::StrCat(whose_name_, ".", option));
  CHECK(definition != nullptr);
  const Property* const given = properties_.Find(absl::StrCat(name_, ".", option));
  if (given == nullptr || absl::StripAsciiWhitespace(given->value).empty() || !Counts(*given))
    return std::string(definition->default_value.value_or(""));
  return NormalizeValue(*definition, given->value);
}

std::vector<std::pair<std::string, std::string>> PluginOptions::Behind(
    absl::string_view beginning) const {
  const std::string prefix = absl::StrCat(name_, ".", beginning);
  std::vector<std::pair<std::string, std::string>> options;
  for (const Property& property : properties_.all()) {
    absl::string_view rest = property.name;
    if (absl::ConsumePrefix(&rest, prefix) && Counts(property))
      options.emplace_back(rest, property.value);
  }
  return options;
}

}  // namespace walduct::config
