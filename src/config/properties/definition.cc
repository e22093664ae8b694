#include "config/properties/definition.h"

#include <array>

#include "absl/strings/match.h"

namespace walduct::config {
namespace {

constexpr std::array<absl::string_view, 14> kTypeNames = {
    "string",   "password",  "boolean", "int",  "int list",   "int > 0", "int >= 0",
    "long > 0", "long >= 0", "enum",    "list", "regex list", "regex",   "class",
};
constexpr std::array<absl::string_view, 5> kSupportNames = {
    "honoured", "no effect", "no effect (warned)", "not yet (warned)", "not yet (refused)"};

}  // namespace

bool PropertyDefinition::is_pattern() const {
  return absl::StrContains(name, '<') || absl::EndsWith(name, "*");
}

absl::string_view TypeName(PropertyType type) { return kTypeNames[static_cast<size_t>(type)]; }
absl::string_view SupportName(Support support) {
  return kSupportNames[static_cast<size_t>(support)];
}

}  // namespace walduct::config
