// ReadAttempts: the attempts of `recover read`. Each holds a lost slot first, then streams from the
// slot up to a view of the database, by slot::SlotAttempts, and there compares the tables with the
// topics. What commits behind the view is streamed by `run`, after it. Data thread only.
#pragma once

#include <memory>
#include <optional>

#include "engine/lifecycle/attempt.h"
#include "recover/read/read_world.h"
#include "recover/read/view.h"
#include "recover/run/primary.h"
#include "slot/attempts/slot_attempts.h"
#include "slot/phases/reading.h"

namespace walduct::recover {

class ReadAttempts final : public engine::Attempts, private slot::Reading {
 public:
  // Borrowed. parts.config: slot::ReadConfig.
  ReadAttempts(ReadWorld& world, const engine::AttemptParts& parts, const ReadOptions& options);

  void Begin() override { inner_.Begin(); }
  engine::AttemptEnd Run(bool ran_before) override;
  engine::SoonRetries soon() const override {
    return {.most = 90, .delay = absl::Seconds(1), .given = true};
  }
  void ShowError(const absl::Status& error) override { inner_.ShowError(error); }

 private:
  absl::StatusOr<Lsn> Point() override;
  absl::Status Read(delivery::Pipeline* pipeline, slot::Housekeeping* housekeeping,
                    bool* done) override;
  void OnDelivered() override { world_.state().done = true; }
  absl::Status CheckWhole() const;
  bool Stopping();

  ReadWorld& world_;
  const engine::AttemptParts parts_;
  const ReadOptions& options_;
  Primary primary_;
  slot::SlotAttempts inner_;
  std::optional<ReadView> view_;
};

}  // namespace walduct::recover
