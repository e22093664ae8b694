// DiskStore: the offset in a file of the simulated disk: saves that take long, fail with or without
// having become durable, or end with the process. As the file store does, it refuses to overwrite
// what somebody else has stored since.
#pragma once

#include <optional>
#include <string>

#include "offset/offset_store.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

// What is durable, as a planted defect may have it.
absl::StatusOr<std::optional<offset::StoredOffset>> ReadDisk(const World& world);
void NoteStored(World* world, const offset::StoredOffset& offset);

class DiskStore final : public offset::OffsetStore {
 public:
  DiskStore(World* world, Process* process);

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override;
  absl::Status StartSave(const offset::StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return fd_; }
  absl::Status Erase() override { return absl::UnimplementedError("nobody erases here"); }

 private:
  struct Saving {
    offset::StoredOffset offset;
    absl::Status answer = {};
    absl::Duration due = {};
    bool lands = true;
  };
  absl::Status Land();

  World& world_;
  Process& process_;
  const int fd_;
  std::optional<std::string> seen_;  // what this store knows to be on the disk
  std::optional<Saving> saving_;
};

}  // namespace walduct::simulation
