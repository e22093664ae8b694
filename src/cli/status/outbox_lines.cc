#include "cli/status/outbox_lines.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cli/status/duration_text.h"
#include "cli/status/status_values.h"

namespace walduct::cli {
namespace {

constexpr double kOldLook = 120;  // rows are counted once a minute at least

std::string Rows(double count) {
  return absl::StrFormat("%.0f %s", count, count == 1 ? "row is" : "rows are");
}

std::string DeadRows(const rapidjson::Value& rows) {
  const std::string by = Text(rows, "dead_rows_kept_by");
  if (by.empty()) return "";
  return absl::StrCat(
      Rows(Number(rows, "dead_rows").value_or(0)), " dead and walked over by each claim: ", by,
      " has kept them for ",
      DurationText(absl::Seconds(Number(rows, "dead_rows_kept_seconds").value_or(0))));
}

std::string NotifyQueue(const rapidjson::Value& rows) {
  constexpr double kPercent = 100, kFull = 10;
  const double used = Number(rows, "notify_queue").value_or(0) * kPercent;
  if (used < kFull) return "";
  return absl::StrFormat(
      "%.0f %% of the server's queue of notifications are used: once full, every commit that "
      "notifies fails",
      used);
}

}  // namespace

std::string WaitingRows(const rapidjson::Value& rows) {
  const double waiting = Number(rows, "unpublished").value_or(0);
  const double age = Number(rows, "age_seconds").value_or(0);
  std::string text =
      waiting == 0 ? "all rows are published" : absl::StrCat(Rows(waiting), " not published");
  if (const double oldest = Number(rows, "oldest_seconds").value_or(0); waiting > 0 && oldest > 0)
    absl::StrAppend(&text, ", the oldest for ", DurationText(absl::Seconds(oldest)));
  if (age > kOldLook) absl::StrAppend(&text, ", as of ", DurationText(absl::Seconds(age)), " ago");
  return text;
}

std::string ParkedRows(const rapidjson::Value& rows) {
  const double parked = Number(rows, "parked").value_or(0);
  if (parked == 0) return "";
  return absl::StrCat(Rows(parked), " parked: not published, and tried no more");
}

std::vector<std::pair<std::string, std::string>> OutboxTroubles(const rapidjson::Value& rows) {
  std::vector<std::pair<std::string, std::string>> troubles;
  const auto add = [&](const std::string& text, const char* hint) {
    if (!text.empty()) troubles.emplace_back(text, *hint == 0 ? "" : Text(rows, hint));
  };
  add(ParkedRows(rows), "hint");
  add(DeadRows(rows), "dead_rows_hint");
  add(NotifyQueue(rows), "");
  return troubles;
}

}  // namespace walduct::cli
