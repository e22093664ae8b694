// The restored server, before it is streamed from: is it the right one, can it do it, and its slot.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/environment.h"
#include "postgres/connection.h"
#include "recover/run/follower.h"
#include "recover/run/gap.h"

namespace walduct::recover {

class RestoredServer {
 public:
  // All borrowed.
  struct Parts {
    std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(postgres::SessionKind)>
        open;
    Environment environment;
    std::string slot;
    std::string place;  // HOST:PORT, as it was given
    Follower* follower = nullptr;
    std::string begins = "the stored position";  // what Gap::from is to people
    // Before the server may replay more; empty: nothing is looked at.
    std::function<absl::Status(postgres::Connection&)> slot_made = nullptr;
    postgres::StopCheck stopping;  // nobody waits for it any more
  };
  explicit RestoredServer(Parts parts) : parts_(std::move(parts)) {}

  // Waits until it takes sessions, is right, has the slot and has replayed up to the stored
  // position. FailedPrecondition recover_…: what to do. Cancelled: stopped.
  absl::Status Prepare();

 private:
  absl::Status Open();
  absl::Status Check();
  absl::Status CheckSettings();
  absl::Status EnsureSlot();
  absl::Status MakeSlot();
  absl::Status Advance();
  absl::Status Rest(absl::Duration duration);
  const Gap& gap() const { return parts_.follower->gap(); }

  Parts parts_;
  std::unique_ptr<postgres::Connection> sql_;
};

}  // namespace walduct::recover
