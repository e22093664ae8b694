#include "postgres/describe/described_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct::postgres {
namespace {

using event::TypeKind;
using TypePtr = std::shared_ptr<const event::Type>;

// Of the column's own domain: what JDBC's metadata say, and Debezium by them. One that the domain
// is over may be NOT NULL, and counts in the server only.
bool DomainNotNull(const event::Type& type) {
  return type.kind == TypeKind::kDomain && type.not_null;
}

int32_t EffectiveTypmod(int32_t typmod, const event::Type& type) {
  for (const event::Type* t = &type; typmod < 0 && t != nullptr && t->kind == TypeKind::kDomain;
       t = t->base.get()) {
    typmod = t->base_typmod;
  }
  return typmod;
}

// A type that was dropped after the change was written: what the stream calls it is all there is.
TypePtr UnknownType(Oid oid, const std::string& schema, const std::string& name) {
  event::Type type;
  type.oid = oid;
  type.kind = TypeKind::kUnknown;
  type.schema = schema;
  type.name = name.empty() ? absl::StrCat("oid_", ToInteger(oid)) : name;
  return std::make_shared<const event::Type>(std::move(type));
}

TypePtr StreamedType(const event::RelationColumn& streamed, const TypeCache& types,
                     const SchemaMemory* memory) {
  TypePtr type = types.Find(streamed.type);
  if (type == nullptr && memory != nullptr) type = memory->TypeOf(streamed);
  if (type == nullptr) type = UnknownType(streamed.type, streamed.type_schema, streamed.type_name);
  return type;
}

event::Column MakeColumn(const std::string& name, TypePtr type, int32_t typmod) {
  event::Column column;
  column.name = name;
  column.typmod = EffectiveTypmod(typmod, *type);
  column.type = std::move(type);
  return column;
}

// What the catalog adds to a column of the same name. Its default belongs to the catalog's type,
// not to an older one.
void Decorate(const CatalogColumn& known, Oid streamed_type, event::Column& column) {
  column.optional = !known.not_null && !DomainNotNull(*column.type);
  column.identity = known.identity;
  column.generated = known.generated;
  column.attnum = known.attnum;
  if (known.type == streamed_type) column.default_expression = known.default_expression;
}

// The columns of a relation as they were in the schema before, else as they are remembered.
class FormerColumns {
 public:
  FormerColumns(const event::RelationDescription& relation, const SchemaMemory* memory)
      : previous_(relation.previous.get()), relation_(relation.relation), memory_(memory) {}

  // By name and type; absent: nobody has seen it.
  std::optional<RememberedColumn> Find(const event::RelationColumn& streamed) {
    if (previous_ != nullptr) {
      for (const event::Column& before : previous_->columns) {
        if (before.name != streamed.name || before.type->oid != streamed.type) continue;
        return RememberedColumn{.name = before.name,
                                .type = streamed.type,
                                .optional = before.optional,
                                .identity = before.identity,
                                .generated = before.generated,
                                .default_expression = before.default_expression};
      }
    }
    for (const RememberedColumn& before : Remembered().columns)
      if (before.name == streamed.name && before.type == streamed.type) return before;
    return std::nullopt;
  }
  std::vector<std::string> Key() { return Remembered().key; }

 private:
  const RememberedTable& Remembered() {
    if (!table_) {
      if (memory_ != nullptr) table_ = memory_->TableOf(relation_);
      if (!table_) table_.emplace();
    }
    return *table_;
  }

