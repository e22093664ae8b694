#include "incremental/open_channels.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "incremental/channels/file_channel.h"
#include "incremental/channels/kafka_channel.h"
#include "incremental/channels/signal_channel.h"
#include "incremental/channels/signal_inbox.h"
#include "incremental/channels/signal_queue.h"
#include "kafka/options.h"

namespace walduct::incremental {
namespace {

// SignalThread: looks for signals in channels every signal.poll.interval.ms, on a thread of its
// own.
//
// Thread-safety: as SignalInbox. The destructor waits for the thread, which tells the channels last
// what is done.
class SignalThread final : public SignalInbox {
 public:
  struct Options {
    std::string connector;  // whose log lines these are
    absl::Duration interval;
    Clock* clock = nullptr;  // borrowed
    std::vector<std::unique_ptr<SignalChannel>> channels;
  };
  explicit SignalThread(Options options);

  std::optional<Incoming> Take() override;
  void Done(uint64_t ticket) override;
  int ready_fd() const override { return ready_.fd(); }

 private:
  void Loop();
  void Look(size_t channel);
  void TellDone();
  void OnError(size_t channel, const absl::Status& error);

  const Options options_;
  Wake ready_;
  Mutex mutex_;
  std::deque<Incoming> incoming_ ABSL_GUARDED_BY(mutex_);
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  // The thread's own.
  uint64_t last_ticket_ = 0;
  std::deque<std::pair<uint64_t, size_t>> handed_out_;  // ticket, channel
  std::vector<absl::Duration> warn_again_;              // by channel

  WorkerThread thread_;  // last: uses all of the above
};

constexpr absl::Duration kWarnAgain = absl::Minutes(1);

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

// Without brokers of their own, signals come from the connector's, as it reads them.
kafka::CommittedReader::Options ReaderOptions(const IncrementalOptions& options,
                                              const kafka::KafkaOptions& connector) {
  kafka::CommittedReader::Options reader;
  reader.bootstrap_servers = options.kafka_brokers;
  reader.topic = options.kafka_topic;
  if (reader.bootstrap_servers.empty()) {
    const kafka::KafkaOptions now = kafka::WithFreshSecrets(connector);
    reader.bootstrap_servers = now.bootstrap_servers;
    reader.java = now.consumer;
    reader.java.erase("bootstrap.servers");
  }
  for (const auto& [name, value] : options.kafka_consumer) reader.java[name] = value;
  reader.java.emplace("group.id", options.kafka_group);
  return reader;
}

}  // namespace

std::unique_ptr<SignalInbox> OpenChannels(const ChannelParts& parts) {
  const IncrementalOptions& options = *parts.options;
  std::vector<std::unique_ptr<SignalChannel>> channels;
  if (options.file_channel) channels.push_back(std::make_unique<FileChannel>(options.signal_file));
  if (options.kafka_channel) {
    channels.push_back(std::make_unique<KafkaChannel>(KafkaChannel::Options{
        .reader = [options, kafka = *parts.kafka] { return ReaderOptions(options, kafka); },
        .key = parts.topic_prefix,
        .poll_timeout = options.kafka_poll_timeout,
        .clock = parts.clock}));
  }
  std::unique_ptr<SignalInbox> inbox;
  if (!channels.empty()) {
    inbox = std::make_unique<SignalThread>(SignalThread::Options{.connector = parts.connector,
                                                                 .interval = options.poll_interval,
                                                                 .clock = parts.clock,
                                                                 .channels = std::move(channels)});
  }
  return options.asked == nullptr ? std::move(inbox)
                                  : SignalQueue::Open(options.asked, std::move(inbox));
}

}  // namespace walduct::incremental
