// The transforms of Debezium 3.6. Names, types and defaults of options are Debezium's.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "config/transforms/event_router_class.h"
#include "config/transforms/expression.h"
#include "config/transforms/transform_class.h"
#include "java/regex/regex.h"
#include "java/regex/regex_rename.h"
#include "java/text/text_lists.h"
#include "java/time/time_zone.h"

namespace walduct::config {
namespace {

using enum OptionType;

std::string CheckPattern(absl::string_view value) {
  const auto regex = java::Regex::Compile(value, {});
  return regex.ok() ? "" : std::string(regex.status().message());
}

std::string CheckNotEmpty(absl::string_view value) {
  return value.empty() ? "must not be empty" : "";
}

std::string CheckPositive(absl::string_view value) {
  return absl::StartsWith(value, "-") || value == "0" ? "must be greater than 0" : "";
}

std::string CheckNotNegative(absl::string_view value) {
  return absl::StartsWith(value, "-") ? "must not be negative" : "";
}

std::string CheckRatio(absl::string_view value) {
  double ratio = 0;
  return absl::SimpleAtod(value, &ratio) && ratio > 0 ? "" : "must be greater than 0";
}

std::string CheckSchemaChanges(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    if (item == "CREATE" || item == "ALTER" || item == "DROP" || item == "TRUNCATE" ||
        item == "DATABASE")
      continue;
    return absl::StrCat("has '", item, "'; it lists CREATE, ALTER, DROP, TRUNCATE, DATABASE");
  }
  return "";
}

std::string ExplainSchemaChanges(TransformOptionValues*) {
  return "has no effect: PostgreSQL has no schema change events; it can be removed";
}

std::string CheckLanguage(absl::string_view value) {
  if (absl::StartsWith(value, "jsr223.groovy") || absl::StartsWith(value, "jsr223.js") ||
      absl::StartsWith(value, "jsr223.graal.js"))
    return "";
  return "is not understood; write the condition in the subset of docs/transforms.md and set "
         "jsr223.groovy";
}

std::string CheckExpression(absl::string_view value) {
  const auto expression = ParseExpression(value);
  return expression.ok() ? "" : absl::StrCat("is not understood: ", expression.status().message());
}

// What the pair of Debezium 3.1 and older means today.
struct LegacyDeletes {
  absl::string_view handling;
  bool drop_tombstones;
  absl::string_view mode;
};
constexpr LegacyDeletes kLegacyDeletes[] = {
    {"drop", true, "drop"},       {"drop", false, "delete-to-tombstone"},
    {"none", true, "tombstone"},  {"none", false, "legacy-none"},
    {"rewrite", true, "rewrite"}, {"rewrite", false, "rewrite-with-tombstone"},
};

std::string ModernizeUnwrap(TransformOptionValues* options) {
  const bool given = options->Has("drop.tombstones") || options->Has("delete.handling.mode");
  if (!given) return "";
  if (options->Has("delete.tombstone.handling.mode"))
    return "drop.tombstones and delete.handling.mode have no effect beside "
           "delete.tombstone.handling.mode; remove them";
  const std::string handling = options->Has("delete.handling.mode")
                                   ? absl::AsciiStrToLower(options->Text("delete.handling.mode"))
                                   : "drop";
  const bool drop = !options->Has("drop.tombstones") ||
                    absl::AsciiStrToLower(options->Text("drop.tombstones")) != "false";
  for (const LegacyDeletes& legacy : kLegacyDeletes) {
    if (legacy.handling != handling || legacy.drop_tombstones != drop) continue;
    options->Put("delete.tombstone.handling.mode", std::string(legacy.mode));
    if (legacy.mode == "legacy-none")
      return "delete.handling.mode=none with drop.tombstones=false is of Debezium 3.1 and older: a "
             "delete and its tombstone both have a null value; set "
             "delete.tombstone.handling.mode=tombstone";
    return absl::StrCat(
        "delete.handling.mode and drop.tombstones are of Debezium 3.1 and older; "
        "they are read as delete.tombstone.handling.mode=",
        legacy.mode);
  }
  return "";
}

OptionProblem CheckUnwrap(const TransformOptionValues& options) {
  if (!options.Has("delete.handling.mode")) return {};
  const std::string mode = absl::AsciiStrToLower(options.Text("delete.handling.mode"));
  if (mode == "drop" || mode == "rewrite" || mode == "none") return {};
  return {"delete.handling.mode", "must be one of drop, rewrite, none",
          "better, set delete.tombstone.handling.mode, which has taken its place"};
}

OptionProblem CheckLogicalRouter(const TransformOptionValues& options) {
  if (options.Has("key.field.regex") && !options.Has("key.field.replacement"))
    return {"key.field.replacement", "A value is required where key.field.regex is set", "add it"};
  for (const absl::string_view part : {"topic", "key.field"}) {
    const std::string regex = absl::StrCat(part, ".regex");
    if (!options.Has(regex)) continue;
    std::string name = absl::StrCat(part, ".replacement");
    const auto replacement = java::RegexRename::Compile(options.Text(regex), options.Text(name));
    if (!replacement.ok())
      return {std::move(name),
              absl::StrCat("does not fit ", regex, ": ", replacement.status().message()),
              "name a group that the regex has"};
  }
  return {};
}

OptionProblem CheckHeaderToValue(const TransformOptionValues& options) {
  if (options.List("fields").size() == options.List("headers").size()) return {};
  return {"fields", "and 'headers' must have the same number of items",
          "name one field for each header"};
}

std::string CheckZone(absl::string_view value) {
  const auto zone = java::FindTimeZone(value);
  return zone.ok() ? "" : std::string(zone.status().message());
}

std::string CheckZoneRules(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    if (!absl::StrContains(item, ":"))
      return absl::StrCat("has the item '", item,
                          "', which is not of the form source:table:field, "
                          "topic:topic:field or table:field");
  }
  return "";
}

