// What a service answers in the place of a result, as errors with reasons and hints. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::aws {

// code: the service's own name of the error, as ThrottlingException. http_status: 0 where the
// answer was to one of several records.
//   Unavailable       it passes: throttling, a fault of the service
//   Unauthenticated,
//   PermissionDenied  who asks is unknown, or may not
//   NotFound          what was named is not there
//   InvalidArgument   record_too_large or record_refused: what was sent is refused
absl::Status AnswerError(int http_status, absl::string_view code, absl::string_view message,
                         absl::string_view where);

// Nobody answered.
absl::Status Unreachable(absl::string_view where, absl::string_view why);

// The credentials have run out: others may be there by now.
bool IsExpired(const absl::Status& error);

}  // namespace walduct::aws
