// ValueWriter: what a format is to the readers of values (readers/): a class with these functions,
// bound at compile time. Each writes one value, or a part of one, of Kafka Connect's data model. A
// new format is a new writer and one instantiation of ReadTable (readers/read_table.h); no type
// knows of it. docs: CONTRIBUTING.md, "Add a format".
//
//   value  = Null | Boolean | Integer | IntegerText | Float | Double | String | Ascii | Bytes
//          | HexBytes | Decimal | ConnectDate | ConnectTime | ConnectTimestamp
//          | BeginArray (Item value)* EndArray
//          | BeginMap (Key value MapValue value EndEntry)* EndMap
//          | BeginStruct (Field value | NullField)* EndStruct
//
// `index` counts from 0; `need` is what the schema says of the value that follows, so that a format
// that marks values that may be missing knows when and how to.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/schema/need.h"
#include "encode/values/decimal_text.h"
#include "encode/values/float_text.h"

namespace walduct::encode {

enum class MapKeys : uint8_t { kStrings, kIntegers };

namespace internal {
inline constexpr auto kFillNothing = [](char* to) { return to; };
}

template <typename W>
concept ValueWriter = requires(W* out, const W* known, absl::string_view text, size_t index,
                               int64_t integer, bool flag, MapKeys keys, Need need,
                               Scratch* scratch, const DecimalText& decimal,
                               const FloatText<float>& single, const FloatText<double>& real,
                               float short_value, double value) {
  out->Null();
  out->Boolean(flag);
  out->Integer(integer);            // int8 to int64
  out->IntegerText(text, integer);  // the same, and its digits
  out->Float(single);
  out->Float(short_value);
  out->Double(real);
  out->Double(value);
  out->String(text);  // UTF-8
  // A string of at most `index` characters that no format escapes: fill(char* to) writes them and
  // answers their end, or null: not a value. Answers whether it is one.
  { out->Ascii(index, internal::kFillNothing) } -> std::same_as<bool>;
  out->Bytes(text);
  { out->HexBytes(text) } -> std::same_as<bool>;  // as pairs of digits; false: they are not
  // Connect's Decimal of that scale, which the fraction has room in.
  out->Decimal(decimal, int32_t{}, scratch);
  out->ConnectDate(integer);       // days: Connect's own logical types
  out->ConnectTime(integer);       // milliseconds
  out->ConnectTimestamp(integer);  // milliseconds
  out->BeginArray();
  out->Item(index, need);
  out->EndArray();
  // Nested arrays, which Connect schemas of columns cannot describe.
  { known->nested_arrays() } -> std::same_as<bool>;
  out->BeginMap(keys);
  out->Key(index, keys);
  out->MapValue(keys, need);
  out->EndEntry(keys);
  out->EndMap(keys);
  out->BeginStruct();
  out->Field(index, text, need);
  out->NullField(index, text, need);
  out->EndStruct();
  // A place to come back to when a value turns out not to be one.
  out->Rewind(known->Mark());
};

}  // namespace walduct::encode
