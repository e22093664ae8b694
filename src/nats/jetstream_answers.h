// What JetStream answers, in JSON. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::nats {

struct StreamInfo {
  std::string name;
  std::vector<std::string> subjects;
  bool file = false;  // else in memory
  bool acknowledges = true;
  bool discards_new = false;  // else its oldest messages
  // Without limit: negative.
  int64_t max_bytes = -1, max_messages = -1, max_per_subject = -1, max_message_bytes = -1;
  bool discards_new_per_subject = false;  // what max_per_subject does not leave room for
  int64_t duplicate_window_ns = 0, max_age_ns = 0;

  // It takes a message in the place of an older one, and acknowledges it: nobody is told.
  bool drops_oldest() const {
    return (!discards_new && (max_bytes > 0 || max_messages > 0)) ||
           (max_per_subject > 0 && !(discards_new && discards_new_per_subject));
  }
};

// What to type so that a stream which drops its oldest refuses new ones instead, which wait.
std::string DiscardHint(const StreamInfo& info);

// Of STREAM.INFO and STREAM.CREATE. JetStream's error; Unavailable: it is no such answer.
absl::StatusOr<StreamInfo> ParseStreamInfo(absl::string_view answer, absl::string_view address);

// Of STREAM.NAMES.
absl::StatusOr<std::vector<std::string>> ParseNames(absl::string_view answer,
                                                    absl::string_view address);

// Of a message: the stream that has it, or JetStream's error.
absl::StatusOr<std::string> ParseAcknowledgement(absl::string_view answer,
                                                 absl::string_view address);
// The same for an answer that acknowledges, without making anything: the stream's name in it. "":
// another one.
absl::string_view StreamOf(absl::string_view answer);

}  // namespace walduct::nats
