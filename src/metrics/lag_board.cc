#include "metrics/lag_board.h"

#include <algorithm>
#include <utility>

namespace walduct::metrics {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr size_t kMostLooks = 256;
// A change and its commit take more; a list of the running transactions takes less.
constexpr uint64_t kLessThanAChange = 72;
constexpr uint64_t kLongestRecord = 1 << 16;
constexpr uint64_t kPage = 8192;
// A server whose WAL ends in the middle of a record writes the rest with its next list of the
// running transactions: each 15 seconds, and its writer may sleep for 5.
constexpr absl::Duration kRecordGrace = absl::Seconds(22);
// An asynchronous commit is written within 3 * wal_writer_delay.
constexpr absl::Duration kWrittenWithin = absl::Seconds(2);

absl::Duration Age(absl::Time now, absl::Time since) {
  return std::max(now - since, absl::ZeroDuration());
}

int64_t Earlier(int64_t a, int64_t b) { return a == 0 || b == 0 ? a + b : std::min(a, b); }

}  // namespace

void LagBoard::Show(const Progress& progress, absl::Time now) {
  oldest_us_.store(progress.oldest_us, kRelaxed);
  if (progress.covered.valid()) covered_.store(progress.covered.value(), kRelaxed);
  unread_us_.store(progress.unread_us, kRelaxed);
  const int64_t complete = std::max({progress.complete_us, progress.oldest_us, progress.unread_us});
  if (complete > complete_us_.load(kRelaxed)) complete_us_.store(complete, kRelaxed);
  if (progress.heard) heard_us_.store(absl::ToUnixMicros(now), kRelaxed);
}

void LagBoard::Begin(Lsn start, int64_t commit_time_us) {
  covered_.store(start.value(), kRelaxed);
  if (commit_time_us > complete_us_.load(kRelaxed)) complete_us_.store(commit_time_us, kRelaxed);
  snapshot_us_.store(0, kRelaxed);
  oldest_us_.store(0, kRelaxed);
  unread_us_.store(0, kRelaxed);
}

void LagBoard::End() { unread_us_.store(0, kRelaxed); }

void LagBoard::BeginSnapshot(absl::Time now) {
  if (snapshot_us_.load(kRelaxed) == 0) snapshot_us_.store(absl::ToUnixMicros(now), kRelaxed);
}

void LagBoard::Watch(absl::Time now) {
  const MutexLock lock(mutex_);
  if (!watched_since_) watched_since_ = now;
}

void LagBoard::OnStored(std::optional<Lsn> position) {
  const uint64_t covered = covered_.load(kRelaxed);
  if (covered == 0 && HeldSince() == 0) return;
  if (!position) return Forget();
  if (position->value() > covered) Begin(*position, 0);
}

void LagBoard::Forget() {
  for (std::atomic<int64_t>* const one : {&oldest_us_, &unread_us_, &snapshot_us_, &complete_us_})
    one->store(0, kRelaxed);
  covered_.store(0, kRelaxed);
  const MutexLock lock(mutex_);
  watched_since_.reset();
  last_.reset();
  baseline_.reset();
  found_.clear();
}

// What was in flight comes again: what is not acknowledged counts from there.
LagBoard::Memory LagBoard::Remember() const {
  Memory memory;
  memory.oldest_us = oldest_us_.load(kRelaxed);
  memory.snapshot_us = snapshot_us_.load(kRelaxed);
  memory.complete_us = Earlier(complete_us_.load(kRelaxed), memory.oldest_us);
  memory.covered = Lsn(covered_.load(kRelaxed));
  const MutexLock lock(mutex_);
  Settle();
  memory.baseline = baseline_;
  memory.seen = last_;
  if (found_.empty()) return memory;
  memory.first = found_.front();
  if (found_.size() > 1) memory.last = found_.back();
  return memory;
}

void LagBoard::Recall(const Memory& memory) {
  const MutexLock lock(mutex_);
  if (last_ || covered_.load(kRelaxed) != 0) return;
  oldest_us_.store(memory.oldest_us, kRelaxed);
  snapshot_us_.store(memory.snapshot_us, kRelaxed);
  complete_us_.store(memory.complete_us, kRelaxed);
  covered_.store(memory.covered.value(), kRelaxed);
  baseline_ = memory.baseline;
  last_ = memory.seen;
  if (memory.first) found_.push_back(*memory.first);
  if (memory.last) found_.push_back(*memory.last);
}

int64_t LagBoard::HeldSince() const {
  return Earlier(oldest_us_.load(kRelaxed), snapshot_us_.load(kRelaxed));
}

void LagBoard::Streams(bool streams) {
  const MutexLock lock(mutex_);
  streams_ = streams;
  slight_.reset();
}

bool LagBoard::IsOpen() const {
  return slight_ && heard_us_.load(kRelaxed) <= absl::ToUnixMicros(slight_->at) &&
         covered_.load(kRelaxed) < slight_->wal_end.value();
}

bool LagBoard::WantsWord() const {
  const MutexLock lock(mutex_);
  return IsOpen();
}

