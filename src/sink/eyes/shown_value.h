// A value of a record as people read it: a decimal with its point, bytes as \x…, times as times.
// What a number or a text means is in the schema beside it, as JsonConverter writes it. Pure.
#pragma once

#include <rapidjson/document.h>

#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace walduct::sink {

// schema: of the value; null: none is known, and it is shown as the JSON has it.
void AppendShown(const rapidjson::Value& value, const rapidjson::Value* schema, std::string* out);

// Of a struct's schema; null: it has no such field.
const rapidjson::Value* FieldSchema(const rapidjson::Value* schema, absl::string_view field);

// As one word: in quotes where it would not be read as one. Control characters are \n, \u001B.
void AppendShownText(absl::string_view text, std::string* out);

// A big-endian number in two's complement with so many digits behind the point.
std::string DecimalText(absl::string_view bytes, int scale);

}  // namespace walduct::sink
