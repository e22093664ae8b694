#include "incremental/channels/signal_queue.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <utility>

namespace walduct::incremental {

class SignalQueue::Inbox final : public SignalInbox {
 public:
  Inbox(std::shared_ptr<SignalQueue> queue, std::unique_ptr<SignalInbox> beside)
      : queue_(std::move(queue)), beside_(std::move(beside)), wake_(Wake::TryMake()) {
    queue_->Attach(wake_.get());
    if (beside_ != nullptr) both_ = Both();
  }
  ~Inbox() override {
    queue_->Attach(nullptr);
    if (both_ >= 0) close(both_);
  }

  std::optional<Incoming> Take() override {
    std::optional<Incoming> next;
    if (queue_->more_) {
      if (wake_ != nullptr) wake_->Drain();
      next = queue_->Take();
    }
    const bool own = next.has_value();
    if (!own && beside_ != nullptr) next = beside_->Take();
    if (!next) return next;
    handed_out_.push_back({++last_, own, next->ticket});
    next->ticket = last_;
    next->asked = own;
    return next;
  }
  void Done(uint64_t ticket) override {
    for (; !handed_out_.empty() && handed_out_.front().ticket <= ticket; handed_out_.pop_front()) {
      const HandedOut& one = handed_out_.front();
      one.own ? queue_->Done(one.number) : beside_->Done(one.number);
    }
  }
  int ready_fd() const override { return both_ >= 0 || wake_ == nullptr ? both_ : wake_->fd(); }

 private:
  // One that is readable when either is; -1: none is left.
  int Both() const {
    const int both = epoll_create1(EPOLL_CLOEXEC);
    for (const int fd : {wake_ == nullptr ? -1 : wake_->fd(), beside_->ready_fd()}) {
      epoll_event event{.events = EPOLLIN, .data = {}};
      if (both >= 0 && fd >= 0) epoll_ctl(both, EPOLL_CTL_ADD, fd, &event);
    }
    return both;
  }

  struct HandedOut {
    uint64_t ticket;
    bool own;  // of the queue
    uint64_t number;
  };
  const std::shared_ptr<SignalQueue> queue_;
  const std::unique_ptr<SignalInbox> beside_;
  const std::unique_ptr<Wake> wake_;
  int both_ = -1;
  uint64_t last_ = 0;
  std::deque<HandedOut> handed_out_;
};

std::unique_ptr<SignalInbox> SignalQueue::Open(std::shared_ptr<SignalQueue> queue,
                                               std::unique_ptr<SignalInbox> beside) {
  return std::make_unique<Inbox>(std::move(queue), std::move(beside));
}

std::optional<uint64_t> SignalQueue::Put(RawSignal signal) {
  const MutexLock lock(mutex_);
  if (waiting_.size() >= kMost) return std::nullopt;
  waiting_.push_back({.ticket = ++last_, .signal = std::move(signal)});
  more_ = true;
  if (wake_ != nullptr) wake_->Signal();
  return last_;
}

bool SignalQueue::IsDone(uint64_t number) const {
  const MutexLock lock(mutex_);
  return number <= done_;
}

bool SignalQueue::IsWaiting(const std::string& id) const {
  const MutexLock lock(mutex_);
  for (const SignalInbox::Incoming& one : waiting_)
    if (one.signal.ok() && one.signal->id == id) return true;
  return false;
}

void SignalQueue::Attach(Wake* wake) {
  const MutexLock lock(mutex_);
  wake_ = wake;
  taken_ = 0;
  more_ = !waiting_.empty();
  if (wake_ != nullptr && !waiting_.empty()) wake_->Signal();
}

std::optional<SignalInbox::Incoming> SignalQueue::Take() {
  const MutexLock lock(mutex_);
  if (taken_ >= waiting_.size()) return std::nullopt;
  more_ = taken_ + 1 < waiting_.size();
  return waiting_[taken_++];
}

void SignalQueue::Done(uint64_t number) {
  const MutexLock lock(mutex_);
  done_ = number;
  for (; taken_ > 0 && waiting_.front().ticket <= number; --taken_) waiting_.pop_front();
}

}  // namespace walduct::incremental
