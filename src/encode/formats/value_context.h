// ValueContext: what the rows of one encoder are written with: a target, buffers, counters.
#pragma once

#include <cstdint>
#include <optional>

#include "encode/formats/text_target.h"
#include "encode/options/failure_mode.h"
#include "encode/values/read_context.h"

namespace walduct::encode {

class ColumnNotices;

// What the writer of rows needs beside a writer of values.
struct RowContext : ReadContext {
  FailureMode on_failure = FailureMode::kDefault;
  bool wrote_null = false;  // the column written last is null, and no constant stands for it
  uint64_t nulled = 0;      // values that the schema has no room for, written as null
  uint64_t lost = 0;        // kAbsent
  uint64_t filled = 0;      // NULL of a column that is NOT NULL, written as a value of the type
  // Such a NULL ends the row instead, and the column stands here.
  bool keep_nulls = false;
  std::optional<uint16_t> null_column = {};
  ColumnNotices* notices = nullptr;  // null: nobody wants to know
};

struct ValueContext : RowContext, TextTarget {};

}  // namespace walduct::encode
