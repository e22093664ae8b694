// OptionRow: one option of a transform or predicate. The rows are the only place that knows it:
// checks, error texts, `walduct validate` and docs/transforms.md are made from them. All strings
// are literals. Immutable.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::transform {

enum class OptionType { kText, kBoolean, kInteger, kReal, kList, kEnum, kRegex };

struct OptionRow {
  absl::string_view name;
  OptionType type = OptionType::kText;
  std::optional<absl::string_view> default_value = std::nullopt;
  bool required = false;
  absl::string_view allowed = "";  // kEnum: "a, b"
  absl::string_view doc = "";      // one sentence
  absl::string_view aliases = "";  // older names that mean the same: "a, b"
  // "" when value is fine, else what is wrong with it. May be null. The ready-made ones are in
  // options/option_checks.h.
  std::string (*check)(absl::string_view value) = nullptr;
};

}  // namespace walduct::transform
