// MockCluster: librdkafka's in-process Kafka for tests. It produces, fetches and answers metadata
// like a broker on a local port; it creates topics at their first use, and knows neither
// CreateTopics nor authentication: those are tested against a real broker.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/check.h"

namespace walduct::kafka {

class MockCluster {
 public:
  static constexpr int16_t kProduce = 0;
  static constexpr int16_t kMetadata = 3;

  explicit MockCluster(int brokers = 1) : brokers_(brokers) {
    char text[256];
    owner_ = rd_kafka_new(RD_KAFKA_PRODUCER, nullptr, text, sizeof(text));
    CHECK(owner_ != nullptr);
    cluster_ = rd_kafka_mock_cluster_new(owner_, brokers);
    CHECK(cluster_ != nullptr);
    rd_kafka_mock_set_controller_id(cluster_, 1);
    rd_kafka_mock_start_request_tracking(cluster_);
  }
  ~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(owner_);
  }
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string bootstrap_servers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  void CreateTopic(const std::string& name, int partitions) {
    CHECK(rd_kafka_mock_topic_create(cluster_, name.c_str(), partitions, 1) == 0);
  }
  // A record of another client. Waits until it is there.
  void Produce(const std::string& topic, const std::string& key, const std::string& value,
               int32_t partition = RD_KAFKA_PARTITION_UA) const {
    char text[256];
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap_servers().c_str(), text, sizeof(text));
    rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof(text));
    CHECK(producer != nullptr);
    CHECK(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()),
                            RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_KEY(key.data(), key.size()),
                            RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
                            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                            RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR_NO_ERROR);
    CHECK(rd_kafka_flush(producer, 10'000) == RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_destroy(producer);
  }
  // The next requests of this kind fail with these errors.
  void FailNext(int16_t api, const std::vector<rd_kafka_resp_err_t>& errors) {
    rd_kafka_mock_push_request_errors_array(cluster_, api, errors.size(), errors.data());
  }
  // The next one, and the answer takes so long.
  void FailNextAfter(int16_t api, rd_kafka_resp_err_t error, absl::Duration time) {
    rd_kafka_mock_broker_push_request_error_rtts(cluster_, 1, api, 1, error,
                                                 static_cast<int>(time / absl::Milliseconds(1)));
  }
  // Requests of this kind that have come, answered or not.
  size_t CountRequests(int16_t api) const {
    size_t all = 0;
    rd_kafka_mock_request_t** requests = rd_kafka_mock_get_requests(cluster_, &all);
    size_t count = 0;
    for (size_t i = 0; i < all; ++i) count += rd_kafka_mock_request_api_key(requests[i]) == api;
    rd_kafka_mock_request_destroy_array(requests, all);
    return count;
  }
  // Of requests of this kind brokers know this version at most.
  void LimitVersion(int16_t api, int16_t version) {
    CHECK(rd_kafka_mock_set_apiversion(cluster_, api, 0, version) == RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  void SetTopicError(const std::string& name, rd_kafka_resp_err_t error) {
    rd_kafka_mock_topic_set_error(cluster_, name.c_str(), error);
  }
  // A fetch that is under way then crashes the mock cluster, which tells it the leader's id: see
  // MoveLeader.
  void TakeLeader(const std::string& topic, int partition) {
    rd_kafka_mock_partition_set_leader(cluster_, topic.c_str(), partition, -1);
  }
  void GiveLeader(const std::string& topic, int partition) { MoveLeader(topic, partition, 1); }
  // Brokers count from 1.
  void MoveLeader(const std::string& topic, int partition, int broker) {
    CHECK(rd_kafka_mock_partition_set_leader(cluster_, topic.c_str(), partition, broker) == 0);
  }
  // Each answer takes so long.
  void SlowDown(absl::Duration time) {
    for (int broker = 1; broker <= brokers_; ++broker)
      rd_kafka_mock_broker_set_rtt(cluster_, broker,
                                   static_cast<int>(time / absl::Milliseconds(1)));
  }
  void SetDown(bool down, int broker = 1) {
    if (down) {
      rd_kafka_mock_broker_set_down(cluster_, broker);
    } else {
      rd_kafka_mock_broker_set_up(cluster_, broker);
    }
  }

 private:
  const int brokers_;
  rd_kafka_t* owner_;
  rd_kafka_mock_cluster_t* cluster_;
};

}  // namespace walduct::kafka
