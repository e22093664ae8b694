#include "java/regex/regex_list.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "java/regex/regex.h"

namespace walduct::java {
namespace {

// A backslash takes the next character with it, so `\\,` is an escaped backslash and then a
// separator.
std::vector<std::string> SplitList(absl::string_view list) {
  std::vector<std::string> entries;
  std::string entry;
  const auto finish = [&] {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(entry);
    if (!trimmed.empty()) entries.push_back(absl::StrReplaceAll(trimmed, {{"\\,", ","}}));
    entry.clear();
  };
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',') {
      finish();
      continue;
    }
    entry += list[i];
    if (list[i] == '\\' && i + 1 < list.size()) entry += list[++i];
  }
  finish();
  return entries;
}

// Dots are meant as such. Empty: it is none.
std::string NameIn(absl::string_view pattern) {
  std::string name = absl::StrReplaceAll(pattern, {{"\\.", "."}});
  return name.find_first_of("\\^$*+?()[]{}|") == std::string::npos ? name : "";
}

}  // namespace

absl::StatusOr<RegexList> RegexList::Parse(absl::string_view list) {
  RegexList result;
  result.text_ = std::string(list);
  for (const std::string& entry : SplitList(list)) {
    ASSIGN_OR_RETURN(std::unique_ptr<Regex> regex,
                     Regex::Compile(entry, {.case_insensitive = true}));
    result.entries_.push_back(std::move(regex));
  }
  return result;
}

std::shared_ptr<const RegexList> RegexList::OfChecked(absl::string_view list) {
  absl::StatusOr<RegexList> parsed = Parse(list);
  CHECK(parsed.ok());
  return std::make_shared<const RegexList>(*std::move(parsed));
}

bool RegexList::Matches(absl::string_view text) const { return FirstMatch(text).has_value(); }

std::optional<size_t> RegexList::FirstMatch(absl::string_view text) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i]->FullMatch(text)) return i;
  }
  return std::nullopt;
}

std::vector<RegexList::Idle> RegexList::FindIdle(const std::vector<std::string>& texts,
                                                 size_t most) const {
  // Most entries are names of what is there.
  absl::flat_hash_set<std::string> there;
  for (const std::string& text : texts) there.insert(absl::AsciiStrToLower(text));
  std::vector<Idle> idle;
  for (const auto& entry : entries_) {
    if (idle.size() >= most) break;
    std::string name = NameIn(entry->pattern());
    if (!name.empty() && there.contains(absl::AsciiStrToLower(name))) continue;
    if (std::any_of(texts.begin(), texts.end(),
                    [&entry](const std::string& text) { return entry->FullMatch(text); }))
      continue;
    idle.push_back({.entry = entry->pattern(), .name = std::move(name)});
  }
  return idle;
}

}  // namespace walduct::java
