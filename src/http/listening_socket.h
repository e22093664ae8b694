// A TCP socket that listens. Linux.
#pragma once

#include "absl/status/statusor.h"
#include "http/address.h"

namespace walduct::http {

// The file descriptor, which the caller closes; address gets the port that was given when any was
// asked for. FailedPrecondition listen_failed: the port is in use, or the address is not this
// machine's.
absl::StatusOr<int> OpenListeningSocket(Address* address);

}  // namespace walduct::http
