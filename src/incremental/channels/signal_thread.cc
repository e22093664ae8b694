#include "incremental/channels/signal_thread.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::incremental {
namespace {

constexpr absl::Duration kWarnAgain = absl::Minutes(1);

}  // namespace

SignalThread::SignalThread(Options options)
    : options_(std::move(options)),
      warn_again_(options_.channels.size(), -absl::InfiniteDuration()),
      thread_(mutex_, [this] { Loop(); }) {}

std::optional<SignalInbox::Incoming> SignalThread::Take() {
  const MutexLock lock(mutex_);
  if (incoming_.empty()) {
    ready_.Drain();
    return std::nullopt;
  }
  Incoming next = std::move(incoming_.front());
  incoming_.pop_front();
  return next;
}

void SignalThread::Done(uint64_t ticket) {
  const MutexLock lock(mutex_);
  done_ = ticket;
}

void SignalThread::Loop() {
  log::SetConnector(options_.connector);
  do {
    TellDone();
    for (size_t channel = 0; channel < options_.channels.size(); ++channel) Look(channel);
  } while (thread_.Pause(options_.interval));
  TellDone();
}

void SignalThread::Look(size_t channel) {
  absl::StatusOr<SignalChannel::Signals> signals = options_.channels[channel]->Poll();
  if (!signals.ok()) return OnError(channel, signals.status());
  warn_again_[channel] = -absl::InfiniteDuration();
  if (signals->empty()) return;
  {
    const MutexLock lock(mutex_);
    for (absl::StatusOr<RawSignal>& signal : *signals) {
      incoming_.push_back({++last_ticket_, std::move(signal)});
      handed_out_.emplace_back(last_ticket_, channel);
    }
  }
  ready_.Signal();
}

void SignalThread::TellDone() {
  uint64_t done = 0;
  {
    const MutexLock lock(mutex_);
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
