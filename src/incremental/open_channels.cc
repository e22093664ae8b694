#include "incremental/open_channels.h"

#include <utility>
#include <vector>

#include "incremental/channels/file_channel.h"
#include "incremental/channels/kafka_channel.h"
#include "incremental/channels/signal_queue.h"
#include "incremental/channels/signal_thread.h"
#include "kafka/options.h"

namespace walduct::incremental {
namespace {

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
