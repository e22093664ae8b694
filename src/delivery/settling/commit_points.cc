#include "delivery/settling/commit_points.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::delivery {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(30);
// Of its time, for a snapshot: the rest is for the commit.
constexpr double kSnapshotShare = 0.9;

bool IsSnapshot(const std::optional<Milestone>& position) {
  return position && position->snapshot == event::SnapshotPhase::kRunning;
}

absl::Status SnapshotTooLong(absl::Duration lasted, absl::Duration timeout, uint64_t rows) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "snapshot_too_long",
      absl::StrCat("all rows of the snapshot are one transaction of Kafka, which would end after ",
                   absl::FormatDuration(timeout), ": ", rows, " rows took ",
                   absl::FormatDuration(absl::Trunc(lasted, absl::Seconds(1))),
                   "; none of them can be seen by readers of committed records"),
      "raise producer.override.transaction.timeout.ms, and transaction.max.timeout.ms of the "
      "brokers with it; or take the snapshot with exactly.once.support=requested, which may repeat "
      "rows after a crash, and set it to required afterwards");
}

}  // namespace

absl::Duration CommitPoints::LongestOf(absl::Duration timeout) {
  return std::min(kLongest, timeout / 2);
}

absl::StatusOr<bool> CommitPoints::Settle(absl::Duration now) {
  if (!used()) {
    RETURN_IF_ERROR(settler_->Turn(tracker_->safe()));
    return false;
  }
  if (!tracker_->idle()) settler_->OnDelivered();
  RETURN_IF_ERROR(Judge(now));
  const uint64_t saves = settler_->saves();
  RETURN_IF_ERROR(settler_->Turn(point()));
  if (settler_->saves() == saves) return false;
  since_.reset();
  due_ = false;
  return true;
}

bool CommitPoints::Settled() const {
  if (!used()) return settler_->Covers(tracker_->safe());
  if (settler_->saving()) return false;
  return !point() || (tracker_->idle() && settler_->Covers(point()));
}

void CommitPoints::OnAcknowledged(uint64_t ticket, uint32_t count) {
  tracker_->OnAcknowledged(ticket, count);
  if (!used()) settler_->OnDelivered();
}

absl::Status CommitPoints::Judge(absl::Duration now) {
  if (tracker_->idle()) {
    since_.reset();
  } else if (!since_) {
    since_ = now;
  }
  const absl::Duration lasted = since_ ? now - *since_ : absl::ZeroDuration();
  const absl::Duration timeout = transactions_->timeout();
  due_ = since_ && now >= settler_->next_due();
  divides_ = lasted >= LongestOf(timeout);
  if (lasted < timeout * kSnapshotShare || !IsSnapshot(tracker_->complete()))
    return absl::OkStatus();
  return SnapshotTooLong(lasted, timeout, tracker_->in_flight_records());
}

std::optional<Milestone> CommitPoints::point() const {
  std::optional<Milestone> complete = tracker_->complete();
  if (!complete || IsSnapshot(complete)) return std::nullopt;
  if (used() && transactions_->undecided()) return std::nullopt;
  return complete->ordinal == 0 || divides_ ? complete : std::nullopt;
}

}  // namespace walduct::delivery
