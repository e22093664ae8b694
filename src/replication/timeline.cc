#include "replication/timeline.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::replication {
namespace {

absl::Status Malformed(absl::string_view line) {
  return Error(absl::StatusCode::kDataLoss, "unexpected_answer",
               absl::StrCat("unexpected line of a timeline's history: ", line));
}

}  // namespace

absl::StatusOr<TimelineHistory> ParseTimelineHistory(absl::string_view text) {
  TimelineHistory history;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty() || words[0][0] == '#') continue;
    TimelineSwitch entry;
    if (words.size() < 2 || !absl::SimpleAtoi(words[0], &entry.timeline)) return Malformed(line);
    ASSIGN_OR_RETURN(entry.end, Lsn::Parse(words[1]));
    history.push_back(entry);
  }
  return history;
}

std::optional<Lsn> EndOfTimeline(const TimelineHistory& history, uint32_t timeline) {
  const auto entry = std::find_if(history.begin(), history.end(),
                                  [&](const auto& one) { return one.timeline == timeline; });
  return entry == history.end() ? std::nullopt : std::optional(entry->end);
}

}  // namespace walduct::replication
