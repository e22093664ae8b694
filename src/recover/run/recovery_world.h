// RecoveryWorld: the world of a connector whose lost slot's gap is read from a restored server.
#pragma once

#include <memory>
#include <utility>

#include "recover/run/recovery.h"
#include "slot/world/server_world.h"

namespace walduct::recover {

class RecoveryWorld final : public slot::ServerWorld {
 public:
  RecoveryWorld(const Environment& environment, RecoveryOptions recovery)
      : ServerWorld(environment), recovery_(std::move(recovery)) {}

  std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) override;

 private:
  const RecoveryOptions recovery_;
};

}  // namespace walduct::recover
