#include "nats/subject.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace walduct::nats {
namespace {

bool IsOdd(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c)) ||
         absl::ascii_iscntrl(static_cast<unsigned char>(c));
}

std::string Check(absl::string_view subject, bool wildcards) {
  if (subject.empty()) return "is empty";
  if (std::any_of(subject.begin(), subject.end(), IsOdd)) return "has a space";
  if (subject.front() == '.' || subject.back() == '.' || absl::StrContains(subject, ".."))
    return "has an empty part between dots";
  size_t at = 0;
  for (const absl::string_view token : absl::StrSplit(subject, '.')) {
    at += token.size() + 1;
    if (token != "*" && token != ">") continue;
    if (!wildcards) return "has a wildcard";
    if (token == ">" && at < subject.size()) return "has > before its end";
  }
  return "";
}

}  // namespace

std::string CheckSubject(absl::string_view subject) { return Check(subject, false); }
std::string CheckPattern(absl::string_view pattern) { return Check(pattern, true); }

bool Takes(absl::string_view pattern, absl::string_view subject) {
  while (true) {
    const absl::string_view wanted = pattern.substr(0, pattern.find('.'));
    const absl::string_view token = subject.substr(0, subject.find('.'));
    if (wanted == ">") return !subject.empty();
    if (wanted != "*" && wanted != token) return false;
    const bool more_wanted = wanted.size() < pattern.size();
    const bool more = token.size() < subject.size();
    if (!more_wanted || !more) return more_wanted == more;
    pattern.remove_prefix(wanted.size() + 1);
    subject.remove_prefix(token.size() + 1);
  }
}

}  // namespace walduct::nats
