#include "transform/registry/registry.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/properties/names.h"
#include "java/text/text_lists.h"

namespace walduct::transform {

// One line per transform, in the order of docs/transforms.md: the name of its TransformClass.
#define WALDUCT_TRANSFORMS(ADD)             \
  ADD(kEventRouter)                         \
  ADD(kDecodeLogicalDecodingMessageContent) \
  ADD(kExtractNewRecordState)               \
  ADD(kByLogicalTableRouter)                \
  ADD(kToLogicalTopicRouter)                \
  ADD(kExtractChangedRecordState)           \
  ADD(kHeaderToValue)                       \
  ADD(kPartitionRouting)                    \
  ADD(kTimezoneConverter)                   \
  ADD(kFilterByExpression)                  \
  ADD(kContentBasedRouter)                  \
  ADD(kSchemaChangeEventFilter)             \
  ADD(kVectorToJsonConverter)               \
  ADD(kEnforceRecordSize)                   \
  ADD(kGeometryFormatTransformer)           \
  ADD(kSwapGeometryCoordinates)             \
  ADD(kExtractSchemaToNewRecord)            \
  ADD(kActivateTracingSpan)                 \
  ADD(kTimescaleDb)                         \
  ADD(kOpenLineage)                         \
  ADD(kConfluentFilter)                     \
  ADD(kConfluentExtractTopic)               \
  ADD(kCast)                                \
  ADD(kDropHeaders)                         \
  ADD(kExtractField)                        \
  ADD(kFilter)                              \
  ADD(kFlatten)                             \
  ADD(kHeaderFrom)                          \
  ADD(kHoistField)                          \
  ADD(kInsertField)                         \
  ADD(kInsertHeader)                        \
  ADD(kMaskField)                           \
  ADD(kRegexRouter)                         \
  ADD(kReplaceField)                        \
  ADD(kSetSchemaMetadata)                   \
  ADD(kTimestampConverter)                  \
  ADD(kTimestampRouter)                     \
  ADD(kValueToKey)

#define WALDUCT_PREDICATES(ADD) \
  ADD(kTopicNameMatches)        \
  ADD(kHasHeaderKey)            \
  ADD(kRecordIsTombstone)

#define WALDUCT_DECLARE(name) extern const TransformClass name;
WALDUCT_TRANSFORMS(WALDUCT_DECLARE)
#undef WALDUCT_DECLARE
#define WALDUCT_DECLARE(name) extern const PredicateClass name;
WALDUCT_PREDICATES(WALDUCT_DECLARE)
#undef WALDUCT_DECLARE

namespace {

#define WALDUCT_ROW(name) &name,
constexpr const TransformClass* kTransforms[] = {WALDUCT_TRANSFORMS(WALDUCT_ROW)};
constexpr const PredicateClass* kPredicates[] = {WALDUCT_PREDICATES(WALDUCT_ROW)};
#undef WALDUCT_ROW

// A class of another package is nearer than one of a similar name.
std::string AdviseClass(absl::string_view written, const std::vector<absl::string_view>& classes,
                        const std::vector<std::string>& names) {
  for (const absl::string_view one : classes) {
    if (java::SimpleClassName(one) == java::SimpleClassName(written))
      return absl::StrCat("did you mean '", one, "'?");
  }
  const std::string nearest = config::NearestOf(written, classes);
  return nearest.empty() ? absl::StrCat("supported: ", absl::StrJoin(names, ", "))
                         : absl::StrCat("did you mean '", nearest, "'?");
}

}  // namespace

absl::Span<const TransformClass* const> TransformClasses() { return kTransforms; }
absl::Span<const PredicateClass* const> PredicateClasses() { return kPredicates; }

const TransformClass* FindTransformClass(absl::string_view class_name) {
  const TransformClass* by_simple_name = nullptr;
  size_t matches = 0;
  for (const TransformClass* one : TransformClasses()) {
    if (one->name == class_name) return one;
    if (java::SimpleClassName(one->name) != class_name) continue;
    by_simple_name = one;
    ++matches;
  }
  return matches == 1 ? by_simple_name : nullptr;
}

const PredicateClass* FindPredicateClass(absl::string_view class_name) {
  for (const PredicateClass* one : PredicateClasses()) {
    if (one->name == class_name || java::SimpleClassName(one->name) == class_name) return one;
  }
  return nullptr;
}

std::string AdviseTransformClass(absl::string_view written) {
  std::vector<std::string> names;
  std::vector<absl::string_view> classes;
  for (const TransformClass* one : TransformClasses()) {
    classes.push_back(one->name);
    if (one->refused.empty())
      names.push_back(absl::StrCat(one->name, one->has_targets ? "$Key and $Value" : ""));
  }
  return AdviseClass(written.substr(0, written.find('$')), classes, names);
}

std::string AdvisePredicateClass(absl::string_view written) {
  std::vector<absl::string_view> classes;
  for (const PredicateClass* one : PredicateClasses()) classes.push_back(one->name);
  return AdviseClass(written, classes, {classes.begin(), classes.end()});
}

}  // namespace walduct::transform
