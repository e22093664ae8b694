// AwsMessage: a record on its way to a service of AWS. Belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sink/kept_record.h"

namespace walduct::sink {

// Of a letter, where a message may not be empty: what refuses a tombstone takes the letter of it.
inline constexpr char kNoValue[] = "null";

class AwsMessage : public KeptRecord {
 public:
  size_t bytes() const {
    return kept_bytes() + destination.size() + order.size() + id.size() +
           (text ? text->size() : 0) + kOther;
  }
  absl::string_view sent() const { return text ? absl::string_view(*text) : body(); }

  std::string destination;  // stream, URL of a queue, ARN of a topic
  // Those that share it are sent one after the other. Empty: nobody waits for this one.
  std::string order;
  std::string id;                   // a repeat is known by it; empty: by nothing
  std::optional<std::string> text;  // sent in the place of the body
  bool letter = false;
  bool heartbeat = false;  // says nothing that could be lost
  int attempts = 0;
  absl::Status refused;  // nobody has taken charge of it yet

 private:
  static constexpr size_t kOther = 200;
};

}  // namespace walduct::sink
