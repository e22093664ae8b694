// The value that Debezium 3.6 takes from a column's DEFAULT expression. It reads pg_get_expr's text
// and evaluates nothing:
//   NULL…                        none
//   f(…), CURRENT_TIMESTAMP, …   a constant of the type: 0, "", {}, the epoch, …
//   …'literal'…                  the first literal, up to its first quote even when that is half
//                                of a ''
//   …'-infinity' as a timestamp: the limit of 64 bits, or none
//   anything else                the text itself, where the type can read it
#pragma once

#include <optional>
#include <string>

#include "encode/types/type_table.h"
#include "event/table_schema.h"

namespace walduct::encode {

// As PostgreSQL would print the value; the type may still refuse to read it. Absent: no default is
// published.
std::optional<std::string> DefaultText(const event::Column& column, const TypeMapping& mapping);

}  // namespace walduct::encode
