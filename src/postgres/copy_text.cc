#include "postgres/copy_text.h"

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::postgres {
namespace {

absl::Status Malformed(size_t wanted) {
  return Error(absl::StatusCode::kDataLoss, "copy_malformed",
               absl::StrCat("a row of COPY does not have the ", wanted, " requested columns"));
}

int OctalDigit(char c) { return c >= '0' && c <= '7' ? c - '0' : -1; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// At most max_digits digits of base; next is moved behind them.
template <typename Digit>
char ReadCode(Digit digit, int base, int max_digits, const char*& next, const char* end) {
  int code = 0;
  for (int i = 0; i < max_digits && next != end && digit(*next) >= 0; ++i)
    code = code * base + digit(*next++);
  return static_cast<char>(code);
}

// next is behind the backslash and not at the end.
char Unescape(const char*& next, const char* end) {
  const char c = *next;
  if (OctalDigit(c) >= 0) return ReadCode(OctalDigit, 8, 3, next, end);
  ++next;
  if (c == 'x' && next != end && HexDigit(*next) >= 0) return ReadCode(HexDigit, 16, 2, next, end);
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

// Returns the new end of the field. Everything up to the first backslash stays where it is.
char* UnescapeField(char* begin, char* end) {
  char* out = static_cast<char*>(std::memchr(begin, '\\', static_cast<size_t>(end - begin)));
  if (out == nullptr) return end;
  const char* next = out;
  while (next != end) {
    if (*next == '\\' && next + 1 != end) {
      ++next;
      *out++ = Unescape(next, end);
    } else {
      *out++ = *next++;
    }
  }
  return out;
}

event::Value MakeValue(char* begin, char* end, bool escapes) {
  if (escapes) {
    if (end - begin == 2 && begin[0] == '\\' && begin[1] == 'N') return event::Value::Null();
    end = UnescapeField(begin, end);
  }
  return event::Value::Text({begin, static_cast<size_t>(end - begin)});
}

}  // namespace

absl::Status SplitCopyRow(char* line, size_t size, absl::Span<event::Value> values) {
  if (size == 0 || line[size - 1] != '\n') return Malformed(values.size());
  char* const end = line + size - 1;
  // A table without columns: nothing but the line's end.
  if (values.empty()) return line == end ? absl::OkStatus() : Malformed(0);
  // Most rows have no escape at all.
  const bool escapes = std::memchr(line, '\\', size) != nullptr;
  char* field = line;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    char* const tab =
        static_cast<char*>(std::memchr(field, '\t', static_cast<size_t>(end - field)));
    if (tab == nullptr) return Malformed(values.size());
    values[i] = MakeValue(field, tab, escapes);
    field = tab + 1;
  }
  if (std::memchr(field, '\t', static_cast<size_t>(end - field)) != nullptr)
    return Malformed(values.size());
  values.back() = MakeValue(field, end, escapes);
  return absl::OkStatus();
}

}  // namespace walduct::postgres
