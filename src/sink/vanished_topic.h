// ExplainVanished: a topic whose records could not be delivered, though it was there: librdkafka
// says the same of one that was deleted, of one that was created anew with fewer partitions, and of
// a partition that never was. The brokers know.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/poller.h"
#include "kafka/client.h"

namespace walduct::sink {

// Who asks. The client is made once something is asked: it opens connections of its own.
struct Inquirer {
  std::function<kafka::Client*()> client;
  std::string bootstrap_servers;
  Poller* poller;
};

// What is known of it from before.
struct TopicBefore {
  std::string name;
  std::string id = {};  // as Kafka counts it; empty: not known
  bool taken = false;   // records of it were delivered
  bool placed = false;  // records say which partition they are for
};

struct TopicFailure {
  absl::Status error;          // what broke the producer
  absl::Status of_batch = {};  // of the topic's records; a call may have told of another one first
  // Whether a topic that never was, and that the brokers are to create, may have more time.
  std::function<bool()> may_wait = {};
};

// Unavailable topic_deleted where the topic is gone, lost records, or another one has its name;
// Unavailable topic_gone where brokers that create topics by themselves are late with it; otherwise
// the error; topic_missing with the command that creates it. Waits for the brokers, some seconds at
// most.
absl::Status ExplainVanished(const Inquirer& inquirer, const TopicBefore& before,
                             const TopicFailure& failure);

struct Unnamed {
  absl::Status error;
  std::vector<std::string> deleted = {};
};

// Of an error that does not say which topic it is of, as a call of a transaction has it:
// Unavailable topic_deleted, with the names, where some of those that it may be of are gone;
// otherwise the error, with the name of a topic that never was. Waits as ExplainVanished.
Unnamed ExplainUnnamed(const Inquirer& inquirer, const std::vector<TopicBefore>& topics,
                       const absl::Status& error);

}  // namespace walduct::sink
