// What Redis answers in the place of a result, as errors with reasons and hints. Pure.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::redis {

// answer: "OOM command not allowed …". Unavailable: it passes, or somebody makes it pass, and the
// same command may be sent again; anything else does not pass by itself. No argument of the command
// is in the message.
absl::Status AnswerError(absl::string_view answer, absl::string_view address);

// The connection has to be made anew: whoever has the address now may be another server.
bool IsOtherServer(const absl::Status& error);

}  // namespace walduct::redis
