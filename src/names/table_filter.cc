#include "names/table_filter.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace walduct::names {
namespace {

// PostgreSQL's own schemas and PostGIS's catalogue, which no one captures on purpose.
bool IsBuiltin(absl::string_view schema, absl::string_view table) {
  return schema == "pg_catalog" || schema == "information_schema" ||
         absl::StartsWith(schema, "pg_temp") || absl::StartsWith(schema, "pg_toast") ||
         table == "spatial_ref_sys";
}

// The include list decides alone when there is one.
bool Passes(const std::optional<java::RegexList>& include,
            const std::optional<java::RegexList>& exclude, absl::string_view text) {
  if (include.has_value()) return include->Matches(text);
  return !exclude.has_value() || !exclude->Matches(text);
}

}  // namespace

bool TableFilter::Includes(absl::string_view schema, absl::string_view table) const {
  if (options_.ignore_builtin && IsBuiltin(schema, table)) return false;
  return Passes(options_.schema_include, options_.schema_exclude, schema) &&
         Passes(options_.table_include, options_.table_exclude, absl::StrCat(schema, ".", table));
}

}  // namespace walduct::names
