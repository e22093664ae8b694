#include "slot/duties/checkpointer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(1);

// Equal positions can still differ in phase, and in what is stored with them: the end of a snapshot
// has to be stored too.
bool Moved(const std::optional<delivery::Milestone>& from, const delivery::Milestone& to) {
  return !from || from->snapshot != to.snapshot || from->mark != to.mark || *from < to;
}

}  // namespace

Checkpointer::Checkpointer(Options options, std::optional<event::Position> stored)
    : options_(std::move(options)),
      at_once_(options_.interval <= absl::ZeroDuration()),
      soon_due_(options_.clock->Monotonic()) {
  if (stored) stored_ = {*stored};
  if (at_once_) options_.interval = kIdleInterval;
  next_due_ = soon_due_ + options_.interval;
}

// Another writer has gone on from here: to store what this one knows would set it back.
bool Checkpointer::IsFinal(const absl::Status& status) const {
  return !status.ok() && (options_.commits || ErrorReason(status) == "offset_superseded");
}

absl::Status Checkpointer::FinalError() const {
  return IsFinal(last_error_) ? last_error_ : absl::OkStatus();
}

absl::Status Checkpointer::Turn(const std::optional<delivery::Milestone>& safe) {
  // Also with nothing under way: the store may have to take what made its descriptor readable.
  const std::optional<absl::Status> answer = options_.store->PollSave();
  const absl::Duration now = options_.clock->Monotonic();
  if (saving_) {
    if (!answer) {
      Doubt(now);
      ReportTrouble(*saving_, now);
      return absl::OkStatus();
    }
    Finish(*answer);
  }
  Doubt(now);
  const bool waits = options_.commits && (!safe || !last_error_.ok());
  if (now < next_due() || waits) return FinalError();
  next_due_ = now + options_.interval;
  const bool delivered = std::exchange(delivered_, false);
  if (safe && (Moved(stored_, *safe) || (options_.commits && delivered))) Start(*safe, now);
  return FinalError();
}

void Checkpointer::Start(const delivery::Milestone& safe, absl::Duration now) {
  offset::StoredOffset offset = options_.base;
  offset.position = safe;
  if (options_.ledger != nullptr) offset.members = options_.ledger->At(safe.mark);
  if (offset.snapshot_seen <= safe.commit_end) offset.snapshot_seen.reset();
  if (offset.skip && offset.skip->commit < safe.commit_end) offset.skip.reset();
  saving_ = safe;
  if (!unstored_since_) {
    unstored_since_ = now;
    report_due_ = now + kPatience;
  }
  if (last_error_.ok()) doubt_due_ = now + kLong;
  const absl::Status started = options_.store->StartSave(offset);
  const std::optional<absl::Status> answer =
      started.ok() ? options_.store->PollSave() : std::optional(started);
  const absl::Duration blocked = options_.clock->Monotonic() - now;
  soon_due_ = now + Soon(blocked);
  if (answer) Finish(*answer);
}

absl::Duration Checkpointer::Soon(absl::Duration blocked) const {
  if (at_once_ && !options_.commits) return absl::ZeroDuration();
  return std::min(std::max(options_.soon, kCostFactor * blocked), options_.interval);
}

bool Checkpointer::Covers(const std::optional<delivery::Milestone>& safe) const {
  return !safe || !Moved(stored_, *safe);
}

absl::Duration Checkpointer::next_due() const {
  if (saving_) {
    if (!unstored_since_) return absl::InfiniteDuration();
    return options_.commits ? report_due_ : std::min(report_due_, doubt_due_);
  }
  // A store that fails is asked in its own time.
  const bool soon = delivered_ && last_error_.ok();
  return soon ? std::min(soon_due_, next_due_) : next_due_;
}

void Checkpointer::Finish(const absl::Status& status) {
  CHECK(saving_.has_value());
  const delivery::Milestone position = *saving_;
  saving_.reset();
  silent_ = false;
  const bool first = last_error_.ok();
  const absl::Duration now = options_.clock->Monotonic();
  // A save that fails as a consequence says less than what was found out.
  const bool known = !status.ok() && gone_at_ && now - *gone_at_ < kBelieved;
  if (!known) last_error_ = Told(status);
  if (status.ok()) {
    if (!first || now - *unstored_since_ >= kPatience) log::Info("offset store works again");
    unstored_since_.reset();
    gone_at_.reset();
    stored_ = position;
    ++saves_;
    if (options_.commits) delivered_ = false;  // nothing is written during a commit
    return;
  }
  next_due_ = now + kRetryDelay;
  if (first && !IsFinal(status)) {
    TellOfFailure("cannot store the offset; retrying", last_error_);
    doubt_due_ = now;
  }
  ReportTrouble(position, now);
}

// A commit is doubted by its store.
void Checkpointer::Doubt(absl::Duration now) {
  const bool wants = !options_.commits && unstored_since_ && (saving_ || !last_error_.ok());
  if (!wants || now < doubt_due_) return;
  doubt_due_ = now + kAskAgain;
  const absl::Status there = options_.store->Doubt();
  if (there.ok()) return;
  gone_at_ = now;
  const bool said = ErrorReason(there) == ErrorReason(last_error_);
  last_error_ = Told(there);
  if (!said) TellOfFailure("cannot store the offset; retrying", last_error_);
}

// The process alone knows the position: whoever ends it all the same is told where to go on.
absl::Status Checkpointer::Told(const absl::Status& error) const {
  if (ErrorReason(error) != "offset_topic_gone" || options_.commits || !stored_) return error;
  return Error(error.code(), ErrorReason(error), error.message(),
               absl::StrCat(ErrorHint(error),
                            ". If it has ended all the same: walduct offsets "
                            "set NAME ",
                            stored_->commit_end.ToString()));
}

void Checkpointer::TellOfFailure(absl::string_view what, const absl::Status& error) {
  const absl::Status named = options_.board == nullptr ? error : options_.board->Named(error);
  log::Warn(what, {{"error", std::string(named.message())},
                   {"reason", ErrorReason(named)},
                   {"hint", ErrorHint(named)}});
  if (options_.board != nullptr) options_.board->ShowError(error);
}

// Meanwhile the slot keeps the WAL of everything that is not stored.
void Checkpointer::ReportTrouble(const delivery::Milestone& safe, absl::Duration now) {
  if (!unstored_since_ || now < report_due_) return;
  report_due_ = now + kRepeat;
  absl::Status status = last_error_;
  if (options_.board != nullptr) status = options_.board->Named(status);
  silent_ = saving_.has_value();
  if (status.ok()) {
    status = Error(absl::StatusCode::kUnavailable, "offset_store_slow",
                   "the offset store does not answer",
                   "see why the broker of the offset topic takes no records, or the offset file's "
                   "disk is slow");
  }
  const uint64_t stored = stored_ ? stored_->commit_end.value() : 0;
  log::Error(
      "the position is not stored; after a crash all that follows it is published again, "
      "and the slot keeps its WAL",
      {{"for", absl::FormatDuration(absl::Trunc(now - *unstored_since_, absl::Seconds(1)))},
       {"stored", stored_ ? stored_->commit_end.ToString() : "none"},
       {"delivered", safe.commit_end.ToString()},
       {"behind_bytes", stored_ ? safe.commit_end.value() - stored : 0},
       {"error", std::string(status.message())},
       {"reason", ErrorReason(status)},
       {"hint", ErrorHint(status)}});
  if (options_.board != nullptr) options_.board->ShowError(status);
}

}  // namespace walduct::slot
