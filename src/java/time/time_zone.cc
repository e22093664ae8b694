#include "java/time/time_zone.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::java {
namespace {

bool IsOffset(absl::string_view name) {
  if (name.size() != 6 || (name[0] != '+' && name[0] != '-') || name[3] != ':') return false;
  for (const size_t i : {1u, 2u, 4u, 5u}) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(name[i]))) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<absl::TimeZone> FindTimeZone(absl::string_view name) {
  if (IsOffset(name)) {
    const int hours = (name[1] - '0') * 10 + name[2] - '0';
    const int minutes = (name[4] - '0') * 10 + name[5] - '0';
    const int seconds = (hours * 60 + minutes) * 60;
    if (hours <= 18 && minutes < 60)
      return absl::FixedTimeZone(name[0] == '-' ? -seconds : seconds);
  }
  absl::TimeZone zone;
  if (!name.empty() && absl::LoadTimeZone(std::string(name), &zone)) return zone;
  return Error(absl::StatusCode::kInvalidArgument, "unknown_time_zone",
               absl::StrCat("'", name, "' is neither a known time zone nor an offset like +05:30"));
}

}  // namespace walduct::java
