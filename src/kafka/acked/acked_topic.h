// AckedTopic: the highest offset that each partition of a topic has acknowledged. Offsets of a
// partition never fall, whatever retention, compaction or DeleteRecords take away: one that does
// tells that the topic lost what it had acknowledged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::kafka {

class AckedTopic {
 public:
  // Notes an offset that was acknowledged. False: it is not above all before, which is no proof
  // yet: a report may come late.
  bool Rises(int32_t partition, int64_t offset, absl::Duration now) {
    const auto index = static_cast<size_t>(partition);
    if (index >= marks_.size()) return Begin(partition, offset, now);
    Mark& mark = marks_[index];
    if (offset <= mark.highest) return false;
    mark = {offset, now};
    return true;
  }

  // Of an offset that does not rise. produced: when its record was handed to the producer, on the
  // same clock. OK, or Unavailable topic_deleted: the record was made after the report of the
  // highest offset, or has that very offset. Then all is forgotten, and lost() is true.
  absl::Status Judge(absl::string_view name, int32_t partition, int64_t offset,
                     absl::Duration produced);

  void Forget() { marks_.clear(); }

  bool taken = false;  // by the producer that there is: a record of it was acknowledged
  bool lost = false;   // until somebody has noted it

 private:
  struct Mark {
    int64_t highest = -1;
    absl::Duration at;  // when it was reported
  };
  bool Begin(int32_t partition, int64_t offset, absl::Duration now);

  std::vector<Mark> marks_;  // by partition
};

// By name. Addresses last.
using AckedTopics = absl::node_hash_map<std::string, AckedTopic>;

// What a topic that lost its records means for those who read it.
inline constexpr char kConsumersLose[] =
    "what consumers had not read of it is gone, and what was in it does not come again";
// topic_deleted of a topic that no consumer reads but walduct itself; others stay as they are.
// instead: of what it means.
absl::Status OfInternalTopic(const absl::Status& error, absl::string_view instead);

// For a new producer: what is known from the one before, if anything is.
std::shared_ptr<AckedTopics> OfNewProducer(std::shared_ptr<AckedTopics> before);

}  // namespace walduct::kafka
