#include "cli/usage/tones.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace walduct::cli {
namespace {

bool IsSet(const char* name, absl::string_view value = "") {
  const char* const there = std::getenv(name);
  return there != nullptr && (value.empty() ? *there != '\0' : value == there);
}

Tone ToneOfLine(absl::string_view line) {
  if (absl::StartsWith(line, "error: ") || absl::StartsWith(line, "refused: ")) return Tone::kBad;
  if (absl::StartsWith(line, "warning: ")) return Tone::kWarning;
  if (absl::StartsWith(line, "accepted: ")) return Tone::kGood;
  return absl::StartsWith(line, "PROPERTY ") ? Tone::kFaint : Tone::kPlain;
}

}  // namespace

bool HasColours(int fd) { return isatty(fd) == 1 && !IsSet("NO_COLOR") && !IsSet("TERM", "dumb"); }

std::string Toned(bool colour, Tone tone, absl::string_view text) {
  static constexpr std::array<const char*, 5> kCodes = {"0", "32", "33", "31", "2"};
  if (!colour || tone == Tone::kPlain) return std::string(text);
  return absl::StrCat("\x1b[", kCodes[static_cast<size_t>(tone)], "m", text, "\x1b[0m");
}

std::string TonedReport(bool colour, const std::string& report) {
  if (!colour) return report;
  std::string toned;
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(report, "\n"), '\n'))
    absl::StrAppend(&toned, Toned(colour, ToneOfLine(line), line), "\n");
  return toned;
}

}  // namespace walduct::cli
