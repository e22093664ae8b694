#include "engine/duties/checkpointer.h"

#include "base/check.h"
#include "base/log.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(1);

// Equal positions can still differ in phase: the end of a snapshot has to be stored too.
bool Moved(const std::optional<event::Position>& from, const event::Position& to) {
  return !from || from->snapshot != to.snapshot || *from < to;
}

}  // namespace

Checkpointer::Checkpointer(Options options, std::optional<event::Position> stored)
    : options_(std::move(options)),
      stored_(stored),
      next_due_(options_.clock->Monotonic() + options_.interval) {}

void Checkpointer::Turn(const std::optional<event::Position>& safe) {
  if (saving_) {
    const std::optional<absl::Status> answer = options_.store->PollSave();
    if (!answer) return;
    Finish(*answer);
  }
  const absl::Duration now = options_.clock->Monotonic();
  if (now < next_due_) return;
  next_due_ = now + options_.interval;
  if (!safe || !Moved(stored_, *safe)) return;
  offset::StoredOffset offset;
  offset.position = *safe;
  offset.system_identifier = options_.system_identifier;
  offset.timeline = options_.timeline;
  offset.transaction_id = options_.transaction_id;
  saving_ = safe;
  if (const absl::Status started = options_.store->StartSave(offset); !started.ok())
    return Finish(started);
  if (const std::optional<absl::Status> answer = options_.store->PollSave()) Finish(*answer);
}

bool Checkpointer::Covers(const std::optional<event::Position>& safe) const {
  return !safe || !Moved(stored_, *safe);
}

void Checkpointer::Finish(const absl::Status& status) {
  CHECK(saving_.has_value());
  if (status.ok()) {
    if (!last_error_.ok()) log::Info("offset store works again");
    stored_ = saving_;
  } else {
    if (last_error_.ok())
      log::Warn("cannot store the offset, trying again",
                {{"error", std::string(status.message())}});
    next_due_ = options_.clock->Monotonic() + kRetryDelay;
  }
  last_error_ = status;
  saving_.reset();
}

}  // namespace walduct::engine
