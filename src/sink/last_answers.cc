#include "sink/last_answers.h"

#include <algorithm>

#include "base/error.h"

namespace walduct::sink {

absl::Status AwaitLastAnswers(const LastAnswers& answers, const Environment& environment,
                              absl::Duration timeout) {
  constexpr absl::Duration kLook = absl::Milliseconds(20);
  const absl::Duration deadline = environment.clock->Monotonic() + timeout;
  while (true) {
    const bool quiet = answers.quiet();  // asked first: what came before that is taken
    answers.take();
    if (quiet) return answers.ended;
    const absl::Duration left = deadline - environment.clock->Monotonic();
    if (left <= absl::ZeroDuration())
      return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout",
                   "what is on its way is not answered yet");
    environment.poller->WaitReadable({answers.fd}, std::min(left, kLook));
  }
}

}  // namespace walduct::sink
