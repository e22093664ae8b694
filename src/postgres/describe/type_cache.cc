#include "postgres/describe/type_cache.h"

#include "base/status_macros.h"
#include "postgres/describe/schema_memory.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

// A true array is what some type names as its array type: name, point, int2vector and others have a
// typelem without being one. One row per type, or per label of an enum.
constexpr absl::string_view kTypes = R"(
WITH RECURSIVE wanted(oid) AS (
  SELECT o.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) o(oid)
  UNION
  SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END
  FROM wanted w JOIN pg_catalog.pg_type t ON t.oid = w.oid
  WHERE t.typtype = 'd'
     OR EXISTS (SELECT 1 FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid)
)
SELECT t.oid, n.nspname, t.typname, t.typtype, t.typbasetype, t.typtypmod, t.typnotnull,
       coalesce((SELECT e.oid FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid), 0),
       t.typdelim,
       t.oid >= 16384 AND (
         SELECT pg_catalog.count(*) > 0 AND NOT pg_catalog.bool_or(o.oid = t.oid)
         FROM pg_catalog.pg_type o JOIN pg_catalog.pg_depend d ON d.objid = o.oid
         WHERE o.typname = t.typname AND d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.deptype = 'e'),
       l.enumlabel
FROM wanted w
JOIN pg_catalog.pg_type t ON t.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_enum l ON l.enumtypid = t.oid
ORDER BY t.oid, l.enumsortorder)";

enum TypesColumn {
  kOid,
  kSchema,
  kName,
  kTypType,
  kBaseType,
  kTypmod,
  kNotNull,
  kElement,
  kDelimiter,
  kByHand,
  kLabel
};

// No type nests deeper in practice; a bound because the catalog is input.
constexpr int kMaxDepth = 32;

event::TypeKind KindOf(absl::string_view typtype, bool array) {
  if (array) return event::TypeKind::kArray;
  switch (typtype.empty() ? 'b' : typtype[0]) {
    case 'c':
      return event::TypeKind::kComposite;
    case 'd':
      return event::TypeKind::kDomain;
    case 'e':
      return event::TypeKind::kEnum;
    case 'p':
      return event::TypeKind::kPseudo;
    case 'r':
      return event::TypeKind::kRange;
    case 'm':
      return event::TypeKind::kMultirange;
    default:
      return event::TypeKind::kBase;
  }
}

struct TypeRow {
  event::Type type;
  Oid base{};
  Oid element{};
};

using TypeRows = absl::flat_hash_map<Oid, TypeRow>;
using Types = absl::flat_hash_map<Oid, std::shared_ptr<const event::Type>>;

TypeRows ReadRows(const Result& result) {
  TypeRows rows;
  for (int i = 0; i < result.rows(); ++i) {
    const Oid oid = ParseOid(result.Get(i, kOid));
    TypeRow& row = rows[oid];
    if (!result.is_null(i, kLabel)) row.type.labels.emplace_back(result.Get(i, kLabel));
    if (row.type.oid == oid) continue;
    row.base = ParseOid(result.Get(i, kBaseType));
    row.element = ParseOid(result.Get(i, kElement));
    row.type.oid = oid;
    row.type.schema = std::string(result.Get(i, kSchema));
    row.type.name = std::string(result.Get(i, kName));
    row.type.kind = KindOf(result.Get(i, kTypType), row.element != Oid{0});
    row.type.base_typmod = ParseInt(result.Get(i, kTypmod), -1);
    row.type.not_null = result.Get(i, kNotNull) == "t";
    const absl::string_view delimiter = result.Get(i, kDelimiter);
    if (!delimiter.empty()) row.type.delimiter = delimiter[0];
    row.type.by_hand = result.Get(i, kByHand) == "t";
  }
  return rows;
}

// Depth first, so that a Type never changes once others point to it.
std::shared_ptr<const event::Type> Build(Oid oid, const TypeRows& rows, int depth, Types& built) {
  if (const auto known = built.find(oid); known != built.end()) return known->second;
  const auto row = rows.find(oid);
  if (row == rows.end() || depth > kMaxDepth) return nullptr;
  auto type = std::make_shared<event::Type>(row->second.type);
  if (type->kind == event::TypeKind::kDomain)
    type->base = Build(row->second.base, rows, depth + 1, built);
  if (type->kind == event::TypeKind::kArray)
    type->element = Build(row->second.element, rows, depth + 1, built);
  built[oid] = type;
  return type;
}

}  // namespace

std::vector<Oid> TypeCache::Missing(const std::vector<Oid>& oids) {
  if (types_.size() > kMaxTypes) types_.clear();
  std::vector<Oid> wanted;
  for (const Oid oid : oids) {
    if (ToInteger(oid) >= kFirstUserOid || !types_.contains(oid)) wanted.push_back(oid);
  }
  return wanted;
}

Statement TypeCache::Question(const std::vector<Oid>& oids) {
  return {std::string(kTypes), {OidArray(oids)}, Rows(kLabel + 1)};
}

void TypeCache::Add(const Result& result) {
  const TypeRows rows = ReadRows(result);
  Types built;
  for (const auto& [oid, row] : rows) Build(oid, rows, 0, built);
  for (auto& [oid, type] : built) types_[oid] = std::move(type);
}

absl::Status TypeCache::Load(Connection& connection, const std::vector<Oid>& oids) {
  const std::vector<Oid> wanted = Missing(oids);
  if (wanted.empty()) return absl::OkStatus();
  const Statement question = Question(wanted);
  ASSIGN_OR_RETURN(const Result result, connection.Query(question));
  Add(result);
  return absl::OkStatus();
}

std::shared_ptr<const event::Type> TypeCache::Find(Oid oid) const {
  const auto found = types_.find(oid);
  return found == types_.end() ? nullptr : found->second;
}

}  // namespace walduct::postgres
