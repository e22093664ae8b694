#include "slot/duties/save_offset.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kSaveTimeout = absl::Seconds(30);

}  // namespace

absl::Status SaveOffset(offset::OffsetStore& store, const offset::StoredOffset& offset,
                        const OffsetSaving& saving) {
  Clock& clock = saving.world->clock();
  saving.board->WaitsFor(engine::WaitReason::kOffsetStore);
  RETURN_IF_ERROR(saving.ownership->Beat());
  const absl::Duration deadline = clock.Monotonic() + kSaveTimeout;
  RETURN_IF_ERROR(store.StartSave(offset));
  while (clock.Monotonic() < deadline) {
    RETURN_IF_ERROR(saving.ownership->Beat());
    if (const std::optional<absl::Status> answer = store.PollSave()) {
      saving.board->WaitsFor(engine::WaitReason::kDatabase);
      if (answer->ok()) saving.board->OnStored();
      return *answer;
    }
    saving.world->poller().WaitReadable({store.ready_fd(), saving.control->fd()}, Ownership::kBeat);
    saving.control->Take();
    if (saving.control->interrupted()) return absl::CancelledError("stopped");
  }
  return Error(
      absl::StatusCode::kUnavailable, "offset_store_slow",
      absl::StrCat("the offset could not be stored within ", absl::FormatDuration(kSaveTimeout)));
}

}  // namespace walduct::slot
