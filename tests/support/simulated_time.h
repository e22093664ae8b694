// SimulatedTime: a Clock and a Poller whose time passes only by waiting. What shall happen later is
// scheduled with After; a wait runs what comes due in it, in order, so that one thread plays the
// program and the world around it. A program that waits again and again without time passing or
// anything happening is stuck in a busy loop: that is a broken invariant.
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/environment.h"

namespace walduct::test {

class SimulatedTime final : public Clock, public Poller {
 public:
  SimulatedTime() = default;
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  absl::Time Now() override { return Epoch() + now_; }
  static absl::Time Epoch() { return absl::FromUnixSeconds(1'790'000'000); }
  absl::Duration Monotonic() override { return now_; }

  void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) override {
    CHECK(timeout < absl::InfiniteDuration());
    CHECK(++idle_waits_ < kMaxIdleWaits);
    for (const int fd : fds) {
      if (readable_.contains(fd)) return;
    }
    const absl::Duration deadline = now_ + std::max(timeout, absl::ZeroDuration());
    if (RunNext(deadline)) return;
    if (deadline > now_) idle_waits_ = 0;
    now_ = deadline;
  }
  void WaitWritable(int fd, absl::Duration timeout) override { WaitReadable({fd}, timeout); }

  Environment environment() { return {this, this}; }

  // Time that passes without a wait: work.
  void Advance(absl::Duration by) {
    const absl::Duration end = now_ + by;
    while (RunNext(end)) continue;
    now_ = end;
  }
  // During the wait that reaches it.
  void After(absl::Duration delay, std::function<void()> what) {
    events_.emplace(std::pair(now_ + delay, ++scheduled_), std::move(what));
  }
  bool anything_scheduled() const { return !events_.empty(); }
  // What is scheduled is forgotten: the world it belongs to has ended.
  void ForgetScheduled() { events_.clear(); }

  // A descriptor that no file has.
  int NewDescriptor() { return ++last_descriptor_; }
  void SetReadable(int descriptor, bool readable) {
    if (readable) readable_.insert(descriptor);
    if (!readable) readable_.erase(descriptor);
  }
  bool IsReadable(int descriptor) const { return readable_.contains(descriptor); }

 private:
  static constexpr int kMaxIdleWaits = 100'000;

  // The next event up to the deadline.
  bool RunNext(absl::Duration deadline) {
    if (events_.empty() || events_.begin()->first.first > deadline) return false;
    auto event = events_.extract(events_.begin());
    now_ = std::max(now_, event.key().first);
    idle_waits_ = 0;
    event.mapped()();
    return true;
  }

  absl::Duration now_ = absl::Hours(1);
  // By time, then in the order of the calls.
  std::map<std::pair<absl::Duration, uint64_t>, std::function<void()>> events_;
  uint64_t scheduled_ = 0;
  std::set<int> readable_;
  int last_descriptor_ = 1 << 20;
  int idle_waits_ = 0;
};

}  // namespace walduct::test
