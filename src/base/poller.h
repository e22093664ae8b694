// WaitReadable: sleeps until one of the file descriptors can be read, the timeout passes, or a
// signal arrives. The one place that sleeps. Negative descriptors are ignored; an infinite timeout
// is refused: every wait has a bound.
#pragma once

#include <initializer_list>

#include "absl/time/time.h"

namespace walduct {

void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout);

}  // namespace walduct
