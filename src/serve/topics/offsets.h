// Offsets: the positions of a connector as the offset topic has them, for clients. Keys of walduct
// itself are not shown: what is shown can be given back to any worker.
//
// Thread-safety: any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "serve/topics/internal_topics.h"

namespace walduct::serve {

// JSON of a partition and of its offset.
using PartitionOffset = std::pair<std::string, std::string>;

class Offsets {
 public:
  explicit Offsets(InternalTopics& topics) : topics_(topics) {}

  absl::StatusOr<std::vector<PartitionOffset>> Read(const std::string& connector);
  // The body of PATCH: {"offsets":[{"partition":{…},"offset":{…} or null}]}, as records of the
  // topic. InvalidArgument says what is wrong.
  static absl::StatusOr<std::vector<TopicEntry>> ParseChange(const std::string& connector,
                                                             absl::string_view json);
  absl::Status Write(const std::vector<TopicEntry>& entries);
  // All partitions. server: the one that it would have, told to be erased where there is none: what
  // runs may know a position that the topic has lost.
  absl::Status Reset(const std::string& connector, const std::string& server);

 private:
  InternalTopics& topics_;
};

}  // namespace walduct::serve
