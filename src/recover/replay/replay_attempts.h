// ReplayAttempts: the attempts of a connector over a part of its database's past, from a restored
// server. It asks no primary: where it begins and ends was typed, and its position is its own. At
// the end slot and position are removed. Data thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/lifecycle/attempt.h"
#include "recover/replay/replay.h"
#include "recover/run/follower.h"
#include "recover/run/gap.h"
#include "recover/run/window.h"
#include "slot/attempts/slot_attempts.h"
#include "slot/phases/reading.h"
#include "slot/world/server_world.h"

namespace walduct::recover {

class ReplayWorld final : public slot::ServerWorld {
 public:
  ReplayWorld(const Environment& environment, ReplayOptions options)
      : ServerWorld(environment), options_(std::move(options)) {}

  std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) override;

 private:
  const ReplayOptions options_;
};

class ReplayAttempts final : public engine::Attempts, private slot::Reading {
 public:
  // Borrowed. parts.config: slot::RestoredConfig.
  ReplayAttempts(slot::ServerWorld& world, const engine::AttemptParts& parts,
                 const ReplayOptions& options);

  void Begin() override { inner_.Begin(); }
  engine::AttemptEnd Run(bool ran_before) override;
  // A walduct that was killed has the slot until the server has noticed.
  engine::SoonRetries soon() const override {
    return {.most = 90, .delay = absl::Seconds(1), .given = true};
  }
  void ShowError(const absl::Status& error) override;

 private:
  absl::StatusOr<Lsn> Point() override;
  std::unique_ptr<replication::WalSource> Through(
      std::unique_ptr<replication::WalSource> stream) override;
  bool Ended() const override { return window_ != nullptr && window_->ended; }
  absl::Status Read(delivery::Pipeline*, slot::Housekeeping*, bool* done) override;
  void OnDelivered() override {}

  // What the folder says whose it is; until that is done.
  std::string OwnClaim() const;
  // ended: --until of the one that was done, and has still to be cleaned up.
  absl::Status Claim(std::optional<std::string>* ended);
  absl::Status WriteClaim(absl::string_view more) const;
  absl::Status LoadGap();
  absl::Status Prepare();
  absl::Status CheckBegin(postgres::Connection& restored) const;
  absl::Status StorePosition();
  absl::Status CleanUp(absl::string_view until);
  absl::Status DropSlot();
  bool Stopping();
  absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(postgres::SessionKind kind);

  slot::ServerWorld& world_;
  const engine::AttemptParts parts_;
  const ReplayOptions& options_;
  std::shared_ptr<Window> window_;  // null: between LSNs
  bool stored_ = false;             // there is a position
  Gap gap_;
  std::unique_ptr<Follower> follower_;
  slot::SlotAttempts inner_;
};

}  // namespace walduct::recover
