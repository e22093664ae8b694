// Chains of transforms from properties, as a connector's file would have them: every option with
// its default and checked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "config/properties/findings.h"
#include "config/properties/masking.h"
#include "config/properties/own_properties.h"
#include "config/properties/property_set.h"
#include "config/properties/property_table.h"
#include "transform/properties/chain_properties.h"

namespace walduct::test {

using PropertyList = std::vector<std::pair<std::string, std::string>>;

// "name=value", one per line.
inline PropertyList ParseLines(const std::string& lines) {
  PropertyList properties;
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty()))
    properties.push_back(absl::StrSplit(line, absl::MaxSplits('=', 1)));
  return properties;
}

// What a chain asks of properties that are not its own.
inline const config::PropertyTable& TableOfChains() {
  static constexpr config::PropertyDefinition kOutbox[] = {{.name = "walduct.outbox.route",
                                                            .type = config::PropertyType::kBoolean,
                                                            .default_value = "true"}};
  static const auto* const table = new config::PropertyTable(
      {{"", config::MaskingProperties()}, {"", config::StrictnessProperties()}, {"", kOutbox}});
  return *table;
}

inline config::PropertySet PropertiesOf(const PropertyList& list) {
  config::PropertySet properties(TableOfChains());
  for (const auto& [name, value] : list) {
    config::Property property;
    property.name = property.written_as = name;
    property.raw = property.value = value;
    property.definition = TableOfChains().Find(name);
    properties.Put(std::move(property));
  }
  return properties;
}

struct ChainReading {
  transform::ChainSpec chain;
  std::vector<std::string> errors, warnings;
};

inline ChainReading ReadChain(const PropertyList& list) {
  const config::PropertySet properties = PropertiesOf(list);
  const config::Masking masking(properties);
  config::Findings findings(properties, masking);
  ChainReading reading;
  reading.chain = transform::ReadChain(properties, &findings);
  reading.errors = findings.TakeErrors();
  reading.warnings = findings.TakeWarnings();
  return reading;
}

// Of properties without mistakes.
inline transform::ChainSpec ChainOf(const PropertyList& list) {
  ChainReading reading = ReadChain(list);
  CHECK(reading.errors.empty());
  return std::move(reading.chain);
}

// The properties of one transform, by the names of its options.
inline PropertyList OneTransform(const std::string& alias, const std::string& type,
                                 const PropertyList& options = {}) {
  const std::string prefix = absl::StrCat("transforms.", alias, ".");
  PropertyList list = {{"transforms", alias}, {absl::StrCat(prefix, "type"), type}};
  for (const auto& [name, value] : options) list.emplace_back(absl::StrCat(prefix, name), value);
  return list;
}

// Several of them, in order.
inline PropertyList InOrder(const std::vector<PropertyList>& transforms) {
  PropertyList all = {{"transforms", ""}};
  for (const PropertyList& one : transforms) {
    absl::StrAppend(&all[0].second, all[0].second.empty() ? "" : ",", one[0].second);
    all.insert(all.end(), one.begin() + 1, one.end());
  }
  return all;
}

// Events of an outbox table: keyed by the aggregate, the type in a header, the payload as it is.
inline PropertyList OutboxRouting() {
  return OneTransform("outbox", "io.debezium.transforms.outbox.EventRouter",
                      {{"table.fields.additional.placement", "type:header:eventType"}});
}

}  // namespace walduct::test
