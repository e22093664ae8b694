// RecoveryAttempts: the attempts of a connector over the gap of its lost slot. Each looks at the
// primary first, which has the end of the gap, then at the restored server, and streams from that
// one by slot::SlotAttempts. It ends where the primary's slot begins. Data thread only.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/lifecycle/attempt.h"
#include "recover/run/follower.h"
#include "recover/run/gap.h"
#include "recover/run/primary.h"
#include "recover/run/recovery.h"
#include "slot/attempts/slot_attempts.h"
#include "slot/world/server_world.h"

namespace walduct::recover {

class RecoveryAttempts final : public engine::Attempts {
 public:
  // Borrowed. parts.config: slot::RestoredConfig.
  RecoveryAttempts(slot::ServerWorld& world, const engine::AttemptParts& parts,
                   const RecoveryOptions& recovery)
      : world_(world),
        parts_(parts),
        recovery_(recovery),
        primary_({.world = &world,
                  .attempt = &parts_,
                  .connector = recovery.connector.get(),
                  .holding = recovery.holding.get(),
                  .slot = recovery.slot,
                  .stopping = [this] { return Stopping(); }}) {}

  void Begin() override {
    if (inner_ != nullptr) inner_->Begin();
  }
  engine::AttemptEnd Run(bool ran_before) override;
  // A walduct that was killed has the slot until the server has noticed.
  engine::SoonRetries soon() const override {
    return {.most = 90, .delay = absl::Seconds(1), .given = true};
  }
  void ShowError(const absl::Status& error) override;

 private:
  void SwitchWal(postgres::Connection& primary, const Gap& gap);
  absl::Status PrepareRestored(const Gap& gap);
  bool Stopping();
  absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(const engine::ConnectorOptions& config,
                                                             postgres::SessionKind kind);

  slot::ServerWorld& world_;
  const engine::AttemptParts parts_;
  const RecoveryOptions& recovery_;
  Primary primary_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<slot::SlotAttempts> inner_;
  Lsn inner_goal_;
  Lsn switched_for_;  // the end of the gap for which the primary was asked to end its segment
};

}  // namespace walduct::recover
