#include "tests/simulation/offset_topic.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {

TopicStore::TopicStore(World* world, Process* process)
    : world_(*world), process_(*process), state_(std::make_shared<State>()) {
  state_->world = world;
  state_->process = process;
  state_->fd = world->time.NewDescriptor();
}

absl::StatusOr<std::optional<offset::StoredOffset>> TopicStore::Load() {
  if (process_.Step("Load")) return Dead();
  if (world_.defect == Defect::kLoadBeforeFence && peeked_.ok()) return peeked_;
  return ReadDisk(world_);
}

absl::StatusOr<std::optional<offset::StoredOffset>> TopicStore::Peek() {
  if (process_.Step("Peek")) return Dead();
  return peeked_ = ReadDisk(world_);
}

std::optional<event::Record> TopicStore::RecordOf(const offset::StoredOffset& offset) {
  record_ = offset::EncodeOffset(offset);
  return event::Record{
      .topic = "offsets", .partition = {}, .key = "srv", .value = record_, .headers = {}};
}

absl::Status TopicStore::StartSave(const offset::StoredOffset& offset) {
  CHECK(!saving_);
  if (process_.Step("StartSave")) return Dead();
  saving_ = true;
  state_->answer.reset();
  if (world_.Happens(Fault::kSaveFails)) {
    // The producer is gone, and with it what it had not sent.
    if (world_.random.OneIn(2) && Permitted(*state_)) Land(&world_, offset);
    AnswerAfter(state_, absl::ZeroDuration(), absl::UnavailableError("the producer fails"));
    return absl::OkStatus();
  }
  state_->sending = offset;
  const bool hangs = world_.Happens(Fault::kSaveHangs);
  const absl::Duration wait = world_.random.UpTo(hangs ? absl::Minutes(1) : absl::Seconds(1));
  world_.time.After(wait, [state = state_] { Send(state); });
  return absl::OkStatus();
}

// The client's threads stand still with the process, and may wake before it does.
void TopicStore::Send(const std::shared_ptr<State>& state) {
  if (state->closed || state->process->dead() || !state->sending) return;
  World& world = *state->world;
  absl::Duration later;
  if (!state->process->runs()) {
    later = state->process->stands_until() - world.time.Monotonic() +
            absl::Milliseconds(world.random.Below(2));
  } else if (!Permitted(*state)) {
    later = absl::Milliseconds(50);
  }
  if (later > absl::ZeroDuration()) {
    world.time.After(later, [state] { Send(state); });
    return;
  }
  Land(&world, *std::exchange(state->sending, std::nullopt));
  AnswerAfter(state, world.random.UpTo(absl::Milliseconds(300)), absl::OkStatus());
}

bool TopicStore::Permitted(const State& state) {
  return state.world->time.Monotonic() < state.permit_until ||
         state.world->defect == Defect::kZombieWrites;
}

void TopicStore::Land(World* world, const offset::StoredOffset& offset) {
  world->disk.content = offset::EncodeOffset(offset);
  NoteStored(world, offset);
}

void TopicStore::AnswerAfter(const std::shared_ptr<State>& state, absl::Duration delay,
                             const absl::Status& answer) {
  state->world->time.After(delay, [state, answer] {
    state->answer = answer;
    state->world->time.SetReadable(state->fd, true);
  });
}

std::optional<absl::Status> TopicStore::PollSave() {
  world_.time.SetReadable(state_->fd, false);
  if (!saving_) return absl::OkStatus();
  if (process_.Step("PollSave")) {
    saving_ = false;
    return Dead();
  }
  if (!state_->answer) return std::nullopt;
  saving_ = false;
  return std::exchange(state_->answer, std::nullopt);
}

}  // namespace walduct::simulation
