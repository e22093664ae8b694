#include "incremental/chunks/walk_operators.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::incremental {
namespace {

using event::TypeKind;

constexpr absl::string_view kBuiltIn = "pg_catalog";

// Those of the type's own order, which is the one that ORDER BY takes.
constexpr absl::string_view kSchemaOf = R"(
SELECT n.nspname
FROM pg_catalog.pg_opclass c
JOIN pg_catalog.pg_am m ON m.oid = c.opcmethod AND m.amname = 'btree'
JOIN pg_catalog.pg_amop a ON a.amopfamily = c.opcfamily AND a.amoplefttype = c.opcintype
  AND a.amoprighttype = c.opcintype AND a.amopstrategy = 5
JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr
JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
WHERE c.opcdefault AND c.opcintype = $1::pg_catalog.oid)";

const event::Column* ColumnOf(const event::TableSchema& schema, const WalkColumn& column) {
  const auto found =
      std::find_if(schema.columns.begin(), schema.columns.end(),
                   [&column](const event::Column& one) { return one.name == column.name; });
  return found == schema.columns.end() ? nullptr : &*found;
}

}  // namespace

absl::Status FindOperators(postgres::Connection& connection, const event::TableSchema& schema,
                           Walk* walk) {
  for (WalkColumn& column : walk->columns) {
    const event::Column* const described = column.of_system ? nullptr : ColumnOf(schema, column);
    if (described == nullptr) continue;
    const event::Type& type = event::BaseType(*described->type);
    const bool is_domain = described->type->kind == TypeKind::kDomain;
    // Operators for any enum, range, array or row are PostgreSQL's own; they take no domain.
    const bool is_any = type.kind == TypeKind::kEnum || type.kind == TypeKind::kRange ||
                        type.kind == TypeKind::kMultirange || type.kind == TypeKind::kComposite;
    column.casts_column = is_domain && is_any;
    if (type.schema == kBuiltIn && !column.casts_column) continue;
    column.cast = postgres::QuoteQualified(type.schema, type.name);
    if (type.kind != TypeKind::kBase) continue;
    ASSIGN_OR_RETURN(
        const postgres::Result found,
        connection.Query(postgres::Rows(1), kSchemaOf, {absl::StrCat(ToInteger(type.oid))}));
    if (found.rows() > 0 && found.Get(0, 0) != kBuiltIn)
      column.operators = std::string(found.Get(0, 0));
  }
  return absl::OkStatus();
}

}  // namespace walduct::incremental
