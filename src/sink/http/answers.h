// What an HTTP server's answer means for the record that was sent. Pure.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::sink {

struct Answer {
  enum class Kind { kTaken, kPassing, kRefused };
  Kind kind = Kind::kTaken;
  // kPassing: of the server, not of this record: others are not sent meanwhile either.
  bool of_server = false;
  // kRefused: another attempt would say the same.
  bool certain = false;
  absl::Status status;  // kPassing: Unavailable; kRefused: InvalidArgument. With reason and hint.
};

// where: for messages.
Answer JudgeAnswer(int status, absl::string_view where);

}  // namespace walduct::sink
