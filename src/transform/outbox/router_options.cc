#include "transform/outbox/router_options.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/check.h"

namespace walduct::transform {
namespace {

using config::Placement;
using config::TransformOptionValues;
using names::NameAdjustment;

ColumnOption Column(const TransformOptionValues& options, absl::string_view name) {
  return {options.Text(name), options.Given(name)};
}

OutboxColumnOptions Columns(const TransformOptionValues& options) {
  return {.id = Column(options, "table.field.event.id"),
          .key = Column(options, "table.field.event.key"),
          .route = Column(options, "route.by.field"),
          .payload = Column(options, "table.field.event.payload")};
}

std::vector<config::PlacedColumn> Placed(const config::TransformSpec& spec) {
  auto placed =
      config::ParsePlacements(spec.options.Text("table.fields.additional.placement"), spec.alias);
  CHECK(placed.ok());  // checked before
  return std::move(placed->columns);
}

UpdateBehavior Updates(absl::string_view word) {
  return word == "fatal"   ? UpdateBehavior::kFatal
         : word == "error" ? UpdateBehavior::kError
                           : UpdateBehavior::kWarn;
}

JsonRules Rules(const TransformOptionValues& options) {
  const std::string& names = options.Text("field.name.adjustment.mode");
  return {.keep_nulls = options.Text("table.json.payload.null.behavior") == "optional_bytes",
          .keep_empty_arrays =
              options.Text("table.json.payload.empty.array.behavior") == "optional_string",
          .names = names == "avro"           ? NameAdjustment::kAvro
                   : names == "avro_unicode" ? NameAdjustment::kAvroUnicode
                                             : NameAdjustment::kNone};
}

java::RegexRename Topic(const TransformOptionValues& options) {
  auto topic = java::RegexRename::Compile(options.Text("route.topic.regex"),
                                          options.Text("route.topic.replacement"));
  CHECK(topic.ok());  // checked before
  return *std::move(topic);
}

}  // namespace

RouterOptions::RouterOptions(const config::TransformSpec& spec)
    : alias(spec.alias),
      strict(spec.strict),
      tables(spec.tables),
      columns(Columns(spec.options)),
      timestamp(spec.options.Text("table.field.event.timestamp")),
      schema_version(spec.options.Text("table.field.event.schema.version")),
      placed(Placed(spec)),
      ignore_missing(spec.options.Text("table.field.additional.missing") == "ignore"),
      updates(Updates(spec.options.Text("table.op.invalid.behavior"))),
      expand_json(spec.options.Boolean("table.expand.json.payload")),
      json(Rules(spec.options)),
      tombstones(spec.options.Boolean("route.tombstone.on.empty.payload")),
      topic(Topic(spec.options)),
      topic_of_route(absl::StrContains(spec.options.Text("route.topic.replacement"), '$')) {
  for (const config::PlacedColumn& column : placed)
    in_envelope = in_envelope || column.placement == Placement::kEnvelope;
}

}  // namespace walduct::transform
