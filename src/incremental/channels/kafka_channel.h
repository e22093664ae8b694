// KafkaChannel: signals are records of the first partition of a topic, for those whose key is the
// connector's topic.prefix. What is done with is committed for a consumer group.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/clock.h"
#include "incremental/channels/signal_channel.h"
#include "kafka/group/committed_reader.h"

namespace walduct::incremental {

class KafkaChannel final : public SignalChannel {
 public:
  struct Options {
    std::function<kafka::CommittedReader::Options()> reader;  // as they are now
    std::string key;                                          // of our signals
    absl::Duration poll_timeout;
    Clock* clock = nullptr;  // borrowed
  };
  explicit KafkaChannel(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Signals> Poll() override;
  void Done(size_t signals) override;

 private:
  void TakeRecord(const kafka::TopicRecord& record, int64_t offset, Signals* signals);

  const Options options_;
  std::unique_ptr<kafka::CommittedReader> reader_;
  absl::Duration open_at_ = -absl::InfiniteDuration();
  int64_t next_ = -1;               // behind the last record that was read
  std::deque<int64_t> handed_out_;  // where the signals are that are not done with
};

}  // namespace walduct::incremental
