#include "postgres/denied_object.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"

namespace walduct::postgres {
namespace {

constexpr absl::string_view kSchemas = R"(
SELECT n.nspname, pg_catalog.pg_table_is_visible(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE $2 <> 'function' AND c.relname = $1
  AND c.relkind = ANY ((CASE $2 WHEN 'sequence' THEN '{S}' ELSE '{r,p,v,m,f}' END)
                       ::pg_catalog."char"[])
UNION ALL
SELECT n.nspname, pg_catalog.bool_or(pg_catalog.pg_function_is_visible(p.oid))
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE $2 = 'function' AND p.proname = $1
GROUP BY n.nspname)";

bool IsOfName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// As a name of its own, not in the midst of another one.
bool HasName(const std::string& text, const std::string& whole) {
  for (size_t at = text.find(whole); at != std::string::npos; at = text.find(whole, at + 1)) {
    const size_t end = at + whole.size();
    const bool begins = at == 0 || whole.front() == '"' || !IsOfName(text[at - 1]);
    const bool ends = end == text.size() || whole.back() == '"' || !IsOfName(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// With quotes or without them.
bool Mentions(absl::string_view sql, absl::string_view schema, absl::string_view name) {
  const std::string text = absl::AsciiStrToLower(sql);
  bool has = false;
  for (const std::string& first : {std::string(schema), QuoteIdentifier(schema)}) {
    for (const std::string& second : {std::string(name), QuoteIdentifier(name)})
      has |= HasName(text, absl::AsciiStrToLower(absl::StrCat(first, ".", second)));
  }
  return has;
}

}  // namespace

std::optional<DeniedObject> DeniedIn(absl::string_view message) {
  constexpr absl::string_view kDeniedFor = "permission denied for ";
  const size_t at = message.find(kDeniedFor);
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = message.substr(at + kDeniedFor.size());
  rest = rest.substr(0, std::min({rest.find(": "), rest.find(" ["), rest.find(" (SQLSTATE")}));
  for (const absl::string_view kind : {"table ", "view ", "materialized view ", "foreign table "})
    if (absl::ConsumePrefix(&rest, kind)) return DeniedObject{"table", std::string(rest)};
  for (const absl::string_view kind : {"sequence ", "function "})
    if (absl::ConsumePrefix(&rest, kind))
      return DeniedObject{std::string(absl::StripSuffix(kind, " ")), std::string(rest)};
  return std::nullopt;
}

std::string SchemaMeant(absl::string_view sql, absl::string_view name,
                        const std::vector<SchemaOfName>& schemas) {
  if (schemas.size() == 1) return schemas.front().schema;
  std::vector<std::string> mentioned, visible;
  for (const SchemaOfName& one : schemas) {
    if (Mentions(sql, one.schema, name)) mentioned.push_back(one.schema);
    if (one.visible) visible.push_back(one.schema);
  }
  const std::vector<std::string>& meant = mentioned.empty() ? visible : mentioned;
  return meant.size() == 1 ? meant.front() : "";
}

std::string RightsFor(absl::string_view sql) {
  const std::string text = absl::AsciiStrToLower(absl::StripLeadingAsciiWhitespace(sql));
  if (absl::StartsWith(text, "select")) return "SELECT";
  if (absl::StartsWith(text, "update")) return "SELECT, UPDATE";
  if (absl::StartsWith(text, "delete")) return "SELECT, DELETE";
  if (absl::StartsWith(text, "insert"))
    return absl::StrContains(text, "conflict") ? "SELECT, INSERT, UPDATE" : "SELECT, INSERT";
  return absl::StrContains(text, "delete") ? "SELECT, INSERT, UPDATE, DELETE"
                                           : "SELECT, INSERT, UPDATE";
}

absl::Status NameDenied(Connection& connection, absl::string_view sql, const absl::Status& error) {
  if (ErrorReason(error) != "permission_denied") return error;
  const std::optional<DeniedObject> denied = DeniedIn(error.message());
  if (!denied) return error;
  const auto found =
      connection.Query(Rows(2), kSchemas, {std::string(denied->name), std::string(denied->kind)});
  if (!found.ok()) return error;
  std::vector<SchemaOfName> schemas;
  for (int row = 0; row < found->rows(); ++row)
    schemas.push_back({std::string(found->Get(row, 0)), found->Get(row, 1) == "t"});
  const std::string schema = SchemaMeant(sql, denied->name, schemas);
  if (schema.empty()) return error;
  // What it does by a function is not to be seen.
  const bool names_it =
      absl::StrContains(absl::AsciiStrToLower(sql), absl::AsciiStrToLower(denied->name));
  const std::string rights =
      denied->kind == "table" && names_it ? absl::StrCat(RightsFor(sql), " ") : std::string();
  return Error(error.code(), ErrorReason(error), error.message(),
               absl::StrCat("give the role the right ", rights, "on ", denied->kind, " ",
                            QuoteQualified(schema, denied->name)));
}

}  // namespace walduct::postgres
