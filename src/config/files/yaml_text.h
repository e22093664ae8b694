// YAML 1.1 text as a tree of scalars, lists and maps (libyaml). Scalars stay text as written; the
// last of several equal keys wins. Anchors are resolved, within bounds. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::config {

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;               // kScalar
  std::vector<std::string> keys;  // kMap: of the items
  std::vector<YamlNode> items;    // kList, kMap

  bool is_map() const { return kind == Kind::kMap; }
  // Of a map, along keys; null when it is not there.
  const YamlNode* Find(absl::string_view key) const;
  // Text of a scalar in a map; empty when it is not there.
  std::string Text(absl::string_view key) const;
};

// Every document of the text. InvalidArgument: malformed, with line and column; deeper than 32
// levels, more than 20,000 nodes.
absl::StatusOr<std::vector<YamlNode>> ParseYaml(absl::string_view text);

}  // namespace walduct::config