std::string CheckSrids(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    int32_t srid = 0;
    if (!absl::SimpleAtoi(item, &srid))
      return absl::StrCat("has the item '", item, "', which is not a 32-bit integer");
  }
  return "";
}

// Only where it is asked for: the default does what its name says.
std::string WarnOfGeometryFormat(TransformOptionValues* options) {
  if (options->Text("format") != "ewkb") return "";
  return "GeometryFormatTransformer makes WKB of PostGIS' EWKB with format=ewkb too, as Debezium "
         "does; for EWKB leave the transform out";
}

OptionProblem CheckTimezone(const TransformOptionValues& options) {
  if (!options.Has("include.list") || !options.Has("exclude.list")) return {};
  return {"exclude.list", "and include.list exclude each other", "keep one of the two"};
}

constexpr TransformOption kUnwrapOptions[] = {
    {.name = "delete.tombstone.handling.mode",
     .type = kEnum,
     .default_value = "tombstone",
     .allowed = "drop, tombstone, rewrite, rewrite-with-tombstone, delete-to-tombstone",
     .doc = "What deletes and their tombstones become."},
    {.name = "route.by.field", .doc = "Column of text that gives the topic."},
    {.name = "add.fields",
     .type = kList,
     .default_value = "",
     .doc = "Fields of the envelope, the source or the transaction to add, `field` or "
            "`struct.field`, `:newname` after it."},
    {.name = "add.fields.prefix",
     .default_value = "__",
     .doc = "Before the names of added fields."},
    {.name = "add.headers", .type = kList, .default_value = "", .doc = "The same as headers."},
    {.name = "add.headers.prefix",
     .default_value = "__",
     .doc = "Before the names of added headers."},
    {.name = "drop.fields.header.name", .doc = "Header that lists the columns to drop."},
    {.name = "drop.fields.from.key",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Whether they are dropped from the key too."},
    {.name = "drop.fields.keep.schema.compatible",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Whether only optional columns are dropped."},
    {.name = "replace.null.with.default",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Whether rewriting turns a NULL of a column with a DEFAULT into it."},
};
constexpr TransformOption kLogicalRouterOptions[] = {
    {.name = "topic.regex",
     .type = kRegex,
     .required = true,
     .doc = "Java regular expression for the whole topic name.",
     .check = CheckPattern},
    {.name = "topic.replacement",
     .required = true,
     .doc = "New name; `$1` and `${name}` stand for groups.",
     .check = CheckNotEmpty},
    {.name = "key.enforce.uniqueness",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Whether keys get a field that tells the tables apart."},
    {.name = "key.field.name",
     .default_value = "__dbz__physicalTableIdentifier",
     .doc = "Name of that field."},
    {.name = "key.field.regex",
     .type = kRegex,
     .doc =
         "Java regular expression for the old topic name; without a match all of it is the value.",
     .check = CheckPattern},
    {.name = "key.field.replacement", .doc = "Value of that field."},
    {.name = "schema.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .allowed = "none, avro, avro_unicode",
     .doc = "How names of schemas are made valid."},
    {.name = "logical.table.cache.size",
     .type = kInteger,
     .default_value = "16",
     .doc = "No effect: schemas are made once per table."},
};
constexpr TransformOption kChangedOptions[] = {
    {.name = "header.changed.name", .doc = "Header for the names of changed columns."},
    {.name = "header.unchanged.name", .doc = "Header for the names of the others."}};
constexpr TransformOption kHeaderToValueOptions[] = {
    {.name = "headers", .type = kList, .required = true, .doc = "Headers to take."},
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields to write, one per header; dots lead into structs."},
    {.name = "operation",
     .type = kEnum,
     .required = true,
     .allowed = "move, copy",
     .doc = "Whether the headers stay."}};
constexpr TransformOption kPartitionOptions[] = {
    {.name = "partition.payload.fields",
     .type = kList,
     .required = true,
     .doc =
         "Fields that give the partition; `change` stands for `after`, of a delete for `before`."},
    {.name = "partition.topic.num",
     .type = kInteger,
     .required = true,
     .doc = "Number of partitions.",
     .check = CheckPositive},
    {.name = "partition.hash.function",
     .type = kEnum,
     .default_value = "java",
     .allowed = "java, murmur",
     .doc = "Hash of the values."}};
constexpr TransformOption kTimezoneOptions[] = {
    {.name = "converted.timezone",
     .required = true,
     .doc = "Name of a zone, or an offset `+hh:mm`.",
     .check = CheckZone},
    {.name = "include.list",
     .type = kList,
     .doc = "Fields to convert, `source:table:field`, `topic:topic:field`.",
     .check = CheckZoneRules},
    {.name = "exclude.list", .type = kList, .doc = "Fields to leave.", .check = CheckZoneRules}};
constexpr TransformOption kLanguageOption = {
    .name = "language",
    .required = true,
    .doc = "jsr223.groovy or jsr223.graal.js: the subset below is understood in both spellings.",
    .check = CheckLanguage};
constexpr TransformOption kTopicRegexOption = {
    .name = "topic.regex",
    .type = kRegex,
    .doc = "Java regular expression for the whole topic name; other topics pass.",
    .check = CheckPattern};
constexpr TransformOption kNullHandlingOption = {.name = "null.handling.mode",
                                                 .type = kEnum,
                                                 .default_value = "keep",
                                                 .allowed = "keep, drop, evaluate",
                                                 .doc = "What becomes of records without a value."};
constexpr TransformOption kFilterOptions[] = {
    kLanguageOption,
    {.name = "condition",
     .required = true,
     .doc = "Expression; a record is kept where it is true.",
     .check = CheckExpression},
    kTopicRegexOption,
    kNullHandlingOption};
constexpr TransformOption kContentRouterOptions[] = {
    kLanguageOption,
    {.name = "topic.expression",
     .required = true,
     .doc = "Expression for the new topic; null keeps it.",
     .check = CheckExpression},
    kTopicRegexOption,
    kNullHandlingOption};
constexpr TransformOption kDecodeOptions[] = {
    {.name = "fields.null.include",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Whether members that are null are kept, as bytes."}};
constexpr TransformOption kSchemaChangeOptions[] = {
    {.name = "schema.change.event.exclude.list",
     .type = kList,
     .required = true,
     .doc = "Of CREATE, ALTER, DROP, TRUNCATE, DATABASE; no effect: there are no such events.",
     .check = CheckSchemaChanges}};
constexpr TransformOption kRecordSizeOptions[] = {
    {.name = "max.bytes",
     .type = kInteger,
     .required = true,
     .doc = "Larger records are cut: estimated as Debezium does, by what a record takes in Java.",
     .check = CheckPositive},
    {.name = "compression.ratio",
     .type = kReal,
     .default_value = "1.0",
     .doc = "What the estimate is multiplied by.",
     .check = CheckRatio},
    {.name = "min.field.size",
     .type = kInteger,
     .default_value = "25000",
     .doc = "Columns of text or bytes that are not longer stay as they are; it counts the "
            "characters of text.",
     .check = CheckNotNegative}};
constexpr TransformOption kSourceSchemaOptions[] = {
    {.name = "schema.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .allowed = "none, avro, avro_unicode",
     .doc = "No effect: the names it adds are valid."}};

constexpr TransformOption kTracingOptions[] = {
    {.name = "tracing.span.context.field",
     .default_value = "tracingspancontext",
     .doc = "Column with the context of the row's trace: java.util.Properties, one entry per "
            "header."},
    {.name = "tracing.operation.name",
     .default_value = "debezium-read",
     .doc = "No effect: walduct makes no spans of its own."},
    {.name = "tracing.with.context.field.only",
     .type = kBoolean,
     .default_value = "false",
     .doc = "No effect: without a context there is nothing to pass on."}};

constexpr TransformOption kGeometryFormatOptions[] = {
    {.name = "format",
     .type = kEnum,
     .default_value = "wkb",
     .allowed = "wkb, ewkb",
     .doc = "Format of geometries without an SRID in their bytes: with wkb those whose field srid "
            "has one get it. Geometries with an SRID in their bytes lose it under both."}};
constexpr TransformOption kSwapGeometryOptions[] = {{.name = "srids",
                                                     .type = kList,
                                                     .default_value = "4326,3857,4269",
                                                     .doc = "SRIDs of the geometries to change.",
                                                     .check = CheckSrids}};

#define WALDUCT_DEBEZIUM(name) "io.debezium.transforms." name

constexpr TransformClass kClasses[] = {
    {.name = WALDUCT_DEBEZIUM("outbox.EventRouter"),
     .kind = TransformKind::kEventRouter,
     .options = kEventRouterOptions,
     .doc = "Makes events of the rows of outbox tables; see docs/outbox.md.",
     .check = CheckEventRouter,
     .modernize = ModernizeEventRouter,
     .guess = GuessEventRouter,
     .older_options = kEventRouterOlderOptions},
    {.name = "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent",
     .kind = TransformKind::kDecodeMessageContent,
     .options = kDecodeOptions,
     .doc = "Makes inserted rows of JSON in logical messages, for the EventRouter behind it; see "
            "docs/outbox.md."},
    {.name = WALDUCT_DEBEZIUM("ExtractNewRecordState"),
     .kind = TransformKind::kExtractNewRecordState,
     .options = kUnwrapOptions,
     .doc = "Replaces the envelope by the new row.",
     .check = CheckUnwrap,
     .modernize = ModernizeUnwrap,
     .older_options = "drop.tombstones, delete.handling.mode"},
    {.name = WALDUCT_DEBEZIUM("ByLogicalTableRouter"),
     .kind = TransformKind::kByLogicalTableRouter,
     .options = kLogicalRouterOptions,
     .doc = "Sends several tables to one topic.",
     .check = CheckLogicalRouter},
    {.name = WALDUCT_DEBEZIUM("ToLogicalTopicRouter"),
     .refused = "is of Debezium 3.7; use io.debezium.transforms.ByLogicalTableRouter, with "
                "key.field.name=__dbz__sourceIdentifier for the same keys"},
    {.name = WALDUCT_DEBEZIUM("ExtractChangedRecordState"),
     .kind = TransformKind::kExtractChangedRecordState,
     .options = kChangedOptions,
     .doc = "Lists changed and unchanged columns in headers."},
    {.name = WALDUCT_DEBEZIUM("HeaderToValue"),
     .kind = TransformKind::kHeaderToValue,
     .options = kHeaderToValueOptions,
     .doc = "Moves or copies headers to fields.",
     .check = CheckHeaderToValue},
    {.name = WALDUCT_DEBEZIUM("partitions.PartitionRouting"),
     .kind = TransformKind::kPartitionRouting,
     .options = kPartitionOptions,
     .doc = "Chooses the partition by values."},
    {.name = WALDUCT_DEBEZIUM("TimezoneConverter"),
     .kind = TransformKind::kTimezoneConverter,
     .options = kTimezoneOptions,
     .doc = "Prints points in time in another zone.",
     .check = CheckTimezone},
    {.name = WALDUCT_DEBEZIUM("Filter"),
     .kind = TransformKind::kFilterByExpression,
     .options = kFilterOptions,
     .doc = "Keeps the records for which an expression is true."},
    {.name = WALDUCT_DEBEZIUM("ContentBasedRouter"),
     .kind = TransformKind::kContentBasedRouter,
     .options = kContentRouterOptions,
     .doc = "Takes the topic from an expression."},
    {.name = WALDUCT_DEBEZIUM("SchemaChangeEventFilter"),
     .kind = TransformKind::kSchemaChangeEventFilter,
     .options = kSchemaChangeOptions,
     .doc = "Without effect, which is told at start: PostgreSQL has no schema change events.",
     .modernize = ExplainSchemaChanges},
    {.name = WALDUCT_DEBEZIUM("VectorToJsonConverter"),
     .kind = TransformKind::kVectorToJson,
     .doc = "Writes vectors of pgvector as texts of JSON."},
    {.name = WALDUCT_DEBEZIUM("EnforceRecordSize"),
     .kind = TransformKind::kEnforceRecordSize,
     .options = kRecordSizeOptions,
     .doc = "Cuts the long columns of before and after in proportion to their lengths where a "
            "record is too large; told once per topic and counted, and so are records that are too "
            "large and cannot be cut. It does not see flattened records: put it before "
            "ExtractNewRecordState."},
    {.name = WALDUCT_DEBEZIUM("GeometryFormatTransformer"),
     .kind = TransformKind::kGeometryFormat,
     .options = kGeometryFormatOptions,
     .doc = "Takes the SRID out of the bytes of PostGIS geometries; the field srid keeps it.",
     .modernize = WarnOfGeometryFormat},
    {.name = WALDUCT_DEBEZIUM("SwapGeometryCoordinates"),
     .kind = TransformKind::kSwapGeometry,
     .options = kSwapGeometryOptions,
     .doc = "Swaps the first two coordinates of PostGIS geometries."},
    {.name = WALDUCT_DEBEZIUM("ExtractSchemaToNewRecord"),
     .kind = TransformKind::kExtractSchemaToNewRecord,
     .options = kSourceSchemaOptions,
     .doc = "Adds `sourceSchema` with name, type, length and scale of the columns to the envelope; "
            "needs column.propagate.source.type or datatype.propagate.source.type, and each column "
            "in it.",
     .needs_one_of = "column.propagate.source.type, datatype.propagate.source.type"},
    {.name = WALDUCT_DEBEZIUM("tracing.ActivateTracingSpan"),
     .kind = TransformKind::kActivateTracingSpan,
     .options = kTracingOptions,
     .doc = "Puts the trace context of a row into headers (`traceparent`, `tracestate`, `baggage`, "
            "those of B3, Jaeger and X-Ray), so that consumers go on with the trace of the "
            "application. Put it before the EventRouter."},
    {.name = "io.debezium.connector.postgresql.transforms.timescaledb.TimescaleDb",
     .refused = "asks the database for each record and is not supported; use ByLogicalTableRouter "
                "with topic.regex=(.*)\\._timescaledb_internal\\..*"},
    {.name = WALDUCT_DEBEZIUM("openlineage.OpenLineage"),
     .refused = "is not supported; it changes no record, remove it"},
};

#undef WALDUCT_DEBEZIUM

}  // namespace

absl::Span<const TransformClass> DebeziumTransformClasses() { return kClasses; }

}  // namespace walduct::config
