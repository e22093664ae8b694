// How records get into Kafka. Immutable once built.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace walduct::java {
class RegexList;
}
namespace walduct::metrics {
class TopicBoard;
}

namespace walduct::sink {

struct TopicCreationGroup {
  std::string name;
  std::shared_ptr<const java::RegexList> include, exclude;
  int replication_factor = -1;  // -1: broker default
  int partitions = -1;
  std::map<std::string, std::string> configs;
};

struct KafkaSinkOptions {
  size_t buffer_bytes = 8u << 20;  // in flight at most
  // groups in order, "default" last; empty: leave it to the broker
  std::vector<TopicCreationGroup> topic_creation;
  // Created with one partition where it is missing, whatever topic_creation says; empty: none.
  std::string dead_letter_topic;
  int dead_letter_replication_factor = 3;  // -1: broker default
  // librdkafka keeps some 5 kB of a topic that is not used any more until its client ends. From so
  // many on it is made anew once nothing is on its way; from twice as many on, at once.
  size_t most_forgotten = 2048;
  // A topic whose last record is no longer ago is in use. Those that come by turns, however many,
  // must be: what is forgotten is asked for again, which takes a request of each record.
  absl::Duration used_time = absl::Hours(1);
  // Topics that are missing, or not ours to write to, cost their records and not the sink.
  bool tolerates_missing = false;
  bool tolerates_denied = false;
  // Not empty: records and positions in transactions (sink/transactions.h). One writer for each id.
  std::string transactional_id;
  // Counts the records of each topic; null: nobody asks.
  std::shared_ptr<metrics::TopicBoard> topics;
};

}  // namespace walduct::sink
