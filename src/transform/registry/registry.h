// All classes of transforms and predicates. A class may be written by its full name or, where it is
// unique, by the last part of it. Pure functions.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {

// In the order of docs/transforms.md.
absl::Span<const TransformClass* const> TransformClasses();
absl::Span<const PredicateClass* const> PredicateClasses();

// By full or simple name without $Key or $Value; null when unknown, or when two classes have that
// simple name.
const TransformClass* FindTransformClass(absl::string_view class_name);
const PredicateClass* FindPredicateClass(absl::string_view class_name);

// What to write instead of a class that is not known: the nearest one, else the full names of all,
// separated by ", ".
std::string AdviseTransformClass(absl::string_view written);
std::string AdvisePredicateClass(absl::string_view written);

}  // namespace walduct::transform
