// CommittedReader: reads the first partition of a topic from where a consumer group has committed,
// or from the beginning, and commits for the group what is done with. It is no member of the
// group: others may read the same records. As Debezium's channel of signals does.
//
// Thread-safety: one caller. Destroying it waits shortly for the last commit.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "kafka/client.h"
#include "kafka/look/topic_reader.h"
#include "kafka/properties.h"

struct rd_kafka_queue_s;

namespace walduct::kafka {

class CommittedReader {
 public:
  struct Options {
    std::string bootstrap_servers;
    Properties java;  // of a consumer, with group.id
    std::string topic;
  };
  // Reaches no broker yet. InvalidArgument: as TranslateProperties.
  static absl::StatusOr<std::unique_ptr<CommittedReader>> Open(const Options& options);
  ~CommittedReader();
  CommittedReader(const CommittedReader&) = delete;
  CommittedReader& operator=(const CommittedReader&) = delete;

  // Records that came, in order; waits for the first one at most that long. An error (KafkaError)
  // comes when there is no record; it may be asked again.
  absl::Status Poll(absl::Duration at_most,
                    const std::function<void(const TopicRecord& record, int64_t offset)>& handler);
  // All records before that offset are done with: it is committed. Never waits.
  void Done(int64_t offset);

 private:
  CommittedReader(Client client, std::string topic);
  void TakeAnswers(absl::Duration at_most);

  Client client_;
  const std::string topic_;
  std::unique_ptr<rd_kafka_queue_s, void (*)(rd_kafka_queue_s*)> answers_;  // to commits
  int64_t committed_ = -1;                                                  // or asked for
  int asked_ = 0;                                                           // not answered yet
};

}  // namespace walduct::kafka
