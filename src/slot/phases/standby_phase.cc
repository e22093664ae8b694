#include "slot/phases/standby_phase.h"

#include <optional>

#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kLookAgain = absl::Milliseconds(200);

}  // namespace

absl::Status StandbyPhase::Run() {
  std::optional<absl::Duration> since;
  while (!parts_.housekeeping->interrupted()) {
    ASSIGN_OR_RETURN(const std::optional<ReplayLag> lag, parts_.source->LagOfRows());
    const absl::Duration now = parts_.clock->Monotonic();
    if (!lag && !since) return absl::OkStatus();
    if (!lag) {
      parts_.stall_watch->AwaitStandby("");
      parts_.housekeeping->MayRead();
      log::Info(
          "the standby has replayed what the snapshot needs",
          {{"after", absl::FormatDuration(absl::Trunc(now - *since, absl::Milliseconds(1)))}});
      return absl::OkStatus();
    }
    if (!since) log::Info("the snapshot waits for " + LagText(*lag));
    since = since.value_or(now);
    parts_.stall_watch->AwaitStandby(LagText(*lag));
    parts_.housekeeping->MayRead(engine::WaitReason::kStandby);
    RETURN_IF_ERROR(parts_.housekeeping->Turn());
    parts_.housekeeping->Wait(-1, kLookAgain);
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
