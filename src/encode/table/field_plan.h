// FieldPlan: how one field of a key or a row becomes bytes. Compiled from a column and what the
// configuration says about it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "config/options/options.h"
#include "encode/schema/connect_schema.h"
#include "encode/types/column_rules.h"
#include "encode/values/value_plan.h"
#include "event/table_schema.h"

namespace walduct::encode {

inline constexpr size_t kFormats = 3;
// One text per TextFormat.
using Texts = std::array<std::string, kFormats>;
inline size_t Index(TextFormat format) { return static_cast<size_t>(format); }

struct FieldPlan {
  ValuePlan value;
  uint16_t column = 0;  // in the row
  bool optional = true;
  bool has_placeholder = false;
  bool null_is_value = false;  // null_text stands for a value in every format: a mask
  Texts prefix;       // everything before the value: `{"id":`, `,"name":`; kStruct: `name=`
  Texts null_text;    // for NULL and for what was not sent; empty in kStruct: the field is left out
  Texts placeholder;  // for a TOAST value that was not sent
  std::string name;   // of the column, for error messages
};

// A field before it has a place: its name is decided, its prefix is not.
struct Field {
  std::string name;  // as published
  ConnectSchemaPtr schema;
  FieldPlan plan;
};

struct FieldRequest {
  const event::Column* column = nullptr;
  uint16_t index = 0;  // of the column, in the row
  const config::ConverterOptions* converter = nullptr;
  const config::ValueOptions* values = nullptr;
  absl::string_view placeholder;  // unavailable.value.placeholder
  ColumnRule rule;
  int32_t length = 0;  // of the column's SQL type
};

// Without name and prefix. Absent: the column's type is not supported.
std::optional<Field> CompileField(const FieldRequest& request);

std::string QuotedName(absl::string_view name, TextFormat format);

// Gives the fields their prefixes, in order.
void PlaceFields(std::vector<Field>* fields);

}  // namespace walduct::encode
