#include "incremental/channels/signal_thread.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::incremental {
namespace {

constexpr absl::Duration kWarnAgain = absl::Minutes(1);

}  // namespace

SignalThread::SignalThread(Options options)
    : options_(std::move(options)),
      fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      warn_again_(options_.channels.size(), -absl::InfiniteDuration()) {
  CHECK(fd_ >= 0);
  thread_ = std::thread([this] { Loop(); });
}

SignalThread::~SignalThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  close(fd_);
}

std::optional<SignalInbox::Incoming> SignalThread::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (incoming_.empty()) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
    return std::nullopt;
  }
  Incoming next = std::move(incoming_.front());
  incoming_.pop_front();
  return next;
}

void SignalThread::Done(uint64_t ticket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = ticket;
}

void SignalThread::Loop() {
  log::SetConnector(options_.connector);
  do {
    TellDone();
    for (size_t channel = 0; channel < options_.channels.size(); ++channel) Look(channel);
  } while (AwaitNext());
  TellDone();
}

bool SignalThread::AwaitNext() {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_for(lock, absl::ToChronoNanoseconds(options_.interval),
                            [this] { return stopping_; });
}

void SignalThread::Look(size_t channel) {
  absl::StatusOr<SignalChannel::Signals> signals = options_.channels[channel]->Poll();
  if (!signals.ok()) return OnError(channel, signals.status());
  warn_again_[channel] = -absl::InfiniteDuration();
  if (signals->empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (absl::StatusOr<RawSignal>& signal : *signals) {
      incoming_.push_back({++last_ticket_, std::move(signal)});
      handed_out_.emplace_back(last_ticket_, channel);
    }
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

void SignalThread::TellDone() {
  uint64_t done = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done = done_;
  }
  std::vector<size_t> counts(options_.channels.size(), 0);
  while (!handed_out_.empty() && handed_out_.front().first <= done) {
    ++counts[handed_out_.front().second];
    handed_out_.pop_front();
  }
  for (size_t channel = 0; channel < counts.size(); ++channel) {
    if (counts[channel] > 0) options_.channels[channel]->Done(counts[channel]);
  }
}

void SignalThread::OnError(size_t channel, const absl::Status& error) {
  const absl::Duration now = options_.clock->Monotonic();
  if (now < warn_again_[channel]) return;
  warn_again_[channel] = now + kWarnAgain;
  log::Warn(absl::StrCat("signals cannot be read: ", error.message()),
            {{"reason", ErrorReason(error)}, {"hint", ErrorHint(error)}});
}

}  // namespace walduct::incremental
