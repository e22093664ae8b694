#include "config/properties/masking.h"

#include <utility>

#include "absl/strings/ascii.h"
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

// What names of secrets have in common, whoever made them up.
constexpr absl::string_view kSecretParts[] = {
    "passw", "pasw", "passphrase", "pwd",    "secret",  "token",
    "jaas",  "cred", "private",    "apikey", "api.key", "accesskey",
};
constexpr absl::string_view kKeyEndings[] = {"key", "pass"};

// Names that hold those of tables, columns and topics, which may be called anything.
constexpr absl::string_view kNamedByUsers[] = {"transforms.",      "predicates.", "topic.creation.",
                                               "snapshot.select.", "column.",     "datatype."};

// No row says what the name means: a misspelt secret, or one of another program.
bool MayBeSecret(const Property& property, const PropertyTable& table) {
  if (property.definition != nullptr && !property.definition->is_pattern()) return false;
  const std::string name = absl::AsciiStrToLower(property.name);
  for (const absl::string_view prefix : kNamedByUsers) {
    if (absl::StartsWith(name, prefix)) return false;
  }
  for (const absl::string_view part : kSecretParts) {
    if (absl::StrContains(name, part)) return true;
  }
  if (property.definition != nullptr) return false;
  for (const absl::string_view ending : kKeyEndings) {
    if (absl::EndsWith(name, ending)) return true;
  }
  const PropertyDefinition* nearest = table.Find(table.NearestName(property.name));
  return nearest != nullptr && nearest->secret;
}

std::unique_ptr<java::Regex> CompilePattern(absl::string_view pattern) {
  absl::StatusOr<std::unique_ptr<java::Regex>> regex =
      java::Regex::Compile(pattern, {.case_insensitive = true});
  return regex.ok() ? *std::move(regex) : nullptr;
}

// USER:PASSWORD@ of addresses.
std::string WithoutPasswords(absl::string_view text) {
  std::string shown;
  while (true) {
    const size_t begin = text.find("://");
    if (begin == absl::string_view::npos) break;
    absl::StrAppend(&shown, text.substr(0, begin + 3));
    text.remove_prefix(begin + 3);
    const absl::string_view authority = text.substr(0, text.find_first_of("/,? "));
    const size_t at = authority.rfind('@'), colon = authority.find(':');
    if (at == absl::string_view::npos || colon > at) continue;
    absl::StrAppend(&shown, authority.substr(0, colon + 1), kMask);
    text.remove_prefix(at);
  }
  absl::StrAppend(&shown, text);
  return shown;
}

}  // namespace

Masking::Masking(const PropertySet& properties)
    : table_(&properties.table()),
      pattern_(CompilePattern(properties.Text("custom.sanitize.pattern"))) {
  if (pattern_ == nullptr) pattern_ = CompilePattern(*MaskingProperties()[0].default_value);
  CHECK(pattern_ != nullptr);
}

bool Masking::IsSecret(const Property& property) const {
  if (property.definition != nullptr && property.definition->secret) return true;
  for (const absl::string_view suffix : kSecretSuffixes) {
    if (absl::EndsWithIgnoreCase(property.name, suffix)) return true;
  }
  return pattern_->FullMatch(property.name) || MayBeSecret(property, *table_);
}

bool Masking::IsReference(const Property& property) {
  const std::string& raw = property.raw;
  return absl::StartsWith(raw, "${") && raw.find('}') == raw.size() - 1 &&
         ConfigProviders::HasReference(raw);
}

std::string Masking::ShownName(absl::string_view name) {
  constexpr absl::string_view kSalt = ".with.salt.";
  const size_t at = name.find(kSalt);
  if (at == absl::string_view::npos) return std::string(name);
  return absl::StrCat(name.substr(0, at + kSalt.size()), kMask);
}

std::string Masking::Shown(const Property& property) const {
  if (IsSecret(property)) return IsReference(property) ? property.raw : std::string(kMask);
  return WithoutPasswords(property.raw);
}

std::string Masking::Shown(const Property& property, const std::string& problem) const {
  const bool hidden = IsSecret(property) || property.raw != property.value;
  if (!hidden) return problem;
  // Only the part before a quoted pattern is fixed text.
  return problem.substr(0, problem.find(", but "));
}

}  // namespace walduct::config
