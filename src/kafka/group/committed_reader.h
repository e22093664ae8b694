// CommittedReader: reads the first partition of a topic from where a consumer group has committed,
// or from the beginning, and commits for the group what is done with. It is no member of the
// group: others may read the same records. As Debezium's channel of signals does.
//
// Thread-safety: one caller. Closing it commits, which may take a moment.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "kafka/client.h"
#include "kafka/properties.h"
#include "kafka/topic_reader.h"

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
  // All records before that offset are done with: it will be committed.
  void Done(int64_t offset);

 private:
  CommittedReader(Client client, std::string topic)
      : client_(std::move(client)), topic_(std::move(topic)) {}

  Client client_;
  const std::string topic_;
};

}  // namespace walduct::kafka
