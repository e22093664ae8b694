// What people see of an incremental snapshot.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "incremental/chunks/place.h"
#include "incremental/incremental_snapshots.h"
#include "incremental/options/incremental_options.h"

namespace walduct::incremental {
namespace {

constexpr absl::Duration kLookAgain = absl::Seconds(1);
constexpr absl::Duration kPollStore = absl::Milliseconds(2);
constexpr absl::Duration kBusyFor = absl::Seconds(1);
constexpr absl::Duration kTellAgain = absl::Minutes(1);
constexpr absl::Duration kPatience = absl::Seconds(30);  // with the stream
constexpr absl::Duration kTellProgress = absl::Seconds(10);

}  // namespace

void IncrementalSnapshots::HoldFor(std::string reason) {
  if (shown_.held_by == reason) return;
  const absl::Duration now = parts_.clock->Monotonic();
  if (!shown_.held_by.empty()) shown_.held += now - std::max(shown_.held_since, shown_.began);
  shown_.held_since = now;
  shown_.held_by = std::move(reason);
  Show();
}

bool IncrementalSnapshots::HeldByPace() {
  const absl::Duration now = parts_.clock->Monotonic();
  Pace::Seen seen;
  if (const auto slot = parts_.metrics->slot.Read()) seen.retained_bytes = slot->retained_bytes;
  seen.lag = parts_.metrics->lag.Read(parts_.clock->Now());
  const std::string why = pace_.Judge(seen);
  TellHold(why, now);
  if (!why.empty()) {
    retry_at_ = now + kLookAgain;
    return true;
  }
  if (pace_.due() <= now) return false;
  retry_at_ = pace_.due();
  return true;
}

// What is published by then is repeated after a crash.
bool IncrementalSnapshots::HeldByStore() {
  const uint64_t stored = parts_.output->StoredMark();
  while (!unstored_.empty() && unstored_.front() <= stored) unstored_.pop_front();
  const absl::Duration now = parts_.clock->Monotonic();
  const size_t most = now - streamed_at_ < kBusyFor ? 1 : kMostUnstored;
  if (unstored_.size() < most) return false;
  parts_.output->StoreSoon();
  retry_at_ = now + kPollStore;
  return true;
}

void IncrementalSnapshots::TellHold(const std::string& why, absl::Duration now) {
  if (why.empty() && pace_hold_.empty()) return;
  const bool begins = pace_hold_.empty();
  if (begins) hold_began_ = now;
  const std::string was = std::exchange(pace_hold_, why);
  parts_.metrics->incremental_held.Set(why.empty() ? 0 : 1);
  HoldFor(why);
  const std::string held = absl::FormatDuration(absl::Trunc(now - hold_began_, absl::Seconds(1)));
  if (why.empty()) {
    log::Info("incremental snapshot goes on", {{"held_by", was}, {"held_for", held}});
    return;
  }
  if (!begins && now - hold_told_ < kTellAgain) return;
  hold_told_ = now;
  log::Warn(absl::StrCat("incremental snapshot reads nothing: ", why),
            {{"table", state_.queue.front().table.Text()},
             {"for", held},
             {"hint", "it goes on by itself once that is a fifth below its limit"}});
}

// A stream that is behind comes to the mark; one that never brings it must not wait in silence.
void IncrementalSnapshots::TellWhenUnmarked() {
  const absl::Duration now = parts_.clock->Monotonic();
  if (now - unmarked_told_ < kPatience) return;
  unmarked_told_ = now;
  HoldFor("the stream has not brought the mark that closes its chunk");
  log::Warn("incremental snapshot waits for the stream to bring the mark that closes its chunk",
            {{"table", state_.queue.front().table.Text()},
             {"for", absl::FormatDuration(absl::Trunc(now - waits_since_, absl::Seconds(1)))},
             {"reason", "signal_table_not_published"},
             {"hint", parts_.options->deletes_watermarks
                          ? "it comes when the stream is behind; the publication has to send "
                            "inserts and deletes of the signaling table"
                          : "it comes when the stream is behind; the publication has to send "
                            "inserts of the signaling table"}});
}

void IncrementalSnapshots::ShowNextTable() {
  static_cast<metrics::TableProgress&>(shown_) = {};
  shown_.chunks = 0;
  shown_.began = progress_told_ = parts_.clock->Monotonic();
  shown_.held = absl::ZeroDuration();
}

void IncrementalSnapshots::ShowResumed() {
  for (const TableRequest& one : state_.queue)
    parts_.metrics->incremental_runs.Scanned(one.table.Text(), 0);
  shown_.rows_before = state_.rows;
  if (!state_.by_place) return;
  shown_.blocks = BlocksBefore(state_.maximum);
  shown_.blocks_before = BlocksBefore(state_.emitted).value_or(0);
}

void IncrementalSnapshots::TellProgressWhenDue() {
  if (parts_.clock->Monotonic() - progress_told_ < kTellProgress) return;
  progress_told_ = parts_.clock->Monotonic();
  TellProgress("incremental snapshot in progress", "");
}

void IncrementalSnapshots::TellProgress(const std::string& message, absl::string_view status) {
  const absl::Duration now = parts_.clock->Monotonic();
  const std::optional<absl::Duration> left = shown_.TimeLeft(now);
  const std::string eta =
      left ? absl::FormatDuration(absl::Trunc(*left, absl::Seconds(1))) : "unknown";
  log::Info(message, {{"table", state_.queue.front().table.Text()},
                      {"rows", shown_.rows_before + shown_.rows},
                      {"chunks", shown_.chunks},
                      {"rows_per_s", static_cast<uint64_t>(shown_.Rate(now))},
                      {"tables_left", state_.queue.size() - (status.empty() ? 0 : 1)},
                      status.empty() ? log::Field{"percent", metrics::ShareText(shown_.share())}
                                     : log::Field{"status", status},
                      {"eta", status.empty() ? eta : "0"}});
}

void IncrementalSnapshots::Show() {
  shown_.running = state_.running();
  shown_.id = state_.correlation_id;
  shown_.named.clear();
  shown_.tables_waiting = 0;
  if (shown_.running) {
    const TableId& table = state_.queue.front().table;
    shown_.schema = table.schema;
    shown_.table = table.table;
    shown_.tables_waiting = state_.queue.size() - 1;
    const size_t named =
        std::min<size_t>(state_.queue.size(), 1 + metrics::IncrementalView::kMostNamed);
    for (size_t i = 1; i < named; ++i) shown_.named.push_back(state_.queue[i].table.Text());
  }
  if (!shown_.running) {
    pace_hold_.clear();
    shown_.held_by.clear();
    parts_.metrics->incremental_held.Set(0);
  }
  parts_.metrics->incremental_runs.Show(state_.queue.size(), state_.running() && state_.paused,
                                        parts_.clock->Monotonic());
  parts_.metrics->incremental_tables.Set(state_.queue.size());
  parts_.metrics->incremental.Show(shown_);
}

}  // namespace walduct::incremental
