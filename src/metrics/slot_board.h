// SlotBoard: what the server has said last of the slot. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"

namespace walduct::metrics {

// A transaction that has written something and has not ended.
struct OpenTransaction {
  std::string who;     // "pid 12 (database shop, …)", "prepared transaction 'x' (…)"
  absl::Duration age;  // when it was looked at
};

struct SlotView {
  std::string slot;  // its name; empty: not told
  // "reserved", "extended", "unreserved", "lost", "missing": there is none of that name any more,
  // "none": there was none yet, as far as is known; empty: the server does not say (before
  // PostgreSQL 13)
  std::string wal_status;
  Lsn wal_end;  // of the server
  uint64_t retained_bytes = 0;
  uint64_t growth_per_second = 0;         // of that, in bytes
  std::optional<int64_t> safe_wal_bytes;  // absent: there is no limit
  // The server keeps WAL from its beginning on; absent: none, or none that the role may see.
  std::optional<OpenTransaction> oldest_transaction;
  // Of a connector that rests: who reads the slot in its place; empty: nobody.
  std::string other_reader = {};
  absl::Duration looked_at;  // on the monotonic clock
  bool doubted = false;      // an error has told since that it may be otherwise
  bool unreached = false;    // the server could not be asked since

  // What is said of it by now: "unknown" once nobody could look for kOld, or the server was not
  // reached since, or it is doubted. What is lost stays lost until a look shows otherwise.
  static constexpr absl::Duration kOld = absl::Seconds(30);
  std::string StatusAt(absl::Duration now) const {
    if (wal_status == "lost" || (wal_status.empty() && !doubted)) return wal_status;
    return doubted || unreached || now - looked_at > kOld ? "unknown" : wal_status;
  }

  // It has no longer than that: it is to be kept before anything else.
  static constexpr absl::Duration kSoon = absl::Minutes(10);
  bool SoonLost() const {
    if (wal_status == "lost" || wal_status == "missing" || wal_status == "none") return false;
    const std::optional<absl::Duration> left = TimeUntilLost();
    return wal_status == "unreserved" || (safe_wal_bytes && *safe_wal_bytes <= 0) ||
           (left && *left < kSoon);
  }

  // At the present rate; absent: never, as far as is known.
  std::optional<absl::Duration> TimeUntilLost() const {
    if (!safe_wal_bytes || growth_per_second == 0 || wal_status == "lost") return std::nullopt;
    if (*safe_wal_bytes <= 0) return absl::ZeroDuration();
    return absl::Seconds(static_cast<double>(*safe_wal_bytes) /
                         static_cast<double>(growth_per_second));
  }
};

// Why a connector that rests, or retries, could not go on from where it stands. Labels, by reason.
inline constexpr std::array<absl::string_view, 4> kPositionReasons = {
    "lost_slot_held", "offset_missing", "position_ahead", "position_skipped"};
struct PositionProblem {
  std::string reason, message, hint;
};

class SlotBoard {
 public:
  // A look that is older than what is shown changes nothing.
  void Show(SlotView view) {
    const MutexLock lock(mutex_);
    if (view_ && view.looked_at < view_->looked_at) return;
    if (view.wal_status != "missing") existed_ = true;
    if (!existed_) view.wal_status = "none";
    view_ = std::move(view);
  }
  // What an error says of the slot counts at once, until the next look.
  void OnError(absl::string_view reason, absl::Duration now) {
    const MutexLock lock(mutex_);
    if (reason == "slot_lost" || reason == "slot_invalidated") {
      Know("lost", now);
    } else if (reason == "slot_missing") {
      Know("missing", now);
    } else if (reason == "position_lost" || reason == "lost_slot_held") {
      existed_ = true;
      if (!view_) view_.emplace();
      // Another stands in its place.
      if (reason == "lost_slot_held") view_->wal_status.clear();
      view_->doubted = true;
    }
  }
  // Of one that rests or retries; absent: none is known.
  void ShowPosition(std::optional<PositionProblem> problem) {
    const MutexLock lock(mutex_);
    position_ = std::move(problem);
    gone_on_.reset();
  }
  std::optional<PositionProblem> position() const {
    const MutexLock lock(mutex_);
    return position_;
  }
  // Of one that was told to rest, in the place of a problem: another reader has gone on from there,
  // and reads the slot now. Until ShowPosition.
  void ShowGoneOn(PositionProblem gone_on) {
    const MutexLock lock(mutex_);
    position_.reset();
    gone_on_ = std::move(gone_on);
  }
  std::optional<PositionProblem> gone_on() const {
    const MutexLock lock(mutex_);
    return gone_on_;
  }
  // The server does not answer, or refuses: what it said last is not known to be so.
  void OnUnreached() {
    const MutexLock lock(mutex_);
    if (view_) view_->unreached = true;
  }
  // Absent until the server was asked.
  std::optional<SlotView> Read() const {
    const MutexLock lock(mutex_);
    return view_;
  }

 private:
  void Know(absl::string_view wal_status, absl::Duration now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    existed_ = true;
    if (!view_) view_.emplace();
    view_->wal_status = std::string(wal_status);
    view_->growth_per_second = 0;
    view_->safe_wal_bytes.reset();
    view_->looked_at = now;
    view_->doubted = view_->unreached = false;
  }

  mutable Mutex mutex_;
  std::optional<SlotView> view_ ABSL_GUARDED_BY(mutex_);
  std::optional<PositionProblem> position_ ABSL_GUARDED_BY(mutex_);
  std::optional<PositionProblem> gone_on_ ABSL_GUARDED_BY(mutex_);
  bool existed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace walduct::metrics
