#include "transform/outbox/event_router_options.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "transform/options/option_checks.h"

namespace walduct::transform {
namespace {

using names::NameAdjustment;
using enum OptionType;

constexpr absl::string_view kRouteRegex = "route.topic.regex";
constexpr absl::string_view kPlacement = "table.fields.additional.placement";
constexpr absl::string_view kPythonGroup = "(?P<";

std::string CheckRouteRegex(absl::string_view value) {
  // A spelling of named groups that is read as Java's; see GuessEventRouter.
  return CheckPattern(absl::StrReplaceAll(value, {{kPythonGroup, "(?<"}}));
}

std::string CheckPlacement(absl::string_view value) {
  const auto placed = ParsePlacements(value, "<name>");
  return placed.ok() ? "" : "has an item that is not column:placement[:alias]";
}

constexpr absl::string_view kTracing[] = {"tracing.span.context.field", "tracing.operation.name",
                                          "tracing.with.context.field.only"};

ColumnOption Column(const OptionValues& options, absl::string_view name) {
  return {options.Text(name), options.Given(name)};
}

OutboxColumnOptions Columns(const OptionValues& options) {
  return {.id = Column(options, "table.field.event.id"),
          .key = Column(options, "table.field.event.key"),
          .route = Column(options, "route.by.field"),
          .payload = Column(options, "table.field.event.payload")};
}

std::vector<PlacedColumn> Placed(const Setting& setting) {
  auto placed =
      ParsePlacements(setting.options.Text("table.fields.additional.placement"), setting.alias);
  CHECK(placed.ok());  // checked before
  return std::move(placed->columns);
}

UpdateBehavior Updates(absl::string_view word) {
  return word == "fatal"   ? UpdateBehavior::kFatal
         : word == "error" ? UpdateBehavior::kError
                           : UpdateBehavior::kWarn;
}

JsonRules Rules(const OptionValues& options) {
  const std::string& names = options.Text("field.name.adjustment.mode");
  return {.keep_nulls = options.Text("table.json.payload.null.behavior") == "optional_bytes",
          .keep_empty_arrays =
              options.Text("table.json.payload.empty.array.behavior") == "optional_string",
          .names = names == "avro"           ? NameAdjustment::kAvro
                   : names == "avro_unicode" ? NameAdjustment::kAvroUnicode
                                             : NameAdjustment::kNone};
}

bool IsFalse(absl::string_view value) {
  return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(value), "false");
}

}  // namespace

