#include "slot/duties/ownership.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {

absl::Status Ownership::Beat() {
  if (lost_) return absl::OkStatus();
  const absl::Duration now = parts_.clock->Monotonic();
  if (last_ && now - *last_ > kStandstill) RETURN_IF_ERROR(CheckAfter(now - *last_));
  if (absl::Status there = parts_.session ? parts_.session() : absl::OkStatus(); !there.ok()) {
    lost_ = true;
    return there;
  }
  last_ = parts_.clock->Monotonic();
  if (parts_.sink != nullptr) parts_.sink->RenewPermit();
  parts_.store->RenewPermit();
  return absl::OkStatus();
}

absl::Status Ownership::CheckAfter(absl::Duration standstill) {
  if (!parts_.check) return absl::OkStatus();
  const absl::Status checked = parts_.check();
  const std::string lasted = absl::FormatDuration(absl::Trunc(standstill, absl::Milliseconds(1)));
  if (checked.ok()) {
    log::Debug("stood still; the slot is still ours", {{"for", lasted}});
    return checked;
  }
  lost_ = true;
  return Error(checked.code(), ErrorReason(checked),
               absl::StrCat("this process stood still for ", lasted, ", and meanwhile ",
                            checked.message(), "; what it had not delivered is dropped"),
               ErrorHint(checked));
}

}  // namespace walduct::slot
