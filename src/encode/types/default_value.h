// The value that Debezium 3.6 takes from a column's DEFAULT expression. It reads pg_get_expr's text
// and evaluates nothing:
//   NULL::…                      none
//   f(…), CURRENT_TIMESTAMP, …   a constant of the type: 0, "", {}, the epoch, …
//   …'literal'…                  the first literal, up to its first quote even when that is half
//                                of a ''
//   …'-infinity' as a timestamp: the limit of 64 bits, or none; as an interval: none at all, zero
//   …'24:00:00' as a time:       the last nanosecond of the day
//   anything else                the text itself, where the type can read it
#pragma once

#include <optional>

#include "encode/types/placeholder.h"
#include "encode/types/type_table.h"
#include "event/table_schema.h"

namespace walduct::encode {

// The type may still refuse to read it. Absent: no default is published. keep_lost: neither the end
// of a day nor an infinite interval becomes another value, and a generated column, whose expression
// Debezium takes for a DEFAULT, has none.
std::optional<Constant> DefaultConstant(const event::Column& column, const TypeMapping& mapping,
                                        bool keep_lost);

}  // namespace walduct::encode
