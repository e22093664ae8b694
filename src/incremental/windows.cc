// Windows of incremental snapshots: opened, closed, published, given up.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/chunks/place.h"
#include "incremental/chunks/transaction_view.h"
#include "incremental/incremental_snapshots.h"
#include "incremental/options/incremental_options.h"

namespace walduct::incremental {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
constexpr absl::Duration kLongestPause = absl::Seconds(10);
constexpr absl::Duration kPollStream = absl::Milliseconds(50);
constexpr int kWarnedOf = 5;

struct Again {
  absl::string_view reason, why, hint;
};

Again WhyAgain(const Window& window) {
  if (window.overflown()) {
    return {"window_overflown", "more keys changed while it was read than are kept",
            "ask for it when less is written, or with a smaller incremental.snapshot.chunk.size"};
  }
  if (window.unclear()) {
    return {"window_unclear",
            "rows were deleted meanwhile, and what partitions send of them does not tell which",
            "give each partition a replica identity with the columns of the records' key: ALTER "
            "TABLE … REPLICA IDENTITY DEFAULT, or FULL where the publication sends all columns"};
  }
  return {"commit_held_up", "a transaction that was streamed is not visible to other sessions yet",
          HintOfHeld(window.chunk())};
}

}  // namespace

void IncrementalSnapshots::OnOpened() {
  if (step_ != Step::kOpening && step_ != Step::kReading && step_ != Step::kClosing &&
      step_ != Step::kWaiting) {
    return;
  }
  window_.Open(recent_);
}

absl::Status IncrementalSnapshots::OnClosed(const event::ChangeEvent& change) {
  const bool closes = step_ == Step::kClosing || step_ == Step::kWaiting;
  if (!closes || !window_.loaded() || window_done_) return absl::OkStatus();
  if (window_.IsDoubtful()) {
    ReadAgain();
  } else {
    RETURN_IF_ERROR(PublishWindow(change));
  }
  if (step_ == Step::kWaiting) return Next();
  window_done_ = true;
  return absl::OkStatus();
}

absl::Status IncrementalSnapshots::PublishWindow(const event::ChangeEvent& close) {
  const Chunk& chunk = window_.chunk();
  event::ChangeEvent row;
  row.operation = event::Operation::kRead;
  row.snapshot = event::SnapshotMarker::kIncremental;
  row.schema = chunk.schema.get();
  row.last_commit_end = close.last_commit_end;
  row.lsn = close.lsn;
  const ChunkRow* last = nullptr;
  const uint64_t left_out = parts_.output->RowsLeftOut();
  RETURN_IF_ERROR(window_.ForEachLeft([&](const ChunkRow& read) {
    last = &read;
    read.View(&values_);
    row.after = values_;
    row.source_time_us = absl::ToUnixMicros(parts_.clock->Now());
    parts_.metrics->incremental_rows.Add();
    return parts_.output->PublishRead(row);
  }));
  state_.left_out += parts_.output->RowsLeftOut() - left_out;
  const bool whole = doubted_.empty();  // else what was left of a chunk
  doubted_ = window_.Doubted();
  read_again_ = 0;
  if (!state_.paused) HoldFor("");
  shown_.chunks += whole ? 1 : 0;
  shown_.rows += chunk.rows.size() - doubted_.size();
  state_.rows = shown_.rows_before + shown_.rows;
  if (const auto blocks = chunk.by_place ? BlocksBefore(chunk.end) : std::nullopt)
    shown_.blocks_read = *blocks - std::min(*blocks, shown_.blocks_before);
  TellProgressWhenDue();
  pace_.Took(chunk.rows.size(), parts_.clock->Monotonic());
  chunk_size_ = std::min(2 * chunk_size_, parts_.options->chunk_size);
  if (!doubted_.empty()) {
    doubted_end_ = chunk.end;
    Show();
    return absl::OkStatus();
  }
  read_ = chunk.end;
  if (chunk.record_key.empty()) {
    state_.emitted = chunk.end;
    if (!chunk.by_place) state_.emitted->resize(chunk.shown.size());
    Changed();
    unstored_.push_back(mark_);
    return absl::OkStatus();
  }
  if (last == nullptr) {
    Show();
    return absl::OkStatus();
  }
  last->View(&values_);
  Key emitted;
  for (const uint16_t column : chunk.shown) {
    const event::Value& value = values_[column];
    emitted.push_back(value.is_text() ? std::optional(std::string(value.text())) : std::nullopt);
  }
  state_.emitted = std::move(emitted);
  Changed();
  unstored_.push_back(mark_);
  return absl::OkStatus();
}

void IncrementalSnapshots::GiveUpWindow() {
  if (window_.loaded() && step_ != Step::kReading && doubted_.empty())
    table_rows_ -= std::min<uint64_t>(table_rows_, window_.chunk().rows.size());
  window_.Reset();
}

// Without watermarks a window is open as soon as its chunk is asked for. What was told before is in
// the chunk, unless its view hides the transaction.
void IncrementalSnapshots::OpenUnmarked() {
  std::vector<uint32_t> recent = recent_;
  recent.push_back(last_xid_);
  window_.Open(std::move(recent));
  ReadChunk();
}

// All that the chunk shows has been streamed.
absl::Status IncrementalSnapshots::OnPassed(Lsn behind) {
  if (behind < window_.chunk().seen) return absl::OkStatus();
  if (window_.IsDoubtful()) {
    ReadAgain();
    return Next();
  }
  event::ChangeEvent here;
  here.lsn = seen_.lsn.valid() ? seen_.lsn : behind;
  here.last_commit_end = seen_.last_commit_end;
  RETURN_IF_ERROR(PublishWindow(here));
  return Next();
}

// Each time after a longer pause, and after too many changes with fewer rows.
void IncrementalSnapshots::ReadAgain() {
  const absl::Duration pause =
      read_again_ == 0 ? absl::ZeroDuration()
                       : std::min(kFirstPause * (1 << std::min(read_again_, 12)), kLongestPause);
  ++read_again_;
  const bool overflown = window_.overflown(), unclear = window_.unclear();
  if (overflown || unclear) chunk_size_ = std::max(1, chunk_size_ / 2);
  const std::string table = state_.queue.front().table.Text();
  const auto [reason, why, hint] = WhyAgain(window_);
  if (read_again_ % kWarnedOf != 0) {
    log::Info("incremental snapshot: a chunk is read again",
              {{"table", table}, {"why", why}, {"reason", reason}});
  } else {
    log::Warn("incremental snapshot: a chunk is read again and again",
              {{"table", table},
               {"why", why},
               {"reason", reason},
               {"times", read_again_},
               {"rows", chunk_size_},
               {"again_in", absl::FormatDuration(pause)},
               {"hint", hint}});
    if (!state_.paused) HoldFor(absl::StrCat("a chunk is read again and again: ", why));
  }
  GiveUpWindow();
  retry_at_ = parts_.clock->Monotonic() + pause;
}

bool IncrementalSnapshots::awaits_stream() const {
  return parts_.options->writes_nothing() && step_ == Step::kWaiting;
}

absl::Duration IncrementalSnapshots::UntilDue() const {
  if (awaits_stream()) return kPollStream;
  if (step_ != Step::kBroken) return absl::InfiniteDuration();
  return std::max(retry_at_ - parts_.clock->Monotonic(), absl::ZeroDuration());
}

}  // namespace walduct::incremental
