// One row of COPY's text format, split and unescaped in place. Pure.
//
//   row    := [field {TAB field}] LF
//   field  := "\N"                                    NULL
//           | {byte | "\" escape}
//   escape := b f n r t v                             the control characters of C
//           | octal{1,3} | "x" hex{1,2} | any other byte, standing for itself
//
// Source: https://www.postgresql.org/docs/current/sql-copy.html, "Text Format".
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "event/row.h"

namespace walduct::postgres {

// Writes one Value per field into values; they point into line, which is changed. DataLoss
// copy_malformed when the number of fields is another than values.size().
absl::Status SplitCopyRow(char* line, size_t size, absl::Span<event::Value> values);

}  // namespace walduct::postgres