uint64_t LagBoard::GapOf(const Look& look) const {
  const uint64_t covered = covered_.load(kRelaxed);
  const uint64_t at = covered > 0 ? covered : look.confirmed.value();
  return look.wal_end.value() > at ? look.wal_end.value() - at : 0;
}

bool LagBoard::IsBehind(const Look& look) const {
  const uint64_t gap = GapOf(look);
  const bool from_somewhere = covered_.load(kRelaxed) > 0 || look.confirmed.valid();
  if (gap == 0 || (from_somewhere && gap <= kLessThanAChange)) return false;
  return !baseline_ || baseline_->next_xid != look.next_xid;
}

// What a look counts as ended is in the WAL up to its end, but for asynchronous commits, which may
// not be written yet: those are before the end that a later look finds.
void LagBoard::Settle() const {
  while (!found_.empty() && !IsBehind(found_.front())) {
    const Look& front = found_.front();
    const auto proves = [&](const Look& later) {
      mutex_.AssertHeld();
      return later.at - front.at >= kWrittenWithin && !IsBehind(later);
    };
    const bool same = baseline_ && baseline_->next_xid == front.next_xid;
    if (front.partial && !same && std::none_of(found_.begin() + 1, found_.end(), proves)) return;
    baseline_ = front;
    found_.pop_front();
  }
}

void LagBoard::OnLook(const Look& look) {
  const MutexLock lock(mutex_);
  // Another server: the one that was looked at is gone with what it had.
  if (last_ && look.wal_end < last_->wal_end) found_.clear();
  last_ = look;
  const bool nothing_ended =
      look.slot_xmin != 0 && static_cast<uint32_t>(look.next_xid) == look.slot_xmin;
  Settle();
  const uint64_t gap = GapOf(look);
  const bool ended = !nothing_ended && baseline_ && baseline_->next_xid != look.next_xid;
  if (streams_ && !IsOpen()) {
    slight_.reset();
    if (ended && found_.empty() && gap > 0 && gap <= kLessThanAChange)
      slight_ = {.at = look.at, .since = baseline_->at, .wal_end = look.wal_end};
  }
  if (nothing_ended && (found_.empty() || !IsBehind(found_.back()))) {
    found_.clear();
    baseline_ = look;
    return;
  }
  found_.push_back(look);
  Settle();
  if (found_.size() <= kMostLooks) return;
  std::deque<Look> fewer;
  for (size_t i = 0; i < found_.size(); i += 2) fewer.push_back(found_[i]);
  found_ = std::move(fewer);
}

std::optional<absl::Time> LagBoard::UnsentSince(absl::Time now) const {
  if (HeldSince() > 0 || unread_us_.load(kRelaxed) > 0) return std::nullopt;
  const MutexLock lock(mutex_);
  Settle();
  const auto behind = [this](const Look& look) {
    mutex_.AssertHeld();
    return IsBehind(look);
  };
  const auto first = std::find_if(found_.begin(), found_.end(), behind);
  const auto is_old = [&](const Look& look) {
    const uint64_t covered = covered_.load(kRelaxed);
    const bool in_a_record = look.partial && look.wal_end.value() % kPage == 0 &&
                             look.wal_end.value() <= covered + kLongestRecord;
    const bool heard = heard_us_.load(kRelaxed) > absl::ToUnixMicros(look.at);
    return now - look.at >= (in_a_record && heard ? kRecordGrace : kGrace);
  };
  const int64_t complete = complete_us_.load(kRelaxed);
  if (IsOpen() && now - slight_->at >= kWord)
    return std::min(std::max(slight_->since, absl::FromUnixMicros(complete)), slight_->at);
  if (std::none_of(first, found_.end(), is_old)) return std::nullopt;
  if (!baseline_ && complete == 0) return first->at;
  absl::Time since = absl::FromUnixMicros(complete);
  if (baseline_) since = std::max(since, baseline_->at);
  return std::min(since, first->at);
}

std::optional<absl::Duration> LagBoard::Read(absl::Time now) const {
  if (const int64_t held = HeldSince(); held > 0) return Age(now, absl::FromUnixMicros(held));
  if (const auto since = UnsentSince(now)) return Age(now, *since);
  const MutexLock lock(mutex_);
  if (const int64_t unread = unread_us_.load(kRelaxed); unread > 0) {
    Settle();
    const absl::Time since = absl::FromUnixMicros(unread);
    return Age(now, baseline_ ? std::max(since, baseline_->at) : since);
  }
  if (!last_ && !watched_since_) return std::nullopt;
  // Nobody can tell what has been committed since.
  absl::Time seen = last_ ? last_->at : *watched_since_;
  seen = std::max(seen, absl::FromUnixMicros(complete_us_.load(kRelaxed)));
  seen = std::max(seen, absl::FromUnixMicros(heard_us_.load(kRelaxed)));
  const bool unreached = unreached_us_.load(kRelaxed) > absl::ToUnixMicros(seen);
  if (unreached || now - seen > kUnseen) return Age(now, seen);
  return last_ ? std::optional(absl::ZeroDuration()) : std::nullopt;
}

}  // namespace walduct::metrics
