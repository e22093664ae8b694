// TopicAdmin: asks whether topics exist and creates them, without waiting for the answers.
//
// Not thread-safe. Uses the threads and connections of a Client that outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/wake.h"
#include "kafka/client.h"

struct rd_kafka_op_s;
struct rd_kafka_queue_s;

namespace walduct::kafka {

struct NewTopic {
  std::string name;
  int partitions = -1;          // -1: the broker's default
  int replication_factor = -1;  // -1: the broker's default
  std::map<std::string, std::string> configs;
};

struct TopicAnswer {
  enum class Question { kExists, kCreate };
  Question question;
  std::string topic;
  // kExists: OK, or FailedPrecondition topic_missing. kCreate: OK also when it exists already.
  // Others as KafkaError.
  absl::Status status;
  bool existed = false;  // kCreate: it had been there
  std::string id = {};   // kExists: as Kafka counts it; empty: not known
};

class TopicAdmin {
 public:
  // wakeup, when given, becomes readable with each answer.
  TopicAdmin(Client* client, Wake* wakeup);
  ~TopicAdmin();
  TopicAdmin(const TopicAdmin&) = delete;
  TopicAdmin& operator=(const TopicAdmin&) = delete;

  // One answer per topic comes out of Poll, Unavailable after the timeout.
  void StartExists(absl::Span<const std::string> topics, absl::Duration timeout);
  enum class Creation {
    kMeant,
    kAskedFor,  // the broker says whether it would, and creates nothing
  };
  void StartCreate(absl::Span<const NewTopic> topics, absl::Duration timeout,
                   Creation creation = Creation::kMeant);

  // The answers of one request, waiting for it at most this long; empty when there is none.
  std::vector<TopicAnswer> Poll(absl::Duration wait);
  bool idle() const { return requests_.empty(); }

 private:
  struct Request {
    TopicAnswer::Question question;
    std::vector<std::string> topics;
  };
  uint64_t Remember(TopicAnswer::Question question, std::vector<std::string> topics);
  std::vector<TopicAnswer> AnswersOf(rd_kafka_op_s* event, const Request& request) const;

  Client* client_;
  rd_kafka_queue_s* answers_;             // owned
  std::map<uint64_t, Request> requests_;  // asked, not answered; bounded by the caller
  uint64_t next_request_ = 1;
};

}  // namespace walduct::kafka
