// FieldPlan: how one field of a key or a row becomes bytes. Compiled from a column and what the
// configuration says about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "encode/formats/text_target.h"
#include "encode/schema/need.h"
#include "encode/types/column_rules.h"
#include "encode/types/placeholder.h"
#include "encode/values/value_plan.h"
#include "event/connect_schema.h"
#include "event/table_schema.h"

namespace walduct::encode {

struct ConverterOptions;
struct ValueOptions;

// What is published where there is no value, with its text ready.
struct Substitute {
  Constant constant;
  Texts text;
};

// Small: a table of hundreds of columns is walked through for each row, and thousands of tables may
// be known.
struct FieldPlan {
  // Of each text format: everything before the value: `{"id":`, `,"name":`; kStruct: `name=`.
  Texts prefix;
  ValuePlan value;
  uint16_t column = 0;  // in the row
  Need need = Need::kOptional;
  bool null_is_value = false;   // null_value stands for NULL in every format
  bool null_is_filler = false;  // and is not what the column holds: NOT NULL does not hold
  // What NULL is published as: always there in a required field; in an optional one its default,
  // which is for the format to take or leave.
  std::shared_ptr<const Constant> null_value;
  // NULL as text, ready; never null. Empty in kStruct: the field is left out.
  std::shared_ptr<const Texts> null_text;
  std::shared_ptr<const Substitute> placeholder;  // for a TOAST value that was not sent
  std::string name;                               // of the column, for error messages

  bool optional() const { return need != Need::kRequired; }
};

// A field before it has a place: its name is decided, its prefix is not.
struct Field {
  std::string name;  // as published
  event::ConnectSchemaPtr schema;
  FieldPlan plan;
};

struct FieldRequest {
  const event::Column* column = nullptr;
  uint16_t index = 0;  // of the column, in the row
  const ConverterOptions* converter = nullptr;
  const ValueOptions* values = nullptr;
  absl::string_view placeholder;  // unavailable.value.placeholder
  ColumnRule rule;
  int32_t length = 0;  // of the column's SQL type
};

// Without name and prefix. Absent: the column's type is not supported. An error: what stands for
// its values cannot be made (placeholder.h).
absl::StatusOr<std::optional<Field>> CompileField(const FieldRequest& request);

std::string QuotedName(absl::string_view name, TextFormat format);

// Gives the fields their prefixes, in order.
void PlaceFields(std::vector<Field>* fields);

}  // namespace walduct::encode
