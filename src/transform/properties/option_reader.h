// From the properties of one transform or predicate to the values of its options, with every
// mistake in them.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "transform/options/option_row.h"
#include "transform/options/option_values.h"

namespace walduct::transform {

// One transform or predicate while it is read: "transforms.unwrap." and what may follow.
struct Section {
  std::string prefix;
  absl::Span<const OptionRow> options = {};
  std::vector<absl::string_view> generic = {};  // type, predicate, negate, plugin.version
  absl::string_view older = "";                 // options of older releases: "a, b"
  bool strict = false;                          // walduct.strict
};

// Adds an error per mistake, and a warning per option that the class does not have; with strict
// that is an error too. Defaults are not there yet.
OptionValues ReadOptions(const config::PropertySet& properties, const Section& section,
                         config::Findings* findings);

// Adds an error per required option that is absent.
void AddDefaults(const Section& section, OptionValues* values, config::Findings* findings);

}  // namespace walduct::transform
