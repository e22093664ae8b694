// SimpleDateFormat: the patterns of java.text.SimpleDateFormat that do not depend on a locale's
// weeks, in UTC and English: G y M L d D E u a H k K h m s S z Z X, 'text', other signs as they
// are. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"

namespace walduct::java {

class SimpleDateFormat {
 public:
  // clock, borrowed, says which century a year of two digits is of.
  // InvalidArgument: a letter without meaning or one that depends on weeks.
  static absl::StatusOr<SimpleDateFormat> Compile(absl::string_view pattern,
                                                  Clock& clock = Clock::Real());

  void Append(int64_t millis, std::string* out) const;

  // Milliseconds since the Unix epoch. Lenient as Java is: values beyond their range carry over,
  // text after the last field does not count. False: the text is not of this form.
  bool Parse(absl::string_view text, int64_t* millis) const;

 private:
  struct Part {
    char letter = 0;  // 0: literal
    size_t count = 0;
    std::string text;
    bool adjacent = false;  // a number follows at once: exactly `count` digits are read
  };
  std::vector<Part> parts_;
  Clock* clock_ = nullptr;
};

}  // namespace walduct::java
