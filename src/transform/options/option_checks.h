// Checks for OptionRow::check: "" when the value is fine, else what is wrong with it. Pure.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "java/regex/regex_rename.h"
#include "java/time/simple_date_format.h"

namespace walduct::transform {

std::string CheckNotEmpty(absl::string_view value);
std::string CheckNotEmptyList(absl::string_view value);

// Integers of any size, as text.
std::string CheckPositive(absl::string_view value);
std::string CheckNotNegative(absl::string_view value);

// A Java regular expression.
std::string CheckPattern(absl::string_view value);
// A pattern of java.text.SimpleDateFormat.
std::string CheckDateFormat(absl::string_view value);

// What is wrong with the replacement of a regular expression that is right: a group it does not
// have.
std::string CheckReplacement(absl::string_view regex, absl::string_view replacement);
// The two together, when both checks found nothing.
java::RegexRename CheckedRename(absl::string_view regex, absl::string_view replacement);
// A pattern whose check found nothing.
std::shared_ptr<const java::SimpleDateFormat> CheckedDateFormat(absl::string_view pattern);

}  // namespace walduct::transform
