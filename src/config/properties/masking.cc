#include "config/properties/masking.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/files/config_providers.h"
#include "config/properties/own_properties.h"

namespace walduct::config {
namespace {

constexpr absl::string_view kMask = "******";
// Private keys are PEM text in a property of their own; Debezium's pattern does not know them.
constexpr absl::string_view kSecretSuffixes[] = {"ssl.keystore.key", "ssl.key.pem",      "password",
                                                 "secret",           "sasl.jaas.config", "token"};

bool IsOneReference(absl::string_view raw) {
  return absl::StartsWith(raw, "${") && raw.find('}') == raw.size() - 1 &&
         ConfigProviders::HasReference(raw);
}

std::unique_ptr<java::Regex> CompilePattern(absl::string_view pattern) {
  absl::StatusOr<std::unique_ptr<java::Regex>> regex =
      java::Regex::Compile(pattern, {.case_insensitive = true});
  return regex.ok() ? *std::move(regex) : nullptr;
}

}  // namespace

Masking::Masking(const PropertySet& properties)
    : pattern_(CompilePattern(properties.Text("custom.sanitize.pattern"))) {
  if (pattern_ == nullptr) pattern_ = CompilePattern(*MaskingProperties()[0].default_value);
  CHECK(pattern_ != nullptr);
}

bool Masking::IsSecret(const Property& property) const {
  if (property.definition != nullptr && property.definition->secret) return true;
  for (const absl::string_view suffix : kSecretSuffixes) {
    if (absl::EndsWithIgnoreCase(property.name, suffix)) return true;
  }
  return pattern_->FullMatch(property.name);
}

std::string Masking::ShownName(absl::string_view name) {
  constexpr absl::string_view kSalt = ".with.salt.";
  const size_t at = name.find(kSalt);
  if (at == absl::string_view::npos) return std::string(name);
  return absl::StrCat(name.substr(0, at + kSalt.size()), kMask);
}

std::string Masking::Shown(const Property& property) const {
  if (IsSecret(property)) return IsOneReference(property.raw) ? property.raw : std::string(kMask);
  return property.raw;
}

std::string Masking::Shown(const Property& property, const std::string& problem) const {
  const bool hidden = IsSecret(property) || property.raw != property.value;
  if (!hidden) return problem;
  // Only the part before a quoted pattern is fixed text.
  return problem.substr(0, problem.find(", but "));
}

}  // namespace walduct::config
