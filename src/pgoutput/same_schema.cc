#include "pgoutput/same_schema.h"

#include <algorithm>
#include <memory>

namespace walduct::pgoutput {
namespace {

bool SameType(const std::shared_ptr<const event::Type>& a,
              const std::shared_ptr<const event::Type>& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return a->oid == b->oid && a->schema == b->schema && a->name == b->name && a->kind == b->kind &&
         a->base_typmod == b->base_typmod && a->not_null == b->not_null && a->labels == b->labels &&
         SameType(a->base, b->base) && SameType(a->element, b->element);
}

bool SameColumn(const event::Column& a, const event::Column& b) {
  return a.name == b.name && a.typmod == b.typmod && a.optional == b.optional &&
         a.default_expression == b.default_expression && a.identity == b.identity &&
         a.generated == b.generated && SameType(a.type, b.type);
}

}  // namespace

bool SameSchema(const event::TableSchema& a, const event::TableSchema& b) {
  return a.relation == b.relation && a.schema == b.schema && a.table == b.table &&
         a.replica_identity == b.replica_identity && a.key_columns == b.key_columns &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    SameColumn);
}

}  // namespace walduct::pgoutput
