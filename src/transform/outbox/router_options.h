// What the options of an EventRouter say, ready for use. Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/options/transform_spec.h"
#include "config/transforms/outbox_guess.h"
#include "java/regex/regex_rename.h"
#include "transform/outbox/column_mapping.h"
#include "transform/outbox/json_schema.h"

namespace walduct::transform {

enum class UpdateBehavior { kWarn, kError, kFatal };

struct RouterOptions {
  // spec: of a configuration that passed its checks.
  explicit RouterOptions(const config::TransformSpec& spec);

  std::string alias;
  bool strict = false;
  std::optional<java::RegexList> tables;  // absent: every row is an outbox row
  OutboxColumnOptions columns;
  std::string timestamp;       // column; empty: none
  std::string schema_version;  // column; empty: none
  std::vector<config::PlacedColumn> placed;
  bool ignore_missing = false;  // placed columns that the table does not have
  bool in_envelope = false;     // one of them is placed there
  UpdateBehavior updates = UpdateBehavior::kWarn;
  bool expand_json = false;
  JsonRules json;
  bool tombstones = false;  // for empty payloads
  java::RegexRename topic;
  bool topic_of_route = true;  // false: the same for every row
};

}  // namespace walduct::transform
