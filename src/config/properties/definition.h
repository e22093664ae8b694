// PropertyDefinition: everything walduct knows about one configuration property. The table of all
// of them is the only place: parsing, validation, error texts, `walduct validate` and
// docs/configuration.md are made from it.
//
// A name is exact ("slot.name") or a pattern: "<word>" stands for one or more characters, a final
// "*" for any rest, as in "column.mask.with.<n>.chars" and "producer.override.*". Exact names win
// over patterns, earlier patterns over later ones.
//
// Sources: Debezium 3.6 PostgreSQL connector, Kafka Connect 4 worker and connector properties, and
// our own (`sink`, `walduct.*`). All strings are literals: the table lives as long as the process.
// Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::config {

enum class PropertyGroup {
  kConnection,
  kReplication,
  kTopics,
  kFilters,
  kValues,
  kSnapshot,
  kSignals,
  kRuntime,
  kFramework,
  kKafka,
  kOffsets,
  kWalduct,
};

enum class PropertyType {
  kString,
  kPassword,
  kBoolean,
  kInt,
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
  kNotYetWarned,   // a value other than the default changes no data: warned about
  kNotYetRefused,  // a value other than the default would change the records: refused
};

// "" when value is fine, else what is wrong with it, without the value itself.
using Validator = std::string (*)(absl::string_view value);

struct PropertyDefinition {
  absl::string_view name;
  PropertyGroup group = PropertyGroup::kRuntime;
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
  bool required = false;
  bool secret = false;

  bool is_pattern() const;
};

// In the order of the documentation.
absl::Span<const PropertyDefinition* const> AllDefinitions();

// The definition for a name as written, older names included; null when unknown.
const PropertyDefinition* FindDefinition(absl::string_view name);

// The current name of an older one; nullopt when name is not an alias.
std::optional<std::string> CurrentName(absl::string_view name);

// The known name nearest to a misspelt one; empty when none is near.
std::string NearestName(absl::string_view name);
std::string NearestOf(absl::string_view name, absl::Span<const absl::string_view> names);

// Does text match a definition's name, placeholders included?
bool MatchesName(absl::string_view name_or_pattern, absl::string_view text);

absl::string_view GroupTitle(PropertyGroup group);
absl::string_view TypeName(PropertyType type);
absl::string_view SupportName(Support support);

// The parts of the table, one file each.
absl::Span<const PropertyDefinition> ConnectionDefinitions();
absl::Span<const PropertyDefinition> ReplicationDefinitions();
absl::Span<const PropertyDefinition> TopicDefinitions();
absl::Span<const PropertyDefinition> FilterDefinitions();
absl::Span<const PropertyDefinition> ValueDefinitions();
absl::Span<const PropertyDefinition> SnapshotDefinitions();
absl::Span<const PropertyDefinition> SignalDefinitions();
absl::Span<const PropertyDefinition> RuntimeDefinitions();
absl::Span<const PropertyDefinition> FrameworkDefinitions();
absl::Span<const PropertyDefinition> WorkerDefinitions();
absl::Span<const PropertyDefinition> KafkaDefinitions();
absl::Span<const PropertyDefinition> OffsetDefinitions();
absl::Span<const PropertyDefinition> WalductDefinitions();

}  // namespace walduct::config
