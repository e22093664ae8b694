// TableKey: a table's name as one text that no other table has, to know it by. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::postgres {

// public.orders; where a dot in the schema would make it another table's ("a.b" and c, a and
// "b.c"), "a.b".c. What is stored by "schema.table" is found by it for all other tables.
std::string TableKey(absl::string_view schema, absl::string_view table);

}  // namespace walduct::postgres
