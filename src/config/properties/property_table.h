// PropertyTable: every property that a program knows, put together from the rows that its rooms
// declare. Parsing, validation, error texts, `walduct validate` and docs/configuration.md are made
// from it. Immutable; thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/properties/definition.h"

namespace walduct::config {

// Rows that stand together in the documentation.
struct PropertySection {
  absl::string_view title;  // of the chapter; neighbours with the same title are one chapter
  absl::Span<const PropertyDefinition> rows;
};

class PropertyTable {
 public:
  // In the order of the documentation; earlier patterns win over later ones. The rows must outlive
  // the table. A name or an alias that occurs twice is a broken invariant.
  explicit PropertyTable(std::vector<PropertySection> sections);

  const std::vector<PropertySection>& sections() const { return sections_; }
  absl::Span<const PropertyDefinition* const> all() const { return all_; }

  // The definition for a name as written, older names included; null when unknown.
  const PropertyDefinition* Find(absl::string_view name) const;

  // The current name of an older one; nullopt when name is not an alias.
  std::optional<std::string> CurrentName(absl::string_view name) const;

  // The known name nearest to a misspelt one; empty when none is near.
  std::string NearestName(absl::string_view name) const;

  // Of a name that no row fits: the row of what hides values that it was meant for; null: none.
  const PropertyDefinition* MeantToHide(absl::string_view name) const;

 private:
  void Add(const PropertyDefinition& definition);

  std::vector<PropertySection> sections_;
  std::vector<const PropertyDefinition*> all_, patterns_;
  std::map<absl::string_view, const PropertyDefinition*> exact_, aliases_;
};

}  // namespace walduct::config
