// ColumnNotices: what the owner of a column should know, each told once: what it is published
// without, or as something else. Thread-safety: none; part of one encoder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace walduct::encode {

struct FieldPlan;

struct ColumnNotice {
  enum class Kind : uint8_t {
    kTypeNotSupported,   // left out of the value
    kTypeDropped,        // written by the name of its type, which is all that is known of it
    kMaskWithoutEffect,  // a mask names it, but applies to character types only
    kMaskedKey,          // masked in the value, written as it is in the key
    kValueNulled,        // a value that its schema has no room for became null
    kValueLimited,       // a value beyond the range of its schema became the limit
    kValueLost,          // a value is published as if it had not been sent, as Debezium does
    kUnsentNulled,       // a TOAST value that was not sent is published as null
    kNullFilled,         // a NULL under NOT NULL became a value of the type, as in Debezium
    kNullKept,           // the field is optional from now on, because of such a NULL
  };
  Kind kind = Kind::kTypeNotSupported;
  std::string table;  // "schema.table"
  std::string column, type;
};

class ColumnNotices {
 public:
  void Add(const ColumnNotice& notice);

  // A value of the field is not published as it was sent. Allocates for the first such value of a
  // plan only.
  void AddValue(ColumnNotice::Kind kind, absl::string_view table, const FieldPlan& field);

  // Fields known so far may be gone, and others be where they were.
  void ForgetFields() { fields_.clear(); }

  std::vector<ColumnNotice> Take() { return std::exchange(pending_, {}); }

 private:
  absl::flat_hash_set<std::string> told_;
  absl::flat_hash_set<std::pair<const FieldPlan*, ColumnNotice::Kind>> fields_;
  std::vector<ColumnNotice> pending_;
};

}  // namespace walduct::encode
