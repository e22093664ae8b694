// The transforms and predicates of Kafka Connect 4. Names, types and defaults of options are
// Connect's.
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/transforms/transform_class.h"
#include "java/regex/regex.h"
#include "java/regex/regex_rename.h"
#include "java/text/text_lists.h"
#include "java/time/simple_date_format.h"

namespace walduct::config {
namespace {

using enum OptionType;

std::string CheckReplacementPattern(absl::string_view value) {
  const auto regex = java::Regex::Compile(value, {});
  return regex.ok() ? "" : std::string(regex.status().message());
}

std::string CheckPairs(absl::string_view value) {
  for (const std::string& pair : java::SplitCommaList(value)) {
    const std::vector<absl::string_view> sides = absl::StrSplit(pair, ':');
    if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
      return absl::StrCat("has the item '", pair, "', which is not of the form old:new");
  }
  return "";
}

constexpr absl::string_view kCastTypes =
    "int8, int16, int32, int64, float32, float64, boolean, string";

// `field:type` per item, or one type alone for the whole key or value.
std::string CheckCastSpec(absl::string_view value) {
  bool whole = false;
  const std::vector<std::string> items = java::SplitCommaList(value);
  for (const std::string& item : items) {
    const std::vector<absl::string_view> sides = absl::StrSplit(item, ':');
    if (sides.size() > 2 || (sides.size() == 2 && (sides[0].empty() || sides[1].empty())))
      return absl::StrCat("has the item '", item, "', which is not of the form field:type");
    whole = whole || sides.size() == 1;
    if (!java::ListContains(kCastTypes, absl::AsciiStrToLower(sides.back())))
      return absl::StrCat("has the type '", sides.back(), "'; one of ", kCastTypes, " is expected");
  }
  if (whole && items.size() > 1) return "has a type for the whole value beside types of fields";
  return items.empty() ? "names no type" : "";
}

std::string CheckNotEmpty(absl::string_view value) {
  return value.empty() ? "must not be empty" : "";
}

std::string CheckNotEmptyList(absl::string_view value) {
  return java::SplitCommaList(value).empty() ? "must not be empty" : "";
}

// Empty: not given.
std::string CheckDateFormat(absl::string_view value) {
  const auto format = java::SimpleDateFormat::Compile(value);
  return format.ok() ? "" : absl::StrCat("is no usable pattern: ", format.status().message());
}

OptionProblem CheckInsertField(const TransformOptionValues& options) {
  bool any = false;
  for (const absl::string_view name :
       {"topic.field", "partition.field", "offset.field", "timestamp.field", "static.field"}) {
    any = any || options.Has(name);
  }
  if (!any)
    return {"type", "has no field to insert", "set topic.field, timestamp.field or static.field"};
  if (options.Has("static.field") && !options.Has("static.value"))
    return {"static.value", "A value is required where static.field is set", "add it"};
  if (options.Has("offset.field"))
    return {"offset.field", "has a value in records of a sink alone", "remove it"};
  return {};
}

OptionProblem CheckRegexRouter(const TransformOptionValues& options) {
  if (!options.Has("regex") || !options.Has("replacement")) return {};
  const auto replacement =
      java::RegexRename::Compile(options.Text("regex"), options.Text("replacement"));
  if (replacement.ok()) return {};
  return {"replacement", absl::StrCat("does not fit the regex: ", replacement.status().message()),
          "name a group that the regex has"};
}

OptionProblem CheckHeaderFrom(const TransformOptionValues& options) {
  if (options.List("fields").size() == options.List("headers").size()) return {};
  return {"headers", "and 'fields' must have the same number of items",
          "name one header for each field"};
}

OptionProblem CheckTimestampConverter(const TransformOptionValues& options) {
  if (options.Text("target.type") != "string" || !options.Text("format").empty()) return {};
  return {"format", "A value is required when target.type=string",
          "give a pattern of java.text.SimpleDateFormat"};
}

constexpr TransformOption kReplaceNull = {
    .name = "replace.null.with.default",
    .type = kBoolean,
    .default_value = "true",
    .doc =
        "Whether a NULL of a column with a DEFAULT becomes that default where fields are copied."};

constexpr TransformOption kCastOptions[] = {
    {.name = "spec",
     .type = kList,
     .required = true,
     .doc = "Fields and their new types, `a:int32,b:string`; a type alone is for the whole.",
     .check = CheckCastSpec},
    kReplaceNull};
constexpr TransformOption kDropHeadersOptions[] = {{.name = "headers",
                                                    .type = kList,
                                                    .required = true,
                                                    .doc = "Names of the headers to remove.",
                                                    .check = CheckNotEmptyList}};
constexpr TransformOption kExtractFieldOptions[] = {
    {.name = "field", .required = true, .doc = "The field that takes the place of the whole."},
    {.name = "field.syntax.version",
     .type = kEnum,
     .default_value = "V1",
     .allowed = "V1, V2",
     .doc = "V2: dots in `field` lead into nested structs, backquotes protect them."},
    kReplaceNull};
constexpr TransformOption kFlattenOptions[] = {
    {.name = "delimiter", .default_value = ".", .doc = "Between the names of the levels."}};
constexpr TransformOption kHeaderFromOptions[] = {{.name = "fields",
                                                   .type = kList,
                                                   .required = true,
                                                   .doc = "Fields to take.",
                                                   .check = CheckNotEmptyList},
                                                  {.name = "headers",
                                                   .type = kList,
                                                   .required = true,
                                                   .doc = "Headers to write, one per field.",
                                                   .check = CheckNotEmptyList},
                                                  {.name = "operation",
                                                   .type = kEnum,
                                                   .required = true,
                                                   .allowed = "move, copy",
                                                   .doc = "Whether the fields stay."},
                                                  kReplaceNull};
constexpr TransformOption kHoistFieldOptions[] = {
    {.name = "field", .required = true, .doc = "Name of the one field of the new struct."}};
constexpr TransformOption kInsertFieldOptions[] = {
    {.name = "topic.field",
     .doc = "Field for the topic; a final `!` makes it required, `?` optional."},
    {.name = "partition.field", .doc = "Field for the partition; null unless one is set before."},
    {.name = "offset.field", .doc = "Field for the offset: sinks only."},
    {.name = "timestamp.field",
     .doc = "Field for the record's timestamp; null unless one is set before."},
    {.name = "static.field", .doc = "Field for static.value."},
    {.name = "static.value", .doc = "Text for static.field."},
    kReplaceNull};
constexpr TransformOption kInsertHeaderOptions[] = {
    {.name = "header", .required = true, .doc = "Name of the header."},
    {.name = "value.literal",
     .required = true,
     .doc = "Its value; numbers, booleans, dates and quoted text are recognised."}};
constexpr TransformOption kMaskFieldOptions[] = {
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields to mask.",
     .check = CheckNotEmptyList},
    {.name = "replacement",
     .doc = "Value for numbers and text; without it: 0, empty text, false, the epoch.",
     .check = CheckNotEmpty},
    kReplaceNull};
constexpr TransformOption kRegexRouterOptions[] = {
    {.name = "regex",
     .type = kRegex,
     .required = true,
     .doc = "Java regular expression for the whole topic name.",
     .check = CheckReplacementPattern},
    {.name = "replacement",
     .required = true,
     .doc = "New name; `$1` and `${name}` stand for groups."}};
constexpr TransformOption kReplaceFieldOptions[] = {{.name = "exclude",
                                                     .type = kList,
                                                     .default_value = "",
                                                     .doc = "Fields to drop.",
                                                     .aliases = "blacklist"},
                                                    {.name = "include",
                                                     .type = kList,
                                                     .default_value = "",
                                                     .doc = "Fields to keep; empty: all.",
                                                     .aliases = "whitelist"},
                                                    {.name = "renames",
                                                     .type = kList,
                                                     .default_value = "",
                                                     .doc = "New names, `old:new`.",
                                                     .check = CheckPairs},
                                                    kReplaceNull};
constexpr TransformOption kSetSchemaMetadataOptions[] = {
    {.name = "schema.name", .doc = "New name of the schema."},
    {.name = "schema.version", .type = kInteger, .doc = "New version of the schema."},
    kReplaceNull};
constexpr TransformOption kTimestampConverterOptions[] = {
    {.name = "field", .default_value = "", .doc = "The field; empty: the whole key or value."},
    {.name = "target.type",
     .type = kEnum,
     .required = true,
     .allowed = "string, unix, Date, Time, Timestamp",
     .doc = "What it becomes."},
    {.name = "format",
     .default_value = "",
     .doc = "Pattern of java.text.SimpleDateFormat, for text; UTC.",
     .check = CheckDateFormat},
    {.name = "unix.precision",
     .type = kEnum,
     .default_value = "milliseconds",
     .allowed = "nanoseconds, microseconds, milliseconds, seconds",
     .doc = "Unit of an int64, as input and as target."},
    kReplaceNull};
constexpr TransformOption kTimestampRouterOptions[] = {
    {.name = "topic.format",
     .default_value = "${topic}-${timestamp}",
     .doc = "New name of the topic."},
    {.name = "timestamp.format",
     .default_value = "yyyyMMdd",
     .doc = "Pattern of java.text.SimpleDateFormat; UTC.",
     .check = CheckDateFormat}};
constexpr TransformOption kValueToKeyOptions[] = {
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields of the value, in the key's order.",
     .check = CheckNotEmptyList},
    kReplaceNull};

