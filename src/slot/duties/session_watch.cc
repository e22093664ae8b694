#include "slot/duties/session_watch.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kInterval = absl::Seconds(1);

}  // namespace

absl::Status SessionWatch::Turn() {
  const absl::Duration now = clock_.Monotonic();
  if (now < next_check_) return absl::OkStatus();
  next_check_ = now + kInterval;
  if (!lost_at_) {
    why_ = check_();
    if (why_.ok()) return why_;
    lost_at_ = now;
    log::Warn(
        "the server ends its sessions: the stream is closed, too, once what is on its way is "
        "confirmed",
        {{"error", std::string(why_.message())},
         {"reason", ErrorReason(why_)},
         {"at_most", absl::FormatDuration(kGrace)}});
  }
  if (now - *lost_at_ < kGrace) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, ErrorReason(why_),
               absl::StrCat(why_.message(),
                            "; the stream was closed so that the server need not "
                            "wait for records that are not acknowledged"),
               ErrorHint(why_));
}

}  // namespace walduct::slot
