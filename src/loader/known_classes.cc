#include "loader/known_classes.h"

#include "absl/strings/strip.h"
#include "encode/options/converter_classes.h"
#include "transform/registry/registry.h"

namespace walduct::loader {

bool KnowsClass(absl::string_view class_name, absl::string_view type) {
  if (type == "predicate") return transform::FindPredicateClass(class_name) != nullptr;
  if (type != "transformation") return encode::FindConverterClass(class_name) != nullptr;
  class_name = absl::StripSuffix(absl::StripSuffix(class_name, "$Key"), "$Value");
  return transform::FindTransformClass(class_name) != nullptr;
}

}  // namespace walduct::loader
