// Refusals: what brokers have refused so far, kept by a connector from one sink to the next. A
// broker refuses a whole batch and does not say which record it means. So the first refusal only
// teaches: the connector begins again from the stored position, and the next sink sends suspicious
// records alone, while the row they came from is at hand. Data thread only.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "kafka/acked/acked_topic.h"

namespace walduct::kafka {
struct FailedBatch;
}  // namespace walduct::kafka

namespace walduct::sink {

// Causes that lie in a topic and not in a record: whether its records are let pass one by one as
// records that cannot be published. Otherwise the sink breaks.
struct TolerateTopics {
  bool missing = false;
  bool denied = false;
};

class Refusals {
 public:
  // Of one topic. At first a record of any size may share a batch.
  struct Topic {
    // Records of so many bytes of key and value, or more, are sent alone.
    size_t alone_from = std::numeric_limits<size_t>::max();
    // So many more records are sent alone, whatever their size.
    uint64_t alone_left = 0;
    // Not OK: no record of it is sent until then, and then one alone.
    absl::Status refused;
    absl::Duration refused_until;

    // A record of it that was sent alone was taken.
    void OnTaken();
  };

  // A producer is broken. Answers the error to break with: batch_refused when the next attempt
  // knows better, otherwise broken itself.
  absl::Status Learn(const absl::Status& broken, const kafka::FailedBatch& batch,
                     const TolerateTopics& tolerate, absl::Duration now);
  // The same where no report says which batch it was: as a call of a transaction has heard of it.
  // in_flight: so many bytes were; topics: of the records among them, or more.
  absl::Status LearnUnreported(const absl::Status& broken, size_t in_flight,
                               absl::Span<const absl::string_view> topics);
  // A record that was sent alone, so that its fate says all. Answers InvalidArgument with the same
  // reason where the record alone is given up.
  absl::Status Judge(const absl::Status& fate, absl::string_view topic,
                     const TolerateTopics& tolerate, absl::Duration now);

  // Null: nothing is known. Lives as long as this.
  Topic* Find(absl::string_view topic);
  // Topics that were deleted under their records, or have lost some; until it is noted elsewhere.
  std::set<std::string>& deleted() { return deleted_; }
  // What broke a sink, of which topic, whatever it is: others may have lost records meanwhile.
  void Note(const absl::Status& error, const std::string& topic);
  // Whether a topic that the brokers are to create may have more time: a minute since the first
  // time that this is asked.
  bool MayAwait(const std::string& topic, absl::Duration now);
  // For one producer after the other.
  const std::shared_ptr<kafka::AckedTopics>& acked() const { return acked_; }
  // Of a batch at most; 0: no limit.
  size_t batch_bytes() const { return batch_bytes_; }

 private:
  absl::Status Narrow(const absl::Status& broken, const kafka::FailedBatch& batch);
  absl::Status RefuseTopic(const absl::Status& error, absl::string_view topic, absl::Duration now);

  size_t batch_bytes_ = 0;
  absl::node_hash_map<std::string, Topic> topics_;
  std::set<std::string> deleted_;
  absl::node_hash_map<std::string, absl::Duration> awaited_;  // since when
  const std::shared_ptr<kafka::AckedTopics> acked_ = std::make_shared<kafka::AckedTopics>();
};

}  // namespace walduct::sink
