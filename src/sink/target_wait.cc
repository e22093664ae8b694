#include "sink/target_wait.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/send_permit.h"

namespace walduct::sink {

TargetWait::TargetWait(absl::string_view who, const Environment& environment, absl::Duration first,
                       absl::Duration most)
    : who_(who),
      environment_(environment),
      backoff_(first, most, static_cast<uint64_t>(absl::ToUnixNanos(environment.clock->Now()))) {}

void TargetWait::Begin(const absl::Status& why, absl::Duration pause, bool quiet) {
  const absl::Duration now = environment_.clock->Monotonic();
  if (why_.ok()) since_ = now;
  if (ErrorReason(why_) != ErrorReason(why) && !quiet)
    log::Warn(absl::StrCat(who_, " does not take records: they wait"),
              {{"error", why.message()}, {"hint", ErrorHint(why)}});
  why_ = why;
  quiet_ = quiet;
  until_ = now + pause;
}

void TargetWait::End() {
  backoff_.Reset();
  if (why_.ok()) return;
  if (!quiet_)
    log::Info(absl::StrCat(who_, " takes records again"),
              {{"after", absl::FormatDuration(absl::Floor(environment_.clock->Monotonic() - since_,
                                                          absl::Seconds(1)))}});
  why_ = absl::OkStatus();
}

std::string TargetWait::For(absl::string_view otherwise) const {
  return std::string(why_.ok() ? otherwise : why_.message());
}

std::string TargetWait::Hint() const {
  return why_.ok() ? "it goes on by itself once the server answers" : ErrorHint(why_);
}

absl::Status TargetWait::Flush(Sink& sink, AckHandler& acks, absl::FunctionRef<bool()> settled,
                               absl::string_view otherwise, absl::Duration timeout) const {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  while (true) {
    RETURN_IF_ERROR(sink.Poll(acks));
    if (settled()) return absl::OkStatus();
    const absl::Duration left = deadline - environment_.clock->Monotonic();
    if (left <= absl::ZeroDuration())
      return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout", For(otherwise),
                   ErrorHint(why_));
    environment_.poller->WaitReadable({sink.ready_fd()}, left);
  }
}

bool TargetWait::MaySend() const {
  return !permit_ || environment_.clock->Monotonic() - *permit_ <= kafka::SendPermit::kLease;
}

}  // namespace walduct::sink
