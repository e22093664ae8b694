// Type: what the catalog says about one PostgreSQL type. Immutable once built; identified by OID,
// never by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/lsn.h"

namespace walduct::event {

enum class TypeKind : uint8_t {
  kBase,
  kArray,
  kEnum,
  kDomain,
  kComposite,
  kRange,
  kMultirange,
  kPseudo,
  kUnknown  // gone from the catalog, and not remembered: schema and name are those of the stream
};

struct Type {
  Oid oid{};
  std::string schema;  // pg_namespace.nspname
  std::string name;    // pg_type.typname: "int4", "_text", "mood"
  TypeKind kind = TypeKind::kBase;
  bool by_hand = false;                 // not the one of its name that an extension has brought
  char delimiter = 0;                   // between elements of an array of it; 0: what its name says
  std::shared_ptr<const Type> base;     // kDomain: what it is over; else null
  int32_t base_typmod = -1;             // kDomain: modifier it adds; -1 none
  bool not_null = false;                // kDomain: NOT NULL
  std::shared_ptr<const Type> element;  // kArray: element type
  std::vector<std::string> labels;      // kEnum: in enumsortorder
};

// The type under all domains.
inline const Type& BaseType(const Type& type) {
  const Type* t = &type;
  while (t->kind == TypeKind::kDomain && t->base != nullptr) t = t->base.get();
  return *t;
}

// The modifier of a domain applies when the column has none of its own.
inline int32_t EffectiveTypmod(const Type& type, int32_t typmod) {
  const Type* t = &type;
  while (typmod == -1 && t->kind == TypeKind::kDomain && t->base != nullptr) {
    typmod = t->base_typmod;
    t = t->base.get();
  }
  return typmod;
}

}  // namespace walduct::event
