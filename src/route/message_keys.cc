#include "route/message_keys.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"

namespace walduct::route {
namespace {

absl::Status BadFormat() {
  return Error(absl::StatusCode::kInvalidArgument, "bad_message_keys",
               "has an invalid format (expecting '^\\s*([^:]+):([^:,]+(,[^:,]+)*)\\s*$')");
}

bool IsBlank(absl::string_view text) { return absl::StripAsciiWhitespace(text).empty(); }

}  // namespace

absl::StatusOr<MessageKeys> MessageKeys::Parse(absl::string_view text) {
  MessageKeys keys;
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, ':');
    if (sides.size() != 2 || IsBlank(sides[0])) return BadFormat();
    for (const absl::string_view column : absl::StrSplit(sides[1], ',')) {
      if (IsBlank(column)) return BadFormat();
      Entry entry;
      entry.text = absl::StrCat(absl::StripAsciiWhitespace(sides[0]), ":", column);
      ASSIGN_OR_RETURN(java::RegexList table, java::RegexList::Parse(sides[0]));
      entry.table = std::make_shared<const java::RegexList>(std::move(table));
      ASSIGN_OR_RETURN(java::RegexList whole,
                       java::RegexList::Parse(absl::StrCat(sides[0], ".", column)));
      entry.column = std::make_shared<const java::RegexList>(std::move(whole));
      keys.entries_.push_back(std::move(entry));
    }
  }
  return keys;
}

std::vector<uint16_t> MessageKeys::Choose(absl::string_view table,
                                          absl::Span<const absl::string_view> columns) const {
  std::vector<uint16_t> chosen;
  for (const Entry& entry : entries_) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto column = static_cast<uint16_t>(i);
      const bool taken = std::find(chosen.begin(), chosen.end(), column) != chosen.end();
      if (!taken && entry.column->Matches(absl::StrCat(table, ".", columns[i])))
        chosen.push_back(column);
    }
  }
  return chosen;
}

std::vector<std::string> MessageKeys::Unmatched(absl::string_view table,
                                                absl::Span<const absl::string_view> columns) const {
  std::vector<std::string> unmatched;
  for (const Entry& entry : entries_) {
    if (!entry.table->Matches(table)) continue;
    const bool found = std::any_of(columns.begin(), columns.end(), [&](absl::string_view column) {
      return entry.column->Matches(absl::StrCat(table, ".", column));
    });
    if (!found) unmatched.push_back(entry.text);
  }
  return unmatched;
}

}  // namespace walduct::route
