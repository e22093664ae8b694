// HeaderLiteral: the value of InsertHeader's value.literal, as Connect's Values.parseString takes
// it. Pure.
//
// null is no value and has no schema; true, false; dates, times and timestamps of exactly the forms
// 2020-01-02, 03:04:05.678Z and 2020-01-02T03:04:05.678Z; numbers: an integer, if the number is
// one, of the smallest type, else a float, else a double, else (an integer without a fraction) a
// decimal. All else is text. Lists and maps, and numbers beyond a double, are text here.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "event/record_template.h"

namespace walduct::transform {

event::Node ParseHeaderLiteral(const std::string& name, absl::string_view written);

}  // namespace walduct::transform
