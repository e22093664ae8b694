// OffsetTopics: what the stores of a process have read of offset topics. Who asks gets what was in
// the topic then, or later: of many that ask at once one reads for all, and who asks soon after
// reads on from there. Each start asks, and a topic that is shared by hundreds of connectors has a
// hundred thousand records between two compactions.
//
// A reading is only gone on from while it is fresh, and of the same topic by its id: tombstones are
// compacted away, a topic may be deleted and created anew.
//
// Thread-safety: any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "kafka/look/topic_stream.h"

namespace walduct::offset {

class OffsetTopics {
 public:
  static constexpr absl::Duration kFresh = absl::Seconds(30);

  // A key in one partition, as last written.
  struct Latest {
    int64_t timestamp_ms = 0;
    std::optional<std::string> value;
  };
  using Place = std::pair<std::string, int32_t>;  // key, partition
  using Places = std::map<Place, Latest>;
  struct Reading {
    std::shared_ptr<const Places> places;
    size_t records = 0;     // that were read for it
    absl::Status fit = {};  // whether positions may be kept there, as who read it was told
  };
  // Asked once for each reading.
  struct Questions {
    std::function<std::string()> id;    // the topic's, as Kafka counts it; empty: not known
    std::function<absl::Status()> fit;  // of a topic that was read
  };

  // Blocks. Errors are those of kafka::ReadTopic.
  absl::StatusOr<Reading> Read(const kafka::TopicReadOptions& options, const Questions& questions);
  // Lets go of what nobody would go on from.
  void Sweep(absl::Duration now);

 private:
  struct Known {
    std::string id;
    std::shared_ptr<const Places> places;  // null: nothing
    std::vector<int64_t> ends;             // by partition
    absl::Duration read_at;
  };
  struct Topic {
    bool is_read = false;
    uint64_t begun = 0, ended = 0;  // readings
    absl::StatusOr<Reading> last;
    Known known;
  };
  static absl::StatusOr<Reading> ReadOn(const kafka::TopicReadOptions& options, Known* known);

  Mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, Topic> topics_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::offset
