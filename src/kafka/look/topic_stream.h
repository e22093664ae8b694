// TopicStream: a topic from its first record to what is its end when it is opened: all partitions,
// committed records only, one record at a time. Blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "kafka/properties.h"

namespace walduct::kafka {

class Client;

// Borrowed until the next one is asked for.
struct TopicRecord {
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t timestamp_ms = 0;
  std::optional<absl::string_view> key;
  std::optional<absl::string_view> value;
  std::string headers;  // name=value lines, when they were asked for
};

struct TopicReadOptions {
  std::string bootstrap_servers;
  Properties java;  // of a consumer
  std::string topic;
  absl::Duration timeout;  // for everything
  // False: each partition is read to where its first open transaction begins.
  bool awaits_transactions = true;
  // The timeout is for one record. What is written after the opening is not read, and does not
  // prolong the wait.
  bool until_silent = false;
  bool headers = false;
  // By partition, where to begin; empty: at the beginning.
  std::vector<int64_t> from = {};
  Environment environment;
};

class TopicStream {
 public:
  //   Unavailable broker_unavailable; FailedPrecondition topic_missing; OutOfRange: the topic ends
  //   before `from`; others as KafkaError
  static absl::StatusOr<std::unique_ptr<TopicStream>> Open(TopicReadOptions options);
  virtual ~TopicStream() = default;

  // In order within a partition; nullopt: all are read to their ends. As a rule waits, too, until
  // the transactions are decided that are open in the topic when it is opened.
  //   Unavailable topic_read_timeout
  virtual absl::StatusOr<std::optional<TopicRecord>> Next() = 0;

  // Records that were there once and have expired: the offsets before the partitions' beginnings.
  virtual uint64_t CountExpired() const = 0;

  // By partition, where it ended when it was opened.
  virtual std::vector<int64_t> Ends() const { return {}; }
};

// Names of all topics that begin so, sorted.
absl::StatusOr<std::vector<std::string>> ListTopics(Client& client, absl::string_view prefix,
                                                    absl::Duration timeout);

}  // namespace walduct::kafka
