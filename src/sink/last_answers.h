// What becomes of the last answers to a sink that has ended over a refused record, or is to end.
//
// AwaitLastAnswers: what Sink::Flush does of a sink that has ended over a refused record. Its
// sender begins nothing any more, but the target may have taken what was on its way: that is
// acknowledged, and so is not sent again by the next sink. Data thread only.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "sink/sink.h"

namespace walduct::sink {

struct LastAnswers {
  int fd = -1;                      // readable when there are some, or when it is quiet
  absl::FunctionRef<bool()> quiet;  // no more come
  absl::FunctionRef<void()> take;   // hands over those that have come
  const absl::Status& ended;        // what the sink has ended with
};

// ended, once it is quiet. DeadlineExceeded flush_timeout: it was not in time.
absl::Status AwaitLastAnswers(const LastAnswers& answers, const Environment& environment,
                              absl::Duration timeout);

}  // namespace walduct::sink
