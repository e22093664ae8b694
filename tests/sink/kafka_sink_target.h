// Kafka's side of the contract, for a cluster in this process or a real one. Topics have one
// partition.
#pragma once

#include <librdkafka/rdkafka.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kafka/options.h"
#include "sink/kafka_sink.h"
#include "tests/sink/contract.h"

namespace walduct::sink {

// One topic with one partition, from its beginning to its end, as a reader of committed records
// sees it; with headers, which kafka::ReadTopic leaves out.
inline std::vector<test::KeptRecord> ReadKafkaTopic(const std::string& bootstrap,
                                                    const std::string& topic) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"bootstrap.servers", bootstrap},
                                                        {"group.id", "contract"},
                                                        {"enable.partition.eof", "true"},
                                                        {"enable.auto.commit", "false"},
                                                        {"isolation.level", "read_committed"}}) {
    CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), nullptr, 0) == RD_KAFKA_CONF_OK);
  }
  rd_kafka_t* consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
  CHECK(consumer != nullptr);
  rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(all, topic.c_str(), 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(consumer, all);
  rd_kafka_topic_partition_list_destroy(all);

  std::vector<test::KeptRecord> read;
  bool ended = false;
  for (int patience = 600; !ended && patience > 0; --patience) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer, 100);
    if (message == nullptr) continue;
    ended = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      const auto text = [](const void* bytes, size_t size) {
        return bytes == nullptr
                   ? std::optional<std::string>()
                   : std::optional<std::string>({static_cast<const char*>(bytes), size});
      };
      test::KeptRecord record;
      record.topic = topic;
      record.key = text(message->key, message->key_len);
      record.value = text(message->payload, message->len);
      rd_kafka_headers_t* headers = nullptr;
      const char* name = nullptr;
      const void* value = nullptr;
      size_t size = 0;
      if (rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == 0; ++i)
          record.headers.emplace_back(name, text(value, size));
      }
      read.push_back(std::move(record));
    }
    rd_kafka_message_destroy(message);
  }
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  EXPECT_TRUE(ended) << topic << " could not be read to its end";
  return read;
}

class KafkaSinkTarget : public SinkTarget {
 public:
  // prefix: of the names of its topics, so that no two tests share one.
  KafkaSinkTarget(std::string bootstrap, std::string prefix, bool transactional = false)
      : bootstrap_(std::move(bootstrap)),
        prefix_(std::move(prefix)),
        transactional_(transactional) {}

  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    TopicCreationGroup group;
    group.name = "default";
    group.partitions = 1;
    group.replication_factor = 1;
    KafkaSinkOptions options;
    options.buffer_bytes = buffer_bytes;
    options.topic_creation = {group};
    if (transactional_) options.transactional_id = absl::StrCat(prefix_, "writer");
    kafka::KafkaOptions kafka;
    kafka.bootstrap_servers = bootstrap_;
    auto sink = KafkaSink::Create(options, kafka, Environment::Real());
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    return ReadKafkaTopic(bootstrap_, topic);
  }
  std::string Topic(const std::string& name) override { return absl::StrCat(prefix_, name); }

 private:
  const std::string bootstrap_, prefix_;
  const bool transactional_;
};

}  // namespace walduct::sink
