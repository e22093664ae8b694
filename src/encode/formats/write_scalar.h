// Values of functions and constants, for any format: a template over its writer.
#pragma once

#include <cstdint>
#include <type_traits>

#include "absl/base/attributes.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "encode/formats/formats.h"
#include "encode/formats/half_pair.h"
#include "encode/schema/need.h"
#include "event/connect_schema.h"
#include "event/scalar.h"
#include "event/tree.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace internal {

inline int32_t ScaleOf(const event::ConnectSchema& schema) {
  int32_t scale = 0;
  for (const auto& [name, value] : schema.parameters) {
    if (name == "scale" && !absl::SimpleAtoi(value, &scale)) scale = 0;
  }
  return scale;
}

template <typename Writer>
bool WriteDecimal(absl::string_view digits, const event::ConnectSchema* schema, Scratch* scratch,
                  Writer* out) {
  DecimalText decimal;
  if (ParseDecimal(digits, &decimal) != Outcome::kOk) return false;
  const bool scaled = schema != nullptr && IsDecimal(*schema);
  const auto own_scale = static_cast<int32_t>(decimal.fraction.size());
  const int32_t scale = scaled ? ScaleOf(*schema) : own_scale;
  if (own_scale > scale) return false;
  out->Decimal(decimal, scale, scratch);
  return true;
}

template <typename Writer>
void WriteInteger(int64_t value, const event::ConnectSchema* schema, Writer* out) {
  const absl::string_view name = schema == nullptr ? "" : absl::string_view(schema->name);
  if (name == java::kConnectDate) {
    out->ConnectDate(value);
  } else if (name == java::kConnectTime) {
    out->ConnectTime(value);
  } else if (name == java::kConnectTimestamp) {
    out->ConnectTimestamp(value);
  } else {
    out->Integer(value);
  }
}

// Of the field that is the i-th; null: unknown.
inline const event::ConnectSchema* FieldSchema(const event::ConnectSchema* of, size_t i,
                                               absl::string_view name) {
  if (of == nullptr) return nullptr;
  if (i < of->fields.size() && of->fields[i].name == name) return of->fields[i].schema.get();
  const event::ConnectField* const field = of->Find(name);
  return field == nullptr ? nullptr : field->schema.get();
}

// Not inlined: most values are not trees.
template <typename Writer>
ABSL_ATTRIBUTE_NOINLINE bool WriteTree(const event::Scalar& value,
                                       const event::ConnectSchema* schema, Scratch* scratch,
                                       Writer* out);

}  // namespace internal

// value is not null and of the schema's type; a null schema: by its kind. False: a decimal that the
// schema has no room for.
template <typename Writer>
bool WriteScalar(const event::Scalar& value, const event::ConnectSchema* schema, Scratch* scratch,
                 Writer* out) {
  switch (value.kind) {
    case event::Scalar::Kind::kNull:
      break;
    case event::Scalar::Kind::kBoolean:
      out->Boolean(value.integer != 0);
      break;
    case event::Scalar::Kind::kInteger:
      internal::WriteInteger(value.integer, schema, out);
      break;
    case event::Scalar::Kind::kReal:
      if (schema != nullptr && schema->type == event::ConnectType::kFloat) {
        out->Float(static_cast<float>(value.real));
      } else {
        out->Double(value.real);
      }
      break;
    case event::Scalar::Kind::kText:
      out->String(value.text);
      break;
    case event::Scalar::Kind::kBytes:
      out->Bytes(value.text);
      break;
    case event::Scalar::Kind::kDecimal:
      return internal::WriteDecimal(value.text, schema, scratch, out);
    default:
      return internal::WriteTree(value, schema, scratch, out);
  }
  return true;
}

namespace internal {

template <typename Writer>
void WriteTextWithHalfPairs(absl::string_view text, Writer* out) {
  if constexpr (std::is_same_v<Writer, JsonWriter>) {
    AppendJsonWithHalfPairs(text, out->text());
  } else {
    out->String(WithoutHalfPairs(text));
  }
}

// Of JSON names keep their half pairs, too.
template <typename Writer>
void WriteName(size_t i, absl::string_view name, Need need, Writer* out) {
  if (std::is_same_v<Writer, JsonWriter> || !MayHaveHalfPair(name))
    return out->Field(i, name, need);
  out->Field(i, WithoutHalfPairs(name), need);
}

template <typename Writer>
bool WriteMember(const event::Scalar& value, const event::ConnectSchema* schema, Scratch* scratch,
                 Writer* out) {
  if (value.kind == event::Scalar::Kind::kText && MayHaveHalfPair(value.text)) {
    WriteTextWithHalfPairs(value.text, out);
  } else if (value.is_null()) {
    out->Null();
  } else {
    return WriteScalar(value, schema, scratch, out);
  }
  return true;
}

template <typename Writer>
bool WriteArray(const event::Scalar& array, const event::ConnectSchema* schema, Scratch* scratch,
                Writer* out) {
  const event::ConnectSchema* const items = schema == nullptr ? nullptr : schema->items.get();
  bool written = true;
  out->BeginArray();
  event::TreeReader in(array);
  for (size_t i = 0; !in.done(); ++i) {
    out->Item(i, NeedOf(items));
    written = WriteMember(in.Value(), items, scratch, out) && written;
  }
  out->EndArray();
  return written;
}

template <typename Writer>
bool WriteMap(const event::Scalar& map, const event::ConnectSchema* schema, Scratch* scratch,
              Writer* out) {
  const event::ConnectSchema* const key = schema == nullptr ? nullptr : schema->keys.get();
  const event::ConnectSchema* const item = schema == nullptr ? nullptr : schema->items.get();
  const bool texts = key == nullptr || key->type == event::ConnectType::kString;
  const MapKeys keys = texts ? MapKeys::kStrings : MapKeys::kIntegers;
  bool written = true;
  out->BeginMap(keys);
  event::TreeReader in(map);
  for (size_t i = 0; !in.done(); ++i) {
    out->Key(i, keys);
    written = WriteMember(in.Value(), key, scratch, out) && written;
    out->MapValue(keys, NeedOf(item));
    written = WriteMember(in.Value(), item, scratch, out) && written;
    out->EndEntry(keys);
  }
  out->EndMap(keys);
  return written;
}

template <typename Writer>
bool WriteStruct(const event::Scalar& of, const event::ConnectSchema* schema, Scratch* scratch,
                 Writer* out) {
  bool written = true;
  out->BeginStruct();
  event::TreeReader in(of);
  for (size_t i = 0; !in.done(); ++i) {
    const absl::string_view name = in.Name();
    const event::Scalar value = in.Value();
    const event::ConnectSchema* const field = FieldSchema(schema, i, name);
    if (value.is_null()) {
      out->NullField(i, name, NeedOf(field));
    } else {
      WriteName(i, name, NeedOf(field), out);
      written = WriteMember(value, field, scratch, out) && written;
    }
  }
  out->EndStruct();
  return written;
}

template <typename Writer>
bool WriteTree(const event::Scalar& value, const event::ConnectSchema* schema, Scratch* scratch,
               Writer* out) {
  if (value.kind == event::Scalar::Kind::kArray) return WriteArray(value, schema, scratch, out);
  if (value.kind == event::Scalar::Kind::kMap) return WriteMap(value, schema, scratch, out);
  return WriteStruct(value, schema, scratch, out);
}

}  // namespace internal
}  // namespace walduct::encode
