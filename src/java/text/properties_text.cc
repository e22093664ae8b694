#include "java/text/properties_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::java {
namespace {

constexpr absl::string_view kBlanks = " \t\f";

bool IsBlank(char c) { return absl::StrContains(kBlanks, c); }

struct LogicalLine {
  std::string text;
  int number = 0;  // of its first natural line, from 1
};

// Joins natural lines that end in an odd number of backslashes; drops comments and blank lines.
class LineReader {
 public:
  explicit LineReader(absl::string_view text) : rest_(text) {}

  bool Next(LogicalLine* line) {
    line->text.clear();
    while (!rest_.empty()) {
      absl::string_view natural = SkipBlanks(TakeNatural());
      if (natural.empty() || natural[0] == '#' || natural[0] == '!') continue;
      line->number = number_;
      while (EndsInEscape(natural)) {
        natural.remove_suffix(1);
        absl::StrAppend(&line->text, natural);
        natural = SkipBlanks(TakeNatural());
      }
      absl::StrAppend(&line->text, natural);
      return true;
    }
    return false;
  }

 private:
  absl::string_view TakeNatural() {
    ++number_;
    const size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const absl::string_view natural = rest_.substr(0, end);
    rest_.remove_prefix(end);
    rest_.remove_prefix(absl::StartsWith(rest_, "\r\n") ? 2 : std::min<size_t>(1, rest_.size()));
    return natural;
  }

  static absl::string_view SkipBlanks(absl::string_view text) {
    return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
  }

  static bool EndsInEscape(absl::string_view text) {
    const size_t last = text.find_last_not_of('\\');
    const size_t count = last == absl::string_view::npos ? text.size() : text.size() - last - 1;
    return count % 2 == 1;
  }

  absl::string_view rest_;
  int number_ = 0;
};

// Four hexadecimal digits at the front of text.
absl::StatusOr<uint32_t> CodeUnit(absl::string_view text, int line) {
  uint32_t unit = 0;
  if (text.size() < 4 || !absl::SimpleHexAtoi(text.substr(0, 4), &unit)) {
    return Error(absl::StatusCode::kInvalidArgument, "bad_properties",
                 absl::StrCat("line ", line, ": malformed \\uXXXX escape"),
                 "write \\u and four hexadecimal digits");
  }
  return unit;
}

// A surrogate pair, written as two escapes, is one character. Consumes what follows the first "\u".
absl::Status UnescapeUnicode(absl::string_view* rest, int line, std::string* out) {
  ASSIGN_OR_RETURN(uint32_t unit, CodeUnit(*rest, line));
  rest->remove_prefix(4);
  if (IsHighSurrogate(unit) && absl::StartsWith(*rest, "\\u")) {
    ASSIGN_OR_RETURN(const uint32_t low, CodeUnit(rest->substr(2), line));
    if (IsLowSurrogate(low)) {
      unit = JoinSurrogates(unit, low);
      rest->remove_prefix(6);
    }
  }
  AppendUtf8(IsHighSurrogate(unit) || IsLowSurrogate(unit) ? 0xFFFD : unit, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Unescape(absl::string_view rest, int line) {
  std::string out;
  while (!rest.empty()) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c != '\\' || rest.empty()) {
      if (c != '\\') out += c;
      continue;
    }
    const char escaped = rest[0];
    rest.remove_prefix(1);
    constexpr absl::string_view kNames = "tnrf";
    constexpr absl::string_view kControls = "\t\n\r\f";
    if (escaped == 'u') {
      RETURN_IF_ERROR(UnescapeUnicode(&rest, line, &out));
    } else if (const size_t control = kNames.find(escaped); control != absl::string_view::npos) {
      out += kControls[control];
    } else {
      out += escaped;
    }
  }
  return out;
}

// The key ends at the first unescaped '=', ':' or blank; then blanks, at most one '=' or ':',
// blanks.
void SplitPair(absl::string_view line, absl::string_view* key, absl::string_view* value) {
  size_t end = 0;
  while (end < line.size() && !IsBlank(line[end]) && line[end] != '=' && line[end] != ':') {
    end += line[end] == '\\' ? 2 : 1;
  }
  end = std::min(end, line.size());
  *key = line.substr(0, end);
  const auto skip_blanks = [&] {
    while (end < line.size() && IsBlank(line[end])) ++end;
  };
  skip_blanks();
  if (end < line.size() && (line[end] == '=' || line[end] == ':')) ++end;
  skip_blanks();
  *value = line.substr(end);
}

void Put(std::string key, std::string value,
         std::vector<std::pair<std::string, std::string>>* values) {
  const auto same = std::find_if(values->begin(), values->end(),
                                 [&](const auto& pair) { return pair.first == key; });
  if (same != values->end()) {
    same->second = std::move(value);
  } else {
    values->emplace_back(std::move(key), std::move(value));
  }
}

}  // namespace

absl::StatusOr<Properties> ParseProperties(absl::string_view text) {
  Properties file;
  std::string converted;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  if (!IsValidUtf8(text)) {
    converted = Latin1ToUtf8(text);
    text = converted;
    file.warnings.push_back(
        "not valid UTF-8: read as ISO-8859-1, as Java does; save the file as UTF-8");
  }
  LineReader lines(text);
  LogicalLine line;
  while (lines.Next(&line)) {
    absl::string_view key, value;
    SplitPair(line.text, &key, &value);
    ASSIGN_OR_RETURN(std::string name, Unescape(key, line.number));
    ASSIGN_OR_RETURN(std::string content, Unescape(value, line.number));
    Put(std::move(name), std::move(content), &file.values);
  }
  return file;
}

}  // namespace walduct::java
