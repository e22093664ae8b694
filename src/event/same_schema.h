// Whether two schemas of a table say the same, types included. The server repeats a Relation
// message after every invalidation of its cache, a plain ANALYZE can be enough, and each chunk of
// an incremental snapshot describes its table anew: plans compiled from an unchanged schema should
// survive that. Pure.
#pragma once

#include <algorithm>
#include <memory>

#include "event/table_schema.h"

namespace walduct::event {

// Labels of an enum, the base of a domain: what users can alter of a type without a new one.
inline bool SameType(const std::shared_ptr<const Type>& a, const std::shared_ptr<const Type>& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return a->oid == b->oid && a->schema == b->schema && a->name == b->name && a->kind == b->kind &&
         a->by_hand == b->by_hand && a->base_typmod == b->base_typmod &&
         a->not_null == b->not_null && a->labels == b->labels && SameType(a->base, b->base) &&
         SameType(a->element, b->element);
}

inline bool SameColumn(const Column& a, const Column& b) {
  return a.name == b.name && a.typmod == b.typmod && a.optional == b.optional &&
         a.default_expression == b.default_expression && a.identity == b.identity &&
         a.generated == b.generated && a.old_value_sent == b.old_value_sent &&
         SameType(a.type, b.type);
}

inline bool SameHypertable(const HypertablePtr& a, const HypertablePtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

inline bool SameSchema(const TableSchema& a, const TableSchema& b) {
  return a.relation == b.relation && a.schema == b.schema && a.table == b.table &&
         a.partitioned == b.partitioned && a.replica_identity == b.replica_identity &&
         a.key_columns == b.key_columns && SameHypertable(a.hypertable, b.hypertable) &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    SameColumn);
}

}  // namespace walduct::event
