// What a service answers in the place of a result, as errors with reasons and hints. Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::aws {

// code: the service's own name of the error, as ThrottlingException.
//   Unavailable       it passes: throttling, a fault of the service
//   Unauthenticated,
//   PermissionDenied  who asks is unknown, or may not
//   NotFound          what was named is not there
//   InvalidArgument   record_too_large or record_refused: what was sent is refused
absl::Status AnswerError(int http_status, absl::string_view code, absl::string_view message,
                         absl::string_view where);

// The same of one of several records, which an answer names as not taken. sender_fault: whether the
// service blames the record, in case that the code is none that is known here; absent: it does not
// say, and a code counts as blame.
absl::Status EntryError(std::optional<bool> sender_fault, absl::string_view code,
                        absl::string_view message, absl::string_view where);

// Nobody answered.
absl::Status Unreachable(absl::string_view where, absl::string_view why);

// The credentials have run out: others may be there by now.
bool IsExpired(const absl::Status& error);

}  // namespace walduct::aws
