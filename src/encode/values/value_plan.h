// ValuePlan: how the text of one column becomes bytes. Chosen once per table version, so that a row
// costs one indirect call per column and nothing is looked up by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/options/options.h"

namespace walduct::encode {

class ColumnNotices;

// The three places a value is written to.
enum class TextFormat : uint8_t {
  kJson,    // payload of JsonConverter
  kHeader,  // inside a struct that SimpleHeaderConverter prints
  kStruct,  // inside a struct that StringConverter prints: Java's Struct.toString()
};

enum class Outcome : uint8_t {
  kOk,
  kNull,       // valid, but the schema has no value for it (a year of nanoseconds beyond 64 bits)
  kNoRoom,     // the same, and Debezium calls it a failed conversion (numeric NaN as a Decimal)
  kAbsent,     // to be written as if the server had not sent it, as Debezium does
  kMalformed,  // PostgreSQL cannot have sent this
  kForeignMoney,  // money in a locale whose separators are not understood
  kNestedArray,   // more than one dimension, and the schema in the record says one
};

// Buffers reused from value to value, so that the steady state allocates nothing.
struct Scratch {
  struct Entry {
    uint32_t key_begin, key_size;
    uint32_t value_begin, value_size;
    bool is_null;
    uint32_t hash;
    uint32_t ordinal;
  };
  std::string digits;           // of a decimal
  std::vector<uint32_t> limbs;  // of a decimal, least significant first
  std::string bytes;
  std::string element;     // of an array, unescaped
  std::string entry_text;  // of hstore, unescaped
  std::string published;   // of a mask: the value before it
  std::vector<Entry> entries;
};

struct ValueContext {
  std::string* out = nullptr;
  TextFormat format = TextFormat::kJson;
  bool decimal_numeric = false;  // decimal.format=NUMERIC
  bool nested_arrays = false;    // several dimensions may be written as nested JSON arrays
  Scratch* scratch = nullptr;
  bool streaming = false;  // the row is not read by a snapshot, and not written to a key
  config::FailureMode on_failure = config::FailureMode::kDefault;
  bool wrote_null = false;  // the column written last is null, and no constant stands for it
  uint64_t saturated = 0;   // values beyond the range of the Connect type, written as its limit
  uint64_t nulled = 0;      // values that the schema has no room for, written as null
  uint64_t lost = 0;        // kAbsent
  ColumnNotices* notices = nullptr;  // null: nobody wants to know
};

struct ValuePlan;
struct ValueMask;
// Appends the value of text to context->out. kNull appends nothing; after an error what was
// appended is of no use.
using AppendFn = Outcome (*)(absl::string_view text, const ValuePlan& plan, ValueContext* context);

struct ValuePlan {
  AppendFn append = nullptr;
  int32_t scale = 0;                         // decimal; -1: as many digits as the value has
  int32_t precision = 6;                     // digits of a second's fraction
  bool optional = true;                      // of an element: may be null
  char delimiter = ',';                      // array
  bool finite_items = false;                 // array: null when an item is NaN or infinite
  std::shared_ptr<const ValuePlan> element;  // array
  std::shared_ptr<const ValueMask> mask;     // value_mask.h
};

}  // namespace walduct::encode