  const event::TableSchema* const previous_;
  const Oid relation_;
  const SchemaMemory* const memory_;
  std::optional<RememberedTable> table_;  // once it was asked for
};

// What the catalog does not know any more. A column of the key, as the stream has it, is never
// NULL.
void Remember(const event::RelationDescription& relation, const event::RelationColumn& streamed,
              FormerColumns& former, event::Column& column) {
  const bool has_key = relation.replica_identity == event::ReplicaIdentity::kDefault ||
                       relation.replica_identity == event::ReplicaIdentity::kIndex;
  if (has_key && streamed.part_of_identity) column.optional = false;
  const std::optional<RememberedColumn> before = former.Find(streamed);
  if (!before) return;
  column.optional = column.optional && before->optional;
  column.default_expression = before->default_expression;
  column.identity = before->identity;
  column.generated = before->generated;
}

// The catalog has another type under the name: the column was changed, or is another one. NOT NULL
// may be of either, so that it holds only where it is of both.
void RememberRetyped(const event::RelationColumn& streamed, FormerColumns& former,
                     event::Column& column) {
  const std::optional<RememberedColumn> before = former.Find(streamed);
  if (!before) return;
  column.optional = column.optional || before->optional;
  column.default_expression = before->default_expression;
  column.identity = before->identity;
  column.generated = before->generated;
}

bool IsPartitioned(const event::RelationDescription& relation,
                   const std::optional<CatalogRelation>& known) {
  if (known) return known->partitioned;
  return relation.previous != nullptr && relation.previous->partitioned;
}

// The stream says what is so for the change; of partitions it has only their root's identity.
bool OldValueIsSent(const event::RelationDescription& relation,
                    const event::RelationColumn& streamed,
                    const std::optional<CatalogRelation>& known) {
  if (!IsPartitioned(relation, known)) return streamed.part_of_identity;
  const auto sent = [&streamed](const auto& columns) {
    return std::any_of(columns.begin(), columns.end(), [&streamed](const auto& column) {
      return column.name == streamed.name && column.old_value_sent;
    });
  };
  return known ? sent(known->columns) : sent(relation.previous->columns);
}

std::vector<uint16_t> KeyByName(const std::vector<std::string>& names,
                                const std::vector<event::Column>& columns) {
  std::vector<uint16_t> key;
  for (const std::string& name : names) {
    const auto at =
        std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
    if (at != columns.end()) key.push_back(static_cast<uint16_t>(at - columns.begin()));
  }
  return key;
}

// Under replica identity DEFAULT the flags are the primary key as it was when the change was
// written.
std::vector<uint16_t> KeyByFlags(const event::RelationDescription& relation) {
  std::vector<uint16_t> key;
  if (relation.replica_identity != event::ReplicaIdentity::kDefault) return key;
  for (size_t i = 0; i < relation.columns.size(); ++i) {
    if (relation.columns[i].part_of_identity) key.push_back(static_cast<uint16_t>(i));
  }
  return key;
}

std::vector<uint16_t> ChooseKey(const event::RelationDescription& relation,
                                const std::optional<CatalogRelation>& known,
                                const std::vector<event::Column>& columns, FormerColumns& former) {
  const std::vector<std::string> names = known ? known->key : former.Key();
  std::vector<uint16_t> by_catalog = KeyByName(names, columns);
  // Of a key that is only remembered a part is none.
  if (!known && by_catalog.size() != names.size()) by_catalog.clear();
  if (known && known->primary_key && !by_catalog.empty()) return by_catalog;
  std::vector<uint16_t> by_flags = KeyByFlags(relation);
  return by_flags.empty() ? by_catalog : by_flags;
}

}  // namespace

event::TableSchemaPtr DescribeStreamed(const event::RelationDescription& relation,
                                       const std::optional<CatalogRelation>& known,
                                       const TypeCache& types, const SchemaMemory* memory) {
  std::map<absl::string_view, const CatalogColumn*> by_name;
  if (known) {
    for (const CatalogColumn& column : known->columns) by_name[column.name] = &column;
  }
  FormerColumns former(relation, memory);
  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = relation.relation;
  schema->schema = relation.schema;
  schema->table = relation.table;
  schema->replica_identity = relation.replica_identity;
  for (const event::RelationColumn& streamed : relation.columns) {
    event::Column column =
        MakeColumn(streamed.name, StreamedType(streamed, types, memory), streamed.typmod);
    if (const auto at = by_name.find(streamed.name); at != by_name.end()) {
      Decorate(*at->second, streamed.type, column);
      if (at->second->type != streamed.type) RememberRetyped(streamed, former, column);
    } else {
      Remember(relation, streamed, former, column);
    }
    column.old_value_sent = OldValueIsSent(relation, streamed, known);
    schema->columns.push_back(std::move(column));
  }
  schema->partitioned = IsPartitioned(relation, known);
  schema->key_columns = ChooseKey(relation, known, schema->columns, former);
  if (known && schema->key_columns == KeyByName(known->key, schema->columns))
    schema->key_risk = known->key_risk;
  if (known) schema->hypertable = known->hypertable;
  if (known) schema->parent = known->parent;
  // What the catalog has forgotten stays known.
  if (!known && relation.previous != nullptr) schema->hypertable = relation.previous->hypertable;
  return schema;
}

event::TableSchemaPtr DescribeKnown(Oid relation, const CatalogRelation& known,
                                    const TypeCache& types) {
  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = relation;
  schema->schema = known.schema;
  schema->table = known.table;
  schema->replica_identity = known.replica_identity;
  for (const CatalogColumn& described : known.columns) {
    TypePtr type = types.Find(described.type);
    if (type == nullptr) type = UnknownType(described.type, "", "");
    event::Column column = MakeColumn(described.name, std::move(type), described.typmod);
    Decorate(described, described.type, column);
    column.old_value_sent = described.old_value_sent;
    schema->columns.push_back(std::move(column));
  }
  schema->partitioned = known.partitioned;
  schema->parent = known.parent;
  schema->key_columns = KeyByName(known.key, schema->columns);
  schema->key_risk = known.key_risk;
  schema->hypertable = known.hypertable;
  return schema;
}

}  // namespace walduct::postgres
