// A row as PostgreSQL sent it: one Value per column of its TableSchema, in order, in PostgreSQL's
// text format. Borrowed.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::event {

enum class ValueKind : uint8_t {
  kNull,
  kUnchangedToast,  // stored out of line, not changed by the UPDATE, not sent
  kAbsent,          // not part of what the server sent: a non-key column of an old key tuple
  kText,
};

struct Value {
  const char* data = nullptr;
  uint32_t size = 0;
  ValueKind kind = ValueKind::kNull;

  static Value Text(absl::string_view text) {
    return {text.data(), static_cast<uint32_t>(text.size()), ValueKind::kText};
  }
  static Value Null() { return {}; }
  static Value UnchangedToast() { return {nullptr, 0, ValueKind::kUnchangedToast}; }

  absl::string_view text() const { return {data, size}; }
  bool is_text() const { return kind == ValueKind::kText; }
};

using RowView = absl::Span<const Value>;

}  // namespace walduct::event
