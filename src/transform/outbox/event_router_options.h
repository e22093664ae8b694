// Options of Debezium's EventRouter, and how configurations that were written for older releases,
// or from hearsay, are read. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "java/regex/regex_rename.h"
#include "transform/options/transform_class.h"
#include "transform/outbox/column_mapping.h"
#include "transform/outbox/json_schema.h"
#include "transform/outbox/placements.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::transform {

extern const OptionRow kEventRouterRows[17];
inline constexpr absl::string_view kEventRouterOlderOptions =
    "table.fields.additional.error.on.missing, tracing.span.context.field, "
    "tracing.operation.name, tracing.with.context.field.only";

// For TransformClass.
OptionProblem CheckEventRouter(const OptionValues& options);
std::string ModernizeEventRouter(OptionValues* options);
std::vector<Guess> GuessEventRouter(absl::string_view alias, OptionValues* options);

enum class UpdateBehavior { kWarn, kError, kFatal };

struct RouterOptions {
  std::string alias;
  bool strict = false;
  bool recognises = false;  // columns of headers, by their names: nobody has configured it
  std::shared_ptr<const java::RegexList> tables;  // absent: every row is an outbox row
  OutboxColumnOptions columns;
  std::string timestamp;       // column; empty: none
  std::string schema_version;  // column; empty: none
  std::vector<PlacedColumn> placed;
  bool ignore_missing = false;  // placed columns that the table does not have
  bool in_envelope = false;     // one of them is placed there
  UpdateBehavior updates = UpdateBehavior::kWarn;
  bool expand_json = false;
  JsonRules json;
  bool tombstones = false;  // for empty payloads
  java::RegexRename topic;
  bool topic_of_route = true;  // false: the same for every row
};

// What the options say, ready for use.
RouterOptions ReadRouterOptions(const Setting& setting);

}  // namespace walduct::transform
