// Colours of what is printed for people: only on a terminal, and not where NO_COLOR is set.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::cli {

enum class Tone { kPlain, kGood, kWarning, kBad, kFaint };

// Of STDOUT_FILENO or STDERR_FILENO. A terminal that is "dumb" has none.
bool HasColours(int fd);

std::string Toned(bool colour, Tone tone, absl::string_view text);

// A report of `walduct validate`: its lines of errors, warnings and the verdict.
std::string TonedReport(bool colour, const std::string& report);

}  // namespace walduct::cli
