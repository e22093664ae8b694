// What most of Kafka Connect's transforms of fields have in common: what they work on, and how
// fields are copied.
#pragma once

#include "transform/options/transform_class.h"

namespace walduct::transform {

inline constexpr OptionRow kReplaceNull = {
    .name = "replace.null.with.default",
    .type = OptionType::kBoolean,
    .default_value = "true",
    .doc =
        "Whether NULL is replaced by the column's DEFAULT, if it has one, when fields are copied."};

struct FieldOptions {
  TransformTarget target = TransformTarget::kRecord;
  bool replace_null = true;
};

// Of a class that has the row.
inline FieldOptions ReadFieldOptions(const Setting& setting) {
  return {.target = setting.target, .replace_null = setting.options.Boolean(kReplaceNull.name)};
}

}  // namespace walduct::transform