const OptionRow kEventRouterRows[17] = {
    {.name = "table.field.event.id",
     .default_value = "id",
     .doc = "Column of the event id, written as header `id`."},
    {.name = "table.field.event.key",
     .default_value = "aggregateid",
     .doc = "Column of the record's key.",
     .aliases = "table.field.payload.id"},
    {.name = "table.field.event.type",
     .default_value = "type",
     .doc = "No effect, as in Debezium; place the column in a header."},
    {.name = "table.field.event.payload",
     .default_value = "payload",
     .doc = "Column of the value.",
     .aliases = "table.field.payload"},
    {.name = "table.field.event.timestamp",
     .doc =
         "Column of the record's timestamp; if not set or NULL: the time the record was created."},
    {.name = "table.field.event.schema.version",
     .doc = "Column with the version of the value's schema; only if a column is placed in the "
            "envelope.",
     .aliases = "table.field.schema.version"},
    {.name = "table.fields.additional.placement",
     .type = kList,
     .doc =
         "More columns, `column:placement` or `column:placement:name`; placement is header, "
         "envelope or partition, or, beyond Debezium, `headers`: each member of its JSON object is "
         "a header.",
     .check = CheckPlacement},
    {.name = "table.field.additional.missing",
     .type = kEnum,
     .default_value = "error",
     .allowed = "error, ignore",
     .doc = "Whether a missing column is an error."},
    {.name = "table.op.invalid.behavior",
     .type = kEnum,
     .default_value = "warn",
     .allowed = "warn, error, fatal",
     .doc = "What to do with an UPDATE of an outbox row: skip it with a line in the log, or stop "
            "the connector.",
     .aliases = "debezium.op.invalid.behavior"},
    {.name = "table.expand.json.payload",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Whether JSON text is expanded to a struct.",
     .aliases = "debezium.expand.json.payload"},
    {.name = "table.json.payload.null.behavior",
     .type = kEnum,
     .default_value = "ignore",
     .allowed = "ignore, optional_bytes",
     .doc = "Whether members that are null are omitted."},
    {.name = "field.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .allowed = "none, avro, avro_unicode",
     .doc = "How member names are made valid."},
    {.name = "route.by.field",
     .default_value = "aggregatetype",
     .doc = "Text column that the topic name is derived from."},
    {.name = "route.topic.regex",
     .type = kRegex,
     .default_value = "(?<routedByValue>.*)",
     .doc =
         "Java regular expression for the whole text; text that does not match is the topic name.",
     .check = CheckRouteRegex},
    {.name = "route.topic.replacement",
     .default_value = "outbox.event.${routedByValue}",
     .doc = "Topic name; `$1` and `${name}` refer to groups."},
    {.name = "route.tombstone.on.empty.payload",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Whether a payload that is NULL or blank becomes a tombstone."},
    {.name = "table.json.payload.empty.array.behavior",
     .type = kEnum,
     .default_value = "ignore",
     .allowed = "ignore, optional_string",
     .doc = "From Debezium 3.7: whether members that are empty arrays are omitted, or kept as "
            "arrays of text."},
};

OptionProblem CheckEventRouter(const OptionValues& options) {
  const std::string regex =
      options.Has(kRouteRegex)
          ? absl::StrReplaceAll(options.Text(kRouteRegex), {{kPythonGroup, "(?<"}})
          : "(?<routedByValue>.*)";
  // A bad pattern has been told of.
  if (!CheckRouteRegex(regex).empty()) return {};
  const std::string problem = CheckReplacement(regex, options.Has("route.topic.replacement")
                                                          ? options.Text("route.topic.replacement")
                                                          : "outbox.event.${routedByValue}");
  if (problem.empty()) return {};
  return {"route.topic.replacement", absl::StrCat("does not fit route.topic.regex: ", problem),
          "use a group of the regex, as in ${routedByValue}"};
}

std::string ModernizeEventRouter(OptionValues* options) {
  const std::string& error = options->Text("table.fields.additional.error.on.missing");
  if (options->Has("table.fields.additional.error.on.missing") &&
      !options->Has("table.field.additional.missing")) {
    const std::string missing = IsFalse(error) ? "ignore" : "error";
    options->Put("table.field.additional.missing", missing);
    return absl::StrCat(
        "table.fields.additional.error.on.missing is from Debezium 3.5 and older; it is read as "
        "table.field.additional.missing=",
        missing);
  }
  for (const absl::string_view name : kTracing) {
    if (options->Has(name))
      return absl::StrCat(name,
                          " has no effect, as in Debezium without OpenTelemetry's agent; to pass "
                          "the trace on, put io.debezium.transforms.tracing.ActivateTracingSpan "
                          "before this transform");
  }
  return "";
}

std::vector<Guess> GuessEventRouter(absl::string_view alias, OptionValues* options) {
  std::vector<Guess> guesses;
  const std::string prefix = absl::StrCat("transforms.", alias, ".");
  const std::string written = options->Text(kRouteRegex);
  const std::string regex = absl::StrReplaceAll(written, {{kPythonGroup, "(?<"}});
  if (regex != written) {
    guesses.push_back({absl::StrCat("'(?P<' is not a group of Java's regular expressions; '",
                                    written, "' is read as '", regex, "'"),
                       absl::StrCat(prefix, kRouteRegex, "=", regex)});
    options->Put(kRouteRegex, regex);
  }
  const auto placed = ParsePlacements(options->Text(kPlacement), alias);
  if (placed.ok() && placed->guess) guesses.push_back(*placed->guess);
  return guesses;
}

RouterOptions ReadRouterOptions(const Setting& setting) {
  const OptionValues& given = setting.options;
  RouterOptions options;
  options.alias = setting.alias;
  options.recognises = setting.implicit && !setting.strict;
  options.strict = setting.strict;
  options.tables = setting.tables;
  options.columns = Columns(given);
  options.timestamp = given.Text("table.field.event.timestamp");
  options.schema_version = given.Text("table.field.event.schema.version");
  options.placed = Placed(setting);
  options.ignore_missing = given.Text("table.field.additional.missing") == "ignore";
  for (const PlacedColumn& column : options.placed)
    options.in_envelope = options.in_envelope || column.placement == Placement::kEnvelope;
  options.updates = Updates(given.Text("table.op.invalid.behavior"));
  options.expand_json = given.Boolean("table.expand.json.payload");
  options.json = Rules(given);
  options.tombstones = given.Boolean("route.tombstone.on.empty.payload");
  options.topic = CheckedRename(given.Text(kRouteRegex), given.Text("route.topic.replacement"));
  options.topic_of_route = absl::StrContains(given.Text("route.topic.replacement"), '$');
  return options;
}

}  // namespace walduct::transform
