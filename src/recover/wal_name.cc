#include "recover/wal_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace walduct::recover {
namespace {

constexpr size_t kDigits = 8;

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'A' && c <= 'F');
}

size_t DigitsAt(absl::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return end - at;
}

// Of upper-case digits that are there.
uint32_t Hexadecimal(absl::string_view digits) {
  uint32_t number = 0;
  for (const char c : digits)
    number = number * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'A' + 10);
  return number;
}

// Of the name that begins there; 0: none.
size_t NameAt(absl::string_view text, size_t at) {
  const size_t digits = DigitsAt(text, at);
  if (digits == 3 * kDigits) return digits;
  constexpr absl::string_view kHistory = ".history";
  if (digits == kDigits && absl::StartsWith(text.substr(at + digits), kHistory))
    return digits + kHistory.size();
  return 0;
}

}  // namespace

std::optional<WalName> WalName::OfSegment(absl::string_view name) {
  if (name.size() != 3 * kDigits || DigitsAt(name, 0) != name.size()) return std::nullopt;
  return WalName{Hexadecimal(name.substr(0, kDigits)), Hexadecimal(name.substr(kDigits, kDigits)),
                 Hexadecimal(name.substr(2 * kDigits))};
}

void FindAskedFor(absl::string_view word, AskedFor* found) {
  for (size_t at = 0; at < word.size() && found->file.empty(); ++at) {
    const bool begins = at == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(word[at - 1]));
    if (const size_t size = begins ? NameAt(word, at) : 0; size > 0)
      found->file = std::string(word.substr(at, size));
  }
  // PostgreSQL has no other names for %p.
  for (const absl::string_view path : {"pg_wal/RECOVERYXLOG", "pg_wal/RECOVERYHISTORY"}) {
    if (found->path.empty() && absl::StrContains(word, path)) found->path = std::string(path);
  }
}

}  // namespace walduct::recover
