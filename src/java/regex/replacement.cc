#include "java/regex/replacement.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace walduct::java {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

// rest begins behind the '$'; what belongs to the reference is removed from it.
absl::Status ParseName(absl::string_view* rest, ReplacementPart* part) {
  const size_t end = rest->find('}');
  if (end == absl::string_view::npos) return Wrong("a '${' has no '}'");
  part->name = std::string(rest->substr(1, end - 1));
  rest->remove_prefix(end + 1);
  return part->name.empty() ? Wrong("'${}' names no group") : absl::OkStatus();
}

absl::Status ParseNumber(uint32_t groups, absl::string_view* rest, ReplacementPart* part) {
  if (rest->empty() || !IsDigit(rest->front()))
    return Wrong(
        "a '$' is followed by neither a digit nor '{'; write \\$ for the character itself");
  uint32_t number = 0;
  bool first = true;
  while (!rest->empty() && IsDigit(rest->front())) {
    const uint32_t longer = number * 10 + static_cast<uint32_t>(rest->front() - '0');
    if (!first && longer > groups) break;
    number = longer;
    first = false;
    rest->remove_prefix(1);
  }
  if (number > groups) return Wrong(absl::StrCat("there is no group ", number));
  part->group = static_cast<int>(number);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ReplacementPart>> ParseReplacement(absl::string_view replacement,
                                                              uint32_t groups) {
  std::vector<ReplacementPart> parts;
  ReplacementPart part;
  while (!replacement.empty()) {
    const char c = replacement.front();
    replacement.remove_prefix(1);
    if (c == '\\') {
      if (replacement.empty()) return Wrong("it ends with a lone backslash");
      part.literal += replacement.front();
      replacement.remove_prefix(1);
    } else if (c == '$') {
      const bool named = !replacement.empty() && replacement.front() == '{';
      RETURN_IF_ERROR(named ? ParseName(&replacement, &part)
                            : ParseNumber(groups, &replacement, &part));
      parts.push_back(std::exchange(part, {}));
    } else {
      part.literal += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

}  // namespace walduct::java
