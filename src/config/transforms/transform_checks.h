// `transforms`, `predicates` and their options: from properties to a TransformChainOptions. Every
// mistake is found here, before any server is touched.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/options/transform_spec.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// Adds an error per mistake; what is returned is of use only when there was none.
TransformChainOptions ReadTransforms(const PropertySet& properties, Findings* findings);

// "" when name ("transforms.unwrap.type") is an option of a transform or predicate that its list
// names, else why it has no effect.
std::string ExplainUnlisted(const PropertySet& properties, absl::string_view name);

}  // namespace walduct::config
