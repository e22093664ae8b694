#include "names/table_filter.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "java/regex/regex_list.h"
#include "names/table_share.h"

namespace walduct::names {
namespace {

// PostgreSQL's own schemas and PostGIS's catalogue, which no one captures on purpose.
bool IsBuiltin(absl::string_view schema, absl::string_view table) {
  return schema == "pg_catalog" || schema == "information_schema" ||
         absl::StartsWith(schema, "pg_temp") || absl::StartsWith(schema, "pg_toast") ||
         table == "spatial_ref_sys";
}

// The include list decides alone when there is one.
bool Passes(const java::RegexList* include, const java::RegexList* exclude,
            absl::string_view text) {
  if (include != nullptr) return include->Matches(text);
  return exclude == nullptr || !exclude->Matches(text);
}

}  // namespace

bool TableFilter::Includes(absl::string_view schema, absl::string_view table) const {
  if (options_.ignore_builtin && IsBuiltin(schema, table)) return false;
  if (!options_.signal_table.empty() && options_.signal_table == absl::StrCat(schema, ".", table)) {
    return true;
  }
  return Passes(options_.schema_include.get(), options_.schema_exclude.get(), schema) &&
         Passes(options_.table_include.get(), options_.table_exclude.get(),
                absl::StrCat(schema, ".", table));
}

bool TableFilter::Takes(Oid relation) const {
  return options_.share == nullptr || options_.share->Takes(relation);
}

}  // namespace walduct::names
