// Scalar: one value of a record in Kafka Connect's model, as functions of values take and give it.
// Borrows its text.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::event {

struct Scalar {
  enum class Kind : uint8_t {
    kNull,
    kBoolean,  // integer: 0 or 1
    kInteger,  // int8 … int64
    kReal,     // float, double
    kText,     // string
    kBytes,    // text: the bytes themselves
    kDecimal,  // text: all digits, without an exponent ("12.30")
    // text: what is in it, made by TreeBuilder and read by TreeReader (tree.h)
    kArray,
    kMap,
    kStruct,
  };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  absl::string_view text;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_tree() const { return kind >= Kind::kArray; }

  static Scalar Null() { return {}; }
  static Scalar Boolean(bool value) { return {Kind::kBoolean, value ? 1 : 0, 0, {}}; }
  static Scalar Integer(int64_t value) { return {Kind::kInteger, value, 0, {}}; }
  static Scalar Real(double value) { return {Kind::kReal, 0, value, {}}; }
  static Scalar Text(absl::string_view text) { return {Kind::kText, 0, 0, text}; }
  static Scalar Bytes(absl::string_view bytes) { return {Kind::kBytes, 0, 0, bytes}; }
  static Scalar Decimal(absl::string_view digits) { return {Kind::kDecimal, 0, 0, digits}; }
  static Scalar Tree(Kind kind, absl::string_view content) { return {kind, 0, 0, content}; }
};

}  // namespace walduct::event
