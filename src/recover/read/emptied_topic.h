// EmptiedTopic: which records of a topic a TRUNCATE has taken back. Its record has no key and is in
// any partition: in its own the order says so, in the others the records' times, which are of
// milliseconds.
#pragma once

#include <cstdint>
#include <map>

namespace walduct::recover {

class EmptiedTopic {
 public:
  // place: KeyIndex::place(). In the order of the partition.
  void OnTruncate(int32_t partition, uint64_t place, int64_t time_ms) {
    last_[partition] = {place, time_ms};
  }

  enum class Answer { kNo, kMaybe, kYes };
  Answer Has(int32_t partition, uint64_t place, int64_t time_ms) const {
    Answer answer = Answer::kNo;
    for (const auto& [where, truncate] : last_) {
      const bool own = where == partition;
      if (own ? place < truncate.place : time_ms < truncate.time_ms) return Answer::kYes;
      if (!own && time_ms == truncate.time_ms) answer = Answer::kMaybe;
    }
    return answer;
  }

 private:
  struct Truncate {
    uint64_t place = 0;
    int64_t time_ms = 0;
  };
  std::map<int32_t, Truncate> last_;
};

}  // namespace walduct::recover
