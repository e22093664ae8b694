// Debezium's properties that choose tables, columns and operations.
#include "loader/column_options.h"
#include "loader/definitions.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;
constexpr absl::string_view kAlgorithms =
    "use column.mask.hash.v2.SHA-256.with.salt.<salt>, or one of MD5, SHA-1, SHA-224, SHA-256, "
    "SHA-384, "
    "SHA-512, SHA-512/224, SHA-512/256, SHA3-224, SHA3-256, SHA3-384, SHA3-512";

constexpr config::PropertyDefinition kDefinitions[] = {
    {.name = "schema.include.list",
     .type = kRegexList,
     .doc = "Schemas to capture, as regular expressions.",
     .aliases = "schema.whitelist"},
    {.name = "schema.exclude.list",
     .type = kRegexList,
     .doc = "Schemas not to capture, as regular expressions.",
     .aliases = "schema.blacklist"},
    {.name = "table.include.list",
     .type = kRegexList,
     .doc = "Tables to capture, as regular expressions over schema.table.",
     .aliases = "table.whitelist"},
    {.name = "table.exclude.list",
     .type = kRegexList,
     .doc = "Tables not to capture, as regular expressions over schema.table.",
     .aliases = "table.blacklist"},
    {.name = "table.ignore.builtin",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Leave out PostgreSQL's own schemas and PostGIS's spatial_ref_sys.",
     .aliases = "table.ignore.built.in"},
    {.name = "column.include.list",
     .type = kRegexList,
     .doc = "Columns to write, as regular expressions over schema.table.column; keys stay whole.",
     .aliases = "column.whitelist"},
    {.name = "column.exclude.list",
     .type = kRegexList,
     .doc =
         "Columns not to write, as regular expressions over schema.table.column; keys stay whole.",
     .aliases = "column.blacklist"},
    {.name = "column.mask.with.<n>.chars",
     .type = kRegexList,
     .doc = "Columns whose values, NULL too, become n asterisks. Character types only; keys stay "
            "as they are.",
     .fix = "use a number from 0 to 1000000, as in column.mask.with.10.chars",
     .name_validator = CheckColumnMaskName},
    {.name = "column.mask.hash.v2.<algorithm>.with.salt.<salt>",
     .type = kRegexList,
     .doc =
         "Columns whose values become a salted hash, cut to the column's length. Character types "
         "only; keys stay as they are.",
     .fix = kAlgorithms,
     .name_validator = CheckColumnMaskName},
    {.name = "column.mask.hash.<algorithm>.with.salt.<salt>",
     .type = kRegexList,
     .doc = "Columns whose values become a salted hash, in Debezium's first form.",
     .fix = kAlgorithms,
     .name_validator = CheckColumnMaskName},
    {.name = "column.truncate.to.<n>.chars",
     .type = kRegexList,
     .doc = "Columns whose texts are cut to n characters, binary values to n bytes.",
     .fix = "use a number above 0, as in column.truncate.to.20.chars",
     .name_validator = CheckColumnMaskName},
    {.name = "column.propagate.source.type",
     .type = kRegexList,
     .doc = "Columns whose SQL type is added to the record's schema, as regular expressions over "
            "schema.table.column."},
    {.name = "datatype.propagate.source.type",
     .type = kRegexList,
     .doc = "SQL types that are added to the record's schema, as regular expressions over "
            "schema.table.type."},
    {.name = "skipped.operations",
     .type = kList,
     .default_value = "t",
     .doc = "Operations of the stream that are not written: c, u, d, t, or none.",
     .fix = "use a list of c, u, d, t, or the word none",
     .validator = CheckSkippedOperations},
    {.name = "skip.messages.without.change",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Drop updates that change no written column; needs REPLICA IDENTITY FULL."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> FilterDefinitions() { return kDefinitions; }

}  // namespace walduct::loader
