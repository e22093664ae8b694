// PropertySet: the properties of one connector after merging its sources, under their current
// names, references resolved. A command-line override wins over the connector file, the connector
// file over the worker file. Values are as written; the typed getters give the definition's default
// when a property is absent or blank, and expect values that passed CheckValue. Not thread-safe
// while being filled; immutable afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/properties/definition.h"
#include "config/properties/property_table.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::config {

enum class Layer { kWorker, kConnector, kOverride };

struct Property {
  std::string name;           // current name
  std::string written_as;     // an older name, else the same
  std::string found_as = "";  // the name in a file of another form: debezium.source.…
  std::string raw;            // as written, with ${…} references
  std::string value;          // references resolved: may hold secrets
  Layer layer = Layer::kConnector;
  const PropertyDefinition* definition = nullptr;  // null: unknown
};

class PropertySet {
 public:
  // table must outlive the set and its copies.
  explicit PropertySet(const PropertyTable& table) : table_(&table) {}

  const PropertyTable& table() const { return *table_; }

  // Replaces a property of a lower or the same layer, keeping its place in the order; a higher
  // layer stays.
  void Put(Property property);

  const std::vector<Property>& all() const { return properties_; }
  const Property* Find(absl::string_view name) const;
  // Present with more than blanks.
  bool IsSet(absl::string_view name) const;

  // Exact names of the table only.
  std::string Text(absl::string_view name) const;
  bool Boolean(absl::string_view name) const;
  // The default, or 0, in the place of a value that is refused: other checks go on.
  int64_t Integer(absl::string_view name) const;
  absl::Duration Milliseconds(absl::string_view name) const;

  // Any name. Null when absent or blank.
  std::shared_ptr<const java::RegexList> Regexes(absl::string_view name) const;

 private:
  const PropertyTable* table_;
  std::vector<Property> properties_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace walduct::config
