// Which record it is, and what it says without what no two runs repeat. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/record_fields.h"
#include "kafka/look/topic_stream.h"

namespace walduct::compare {

struct Identity {
  std::string name;    // the same on both sides: key and position, as far as there is one
  std::string label;   // for people
  std::string text;    // path=value lines; without what is masked
  uint64_t order = 0;  // by commits, as far as the record says; 0: it has no position
  bool snapshot = false;
  bool keyed = false;  // one name is one record
  bool event = false;  // of an EventRouter: it has the id of its event, and no position
  int32_t partition = 0;
  bool deletes = false;  // a tombstone of its key that follows is of the same change

  bool placed() const { return order != 0 || snapshot || keyed; }
};

// Of the records of one partition, in their order: a tombstone belongs to the delete before it.
// Without one it is a delete of its own, as flattened ones are, and says nothing of its position.
class Identifier {
 public:
  // ignored: paths that are not compared, such as after.updated_at; headers are "headers".
  // events: an EventRouter wrote them, so that the header "id" names a record that has no position.
  explicit Identifier(const std::vector<std::string>* ignored, bool events = false)
      : ignored_(*ignored), events_(events) {}

  //   Unimplemented format_not_compared: no JSON
  absl::StatusOr<Identity> Identify(const kafka::TopicRecord& record);

 private:
  void Describe(const std::vector<Field>& fields, Identity* identity) const;
  void DescribeEvent(const std::vector<Field>& fields, absl::string_view id,
                     Identity* identity) const;
  void AddHeaders(const kafka::TopicRecord& record, Identity* identity) const;
  bool Masked(absl::string_view path, bool snapshot, bool message) const;

  const std::vector<std::string>& ignored_;
  const bool events_;
  std::string key_before_, name_before_, label_before_;
  uint64_t order_before_ = 0;
  bool keyed_before_ = false, deletes_before_ = false;
};

}  // namespace walduct::compare
