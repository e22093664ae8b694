// The table of PostgreSQL types: one row per type says its Connect schema, its append function and what stands in for values that
// are not there. To support one more type, add a row here. Types without a row are left out of records, as Debezium does.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/connect_schema.h"
#include "encode/value_plan.h"
#include "event/type.h"

namespace walduct::encode {

// What a TOAST value that the server did not send is published as.
enum class Placeholder : uint8_t {
  kNone,     // no value of the type can say it: null
  kText,     // unavailable.value.placeholder itself
  kBytes,    // its bytes
  kHstore,   // a map of it to itself
  kNumbers,  // its bytes as numbers; arrays only
  kUuid,     // the name-based UUID of its bytes; arrays only
};

enum class ArrayItems : uint8_t { kUnsupported, kOptional, kRequired };

struct TypeRow {
  absl::string_view name;  // pg_type.typname
  bool extension;          // comes with an extension: any schema; else pg_catalog only
  ConnectType type;
  absl::string_view semantic_name;  // empty: none
  AppendFn append;
  // Sets what depends on the type modifier (-1: none). May be null.
  void (*refine)(int32_t typmod, ConnectSchema* schema, ValuePlan* plan);
  absl::string_view filler;  // PostgreSQL text of what replaces NULL in a required field
  const char*
      function_default;  // what DEFAULT f() is taken for; null: defaults of the type are not published
  Placeholder placeholder;
  ArrayItems array_items;
  Placeholder array_placeholder;
};

struct TypeMapping {
  ConnectSchema schema;  // optional is left to the caller
  ValuePlan plan;
  std::string filler;
  Placeholder placeholder = Placeholder::kNone;
  bool array = false;
  const TypeRow* row = nullptr;  // of the element when array
};

// False when the type has no row. Resolves domains; typmod is the column's.
bool MapType(const event::Type& type, int32_t typmod, TypeMapping* mapping);

}  // namespace walduct::encode
