#include "route/table_filter_properties.h"

#include "absl/strings/str_cat.h"

namespace walduct::route {
namespace {

using enum config::PropertyType;

constexpr config::PropertyDefinition kRows[] = {
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
};

}  // namespace

absl::Span<const config::PropertyDefinition> TableFilterProperties() { return kRows; }

names::TableFilterOptions BuildTableFilter(const config::PropertySet& properties) {
  names::TableFilterOptions tables;
  tables.schema_include = properties.Regexes("schema.include.list");
  tables.schema_exclude = properties.Regexes("schema.exclude.list");
  tables.table_include = properties.Regexes("table.include.list");
  tables.table_exclude = properties.Regexes("table.exclude.list");
  tables.ignore_builtin = properties.Boolean("table.ignore.builtin");
  for (const config::PropertyDefinition& row : kRows)
    absl::StrAppend(&tables.lists, row.name, "=", properties.Text(row.name), "\n");
  return tables;
}

}  // namespace walduct::route
