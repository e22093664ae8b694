// TopicStore: the offset in a simulated topic: what is sent lands, whoever has stored before, but
// leaves the client only while the process runs and has its permit, as the records do.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "offset/offset_store.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class TopicStore final : public offset::OffsetStore {
 public:
  TopicStore(World* world, Process* process);
  ~TopicStore() override { state_->closed = true; }

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override;
  absl::StatusOr<std::optional<offset::StoredOffset>> Peek() override;
  std::optional<event::Record> RecordOf(const offset::StoredOffset& offset) override;
  absl::Status StartSave(const offset::StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return state_->fd; }
  void RenewPermit() override { state_->permit_until = world_.time.Monotonic() + kLease; }
  absl::Status Erase() override { return absl::UnimplementedError("nobody erases here"); }

 private:
  // Shared with what is scheduled, which outlives the store.
  struct State {
    World* world = nullptr;
    Process* process = nullptr;
    bool closed = false;
    int fd = -1;
    absl::Duration permit_until = absl::InfiniteDuration();
    std::optional<offset::StoredOffset> sending;
    std::optional<absl::Status> answer;
  };
  static bool Permitted(const State& state);
  static void Send(const std::shared_ptr<State>& state);
  static void Land(World* world, const offset::StoredOffset& offset);
  static void AnswerAfter(const std::shared_ptr<State>& state, absl::Duration delay,
                          const absl::Status& answer);

  World& world_;
  Process& process_;
  const std::shared_ptr<State> state_;
  bool saving_ = false;
  std::string record_;
  absl::StatusOr<std::optional<offset::StoredOffset>> peeked_ = absl::NotFoundError("nothing");
};

}  // namespace walduct::simulation