#define WALDUCT_CONNECT(name) "org.apache.kafka.connect.transforms." name

constexpr TransformClass kClasses[] = {
    {.name = WALDUCT_CONNECT("Cast"),
     .kind = TransformKind::kCast,
     .has_targets = true,
     .options = kCastOptions,
     .doc = "Changes types of fields."},
    {.name = WALDUCT_CONNECT("DropHeaders"),
     .kind = TransformKind::kDropHeaders,
     .options = kDropHeadersOptions,
     .doc = "Removes headers."},
    {.name = WALDUCT_CONNECT("ExtractField"),
     .kind = TransformKind::kExtractField,
     .has_targets = true,
     .options = kExtractFieldOptions,
     .doc = "Replaces the struct by one of its fields."},
    {.name = WALDUCT_CONNECT("Filter"),
     .kind = TransformKind::kFilter,
     .doc = "Drops every record that its predicate lets through."},
    {.name = WALDUCT_CONNECT("Flatten"),
     .kind = TransformKind::kFlatten,
     .has_targets = true,
     .options = kFlattenOptions,
     .doc = "Makes nested structs one level."},
    {.name = WALDUCT_CONNECT("HeaderFrom"),
     .kind = TransformKind::kHeaderFrom,
     .has_targets = true,
     .options = kHeaderFromOptions,
     .doc = "Moves or copies fields to headers.",
     .check = CheckHeaderFrom},
    {.name = WALDUCT_CONNECT("HoistField"),
     .kind = TransformKind::kHoistField,
     .has_targets = true,
     .options = kHoistFieldOptions,
     .doc = "Wraps the whole in a struct of one field."},
    {.name = WALDUCT_CONNECT("InsertField"),
     .kind = TransformKind::kInsertField,
     .has_targets = true,
     .options = kInsertFieldOptions,
     .doc = "Adds fields about the record, or a constant.",
     .check = CheckInsertField},
    {.name = WALDUCT_CONNECT("InsertHeader"),
     .kind = TransformKind::kInsertHeader,
     .options = kInsertHeaderOptions,
     .doc = "Adds a header with a constant."},
    {.name = WALDUCT_CONNECT("MaskField"),
     .kind = TransformKind::kMaskField,
     .has_targets = true,
     .options = kMaskFieldOptions,
     .doc = "Replaces values by nothing or by a constant."},
    {.name = WALDUCT_CONNECT("RegexRouter"),
     .kind = TransformKind::kRegexRouter,
     .options = kRegexRouterOptions,
     .doc = "Renames topics by a regular expression.",
     .check = CheckRegexRouter},
    {.name = WALDUCT_CONNECT("ReplaceField"),
     .kind = TransformKind::kReplaceField,
     .has_targets = true,
     .options = kReplaceFieldOptions,
     .doc = "Drops and renames fields."},
    {.name = WALDUCT_CONNECT("SetSchemaMetadata"),
     .kind = TransformKind::kSetSchemaMetadata,
     .has_targets = true,
     .options = kSetSchemaMetadataOptions,
     .doc = "Sets name and version of the schema."},
    {.name = WALDUCT_CONNECT("TimestampConverter"),
     .kind = TransformKind::kTimestampConverter,
     .has_targets = true,
     .options = kTimestampConverterOptions,
     .doc = "Converts between texts, numbers and Connect's types of time.",
     .check = CheckTimestampConverter},
    {.name = WALDUCT_CONNECT("TimestampRouter"),
     .kind = TransformKind::kTimestampRouter,
     .options = kTimestampRouterOptions,
     .doc = "Puts the record's timestamp into the topic's name."},
    {.name = WALDUCT_CONNECT("ValueToKey"),
     .kind = TransformKind::kValueToKey,
     .options = kValueToKeyOptions,
     .doc = "Makes the key from fields of the value."},
};

constexpr TransformOption kTopicNameMatchesOptions[] = {
    {.name = "pattern",
     .type = kRegex,
     .required = true,
     .doc = "Java regular expression for the whole topic name.",
     .check = CheckReplacementPattern}};
constexpr TransformOption kHasHeaderKeyOptions[] = {
    {.name = "name", .required = true, .doc = "Name of the header.", .check = CheckNotEmpty}};

constexpr PredicateClass kPredicates[] = {
    {WALDUCT_CONNECT("predicates.TopicNameMatches"), PredicateKind::kTopicNameMatches,
     kTopicNameMatchesOptions, "True when the topic's name matches."},
    {WALDUCT_CONNECT("predicates.HasHeaderKey"), PredicateKind::kHasHeaderKey, kHasHeaderKeyOptions,
     "True when the record has the header."},
    {WALDUCT_CONNECT("predicates.RecordIsTombstone"),
     PredicateKind::kRecordIsTombstone,
     {},
     "True when the value is null."},
};

#undef WALDUCT_CONNECT

}  // namespace

absl::Span<const TransformClass> ConnectTransformClasses() { return kClasses; }
absl::Span<const PredicateClass> PredicateClasses() { return kPredicates; }

}  // namespace walduct::config
