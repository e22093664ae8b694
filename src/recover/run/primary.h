// Primary: the connector's own server, of which a recovery wants the stored position and where the
// slot begins. A slot that is lost or missing is made anew first, and held. Data thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/lifecycle/attempt.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"
#include "recover/run/gap.h"

namespace walduct::slot {
class ServerWorld;
}

namespace walduct::recover {

class Primary {
 public:
  // All borrowed.
  struct Parts {
    slot::ServerWorld* world = nullptr;
    const engine::AttemptParts* attempt = nullptr;
    // As `run` has it, and as it holds its lost slot (slot::HoldConfig).
    const engine::ConnectorOptions* connector = nullptr;
    const engine::ConnectorOptions* holding = nullptr;
    std::string slot;
    postgres::StopCheck stopping;
  };
  explicit Primary(Parts parts) : parts_(std::move(parts)) {}

  // The position, the lock of the slot, and the slot; one that is not there is made first. Keeps
  // another instance from it until Release.
  absl::StatusOr<Gap> Look();
  void Release();
  // After Look, hours later: the slot is there still, or nobody knows.
  bool KeepsSlot();
  // After Look.
  postgres::Connection& sql() { return *sql_; }

 private:
  // FailedPrecondition recover_no_position.
  absl::StatusOr<offset::StoredOffset> Peek();
  absl::StatusOr<offset::StoredOffset> Load();
  absl::StatusOr<offset::StoredOffset> Streaming(std::optional<offset::StoredOffset> stored) const;
  absl::Status HoldSlot();
  absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(postgres::SessionKind kind);

  const Parts parts_;
  std::unique_ptr<postgres::Connection> sql_, lock_;
};

}  // namespace walduct::recover
