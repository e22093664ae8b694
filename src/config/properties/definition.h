// PropertyDefinition: everything walduct knows about one configuration property. Each room declares
// rows for its own; a PropertyTable puts them together.
//
// A name is exact ("slot.name") or a pattern: "<word>" stands for one or more characters, a final
// "*" for any rest, as in "column.mask.with.<n>.chars" and "producer.override.*". Exact names win
// over patterns, earlier patterns over later ones.
//
// Sources: Debezium 3.6 PostgreSQL connector, Kafka Connect 4 worker and connector properties, and
// our own (`sink`, `walduct.*`). All strings are literals: rows live as long as the process.
// Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::config {

class PropertySet;

enum class PropertyType {
  kString,
  kPassword,
  kBoolean,
  kInt,
  kInts,  // one, or several separated by commas
  kPositiveInt,
  kNonNegativeInt,
  kPositiveLong,
  kNonNegativeLong,
  kEnum,
  kList,
  kRegexList,
  kRegex,
  kClass,
};

enum class Support {
  kHonoured,
  kNoEffect,       // accepted for ever without effect; note says why
  kMisplaced,      // the same, but whoever wrote it expects something: warned about
  kNotYetWarned,   // a value other than the default changes no data: warned about
  kNotYetRefused,  // a value other than the default would change the records: refused
};

// "" when value is fine, else what is wrong with it, without the value itself.
using Validator = std::string (*)(absl::string_view value);

// "" when the property `name` has an effect beside the others, else why it has none.
using IdleCheck = std::string (*)(const PropertySet& properties, absl::string_view name);

// What a value that has no error stands for, for the note of a report; "" says nothing.
using Meaning = std::string (*)(absl::string_view value);

struct PropertyDefinition {
  absl::string_view name;
  PropertyType type = PropertyType::kString;
  std::optional<absl::string_view> default_value = std::nullopt;
  Support support = Support::kHonoured;
  absl::string_view doc = "";            // one sentence
  absl::string_view note = "";           // why without effect, or what is missing
  absl::string_view allowed = "";        // kEnum: "a, b, c"
  absl::string_view refused = "";        // of the allowed values, those not supported yet: "a, b"
  absl::string_view value_aliases = "";  // older spellings of values: "schema_only=no_data, …"
  absl::string_view aliases = "";        // older names: "database.server.name, …"
  absl::string_view fix = "";            // what to type after an error
  Validator validator = nullptr;
  Validator name_validator = nullptr;  // patterns: checks what stands for the placeholders
  IdleCheck idle = nullptr;
  Meaning meaning = nullptr;
  bool required = false;
  bool secret = false;
  // Patterns: a name near an exact one with the same beginning is a misspelling of that.
  bool suspects_misspellings = false;
  // Patterns of what hides values: a name that begins so and fits no row is refused, for it would
  // hide nothing.
  absl::string_view hides = "";

  bool is_pattern() const;
};

absl::string_view TypeName(PropertyType type);
absl::string_view SupportName(Support support);

}  // namespace walduct::config
