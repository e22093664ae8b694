// Pages of memory that hold the program's and its libraries' code and constants. Linux.
#pragma once

#include "absl/time/time.h"

namespace walduct {

// Takes them out of the process; what is used again comes back from the page cache by itself, in
// microseconds. For the end of a start, whose logins, TLS and configuration use megabytes of code
// that nothing uses afterwards. Any thread, at any time.
void ReleaseCodePages();
// The same for what each connector does now and then, unless this has been done in the last seconds
// for whichever of them. now: of a monotonic clock.
void ReleaseCodePagesAgain(absl::Duration now);

}  // namespace walduct
