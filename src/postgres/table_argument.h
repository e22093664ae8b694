// TableArgument: a table's name as `--table` of `walduct signal` takes it, for a hint that people
// copy into a shell. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::postgres {

// public.orders; '"My shop"."a.b"' where the plain name would be read as another one.
std::string TableArgument(absl::string_view schema, absl::string_view table);

}  // namespace walduct::postgres
