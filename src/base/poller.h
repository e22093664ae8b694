// WaitReadable: sleeps until one of the file descriptors can be read, the timeout passes, or a
// signal arrives. The one place that sleeps. Negative descriptors are ignored; an infinite timeout
// is refused: every wait has a bound.
#pragma once

#include <initializer_list>

#include "absl/time/time.h"

namespace walduct {

void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout);

// The same for one socket that has something left to send: also returns when it can be read,
// because a peer whose own output is stuck may not take ours before we have read.
void WaitWritable(int fd, absl::Duration timeout);

}  // namespace walduct
