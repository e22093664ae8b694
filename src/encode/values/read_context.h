// What readers of values share: outcomes, and buffers that are used again from value to value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/out_buffer.h"

namespace walduct::encode {

enum class Outcome : uint8_t {
  kOk,
  kNull,       // valid, but the schema has no value for it (a year of nanoseconds beyond 64 bits)
  kNoRoom,     // the same, and Debezium calls it a failed conversion (numeric NaN as a Decimal)
  kAbsent,     // to be written as if the server had not sent it, as Debezium does
  kMalformed,  // PostgreSQL cannot have sent this
  kForeignMoney,  // money in a locale whose separators are not understood
  kNestedArray,   // more than one dimension, and the format has no way to say it
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
  OutBuffer published;     // of a mask: the value before it
  std::vector<Entry> entries;
};

struct ReadContext {
  Scratch* scratch = nullptr;
  bool streaming = false;  // the row is not read by a snapshot, and not written to a key
  uint64_t saturated = 0;  // values beyond the range of the Connect type, taken for its limit
};

}  // namespace walduct::encode
