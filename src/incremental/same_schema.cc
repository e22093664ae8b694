#include "incremental/same_schema.h"

namespace walduct::incremental {
namespace {

// Labels of an enum, the base of a domain: what users can alter of a type without a new one.
bool SameType(const event::Type* a, const event::Type* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->oid == b->oid && a->schema == b->schema && a->name == b->name && a->kind == b->kind &&
         a->base_typmod == b->base_typmod && a->not_null == b->not_null && a->labels == b->labels &&
         SameType(a->base.get(), b->base.get()) && SameType(a->element.get(), b->element.get());
}

bool SameColumn(const event::Column& a, const event::Column& b) {
  return a.name == b.name && a.typmod == b.typmod && a.optional == b.optional &&
         a.default_expression == b.default_expression && a.identity == b.identity &&
         a.generated == b.generated && SameType(a.type.get(), b.type.get());
}

}  // namespace

bool SameSchema(const event::TableSchema& a, const event::TableSchema& b) {
  if (a.relation != b.relation || a.schema != b.schema || a.table != b.table ||
      a.key_columns != b.key_columns || a.replica_identity != b.replica_identity ||
      a.columns.size() != b.columns.size()) {
    return false;
  }
  for (size_t i = 0; i < a.columns.size(); ++i) {
    if (!SameColumn(a.columns[i], b.columns[i])) return false;
  }
  return true;
}

}  // namespace walduct::incremental
