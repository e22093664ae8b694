#include "tests/simulation/standby.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {
namespace {

constexpr absl::Duration kLatest = absl::Seconds(8);

}  // namespace

void Standby::Turn() {
  const absl::Duration now = world_.time.Monotonic();
  if (!world_.policy.standby || now < down_until_) return;
  if (world_.Happens(Fault::kStandbyLost)) {
    ++life_;
    down_until_ = now + world_.random.UpTo(absl::Seconds(20));
    // It replays again from where it last was sure of; not beyond a failover.
    until_ = std::max(until_ - world_.random.UpTo(absl::Seconds(5)), std::min(until_, forked_));
    return;
  }
  if (now < paused_until_) return;
  if (world_.Happens(Fault::kReplayPaused)) {
    paused_until_ = now + world_.random.UpTo(absl::Minutes(1));
    return;
  }
  until_ = std::max(until_, now - world_.random.UpTo(kLatest));
}

void Standby::OnFailOver(Lsn replayed, Lsn fork) {
  const absl::Duration now = world_.time.Monotonic();
  forked_ = now;
  if (replayed <= fork) return;
  world_.Note("the standby has replayed what was given up, and is built anew");
  ++life_;
  until_ = now;
  down_until_ = now + world_.random.UpTo(absl::Seconds(20));
}

Lsn Standby::Replayed() const {
  Lsn end(Database::kBegin);
  for (const Transaction& transaction : world_.database.transactions()) {
    if (transaction.committed <= until_) end = std::max(end, Lsn(transaction.end_lsn));
  }
  return until_ >= forked_ ? std::max(end, world_.database.WalEnd(until_)) : end;
}

Standby::Session::Session(World* world) : world_(world), life_(world->standby.life_) {}

absl::StatusOr<Standby::Session> Standby::Session::Open(World* world) {
  Session session(world);
  if (world->Happens(Fault::kRefuses)) return absl::UnavailableError("no session of the standby");
  if (absl::Status there = session.Check(); !there.ok()) return there;
  return session;
}

absl::Status Standby::Session::Check() const {
  const Standby& standby = world_->standby;
  const bool there = life_ == standby.life_ && world_->time.Monotonic() >= standby.down_until_;
  return there ? absl::OkStatus() : absl::UnavailableError("the standby is gone");
}

absl::StatusOr<std::optional<slot::ReplayLag>> Standby::Session::Lag(
    const slot::StandbyNeeds& needs) const {
  if (absl::Status there = Check(); !there.ok()) return there;
  if (world_->defect == Defect::kStandbyBehind) return std::nullopt;
  const Standby& standby = world_->standby;
  const bool follows = standby.until_ >= standby.forked_;
  slot::StandbyFacts facts;
  facts.in_recovery = true;
  facts.paused = world_->time.Monotonic() < standby.paused_until_;
  // A server that is promoted writes a record of its own, which one that follows has.
  facts.replayed = Lsn(standby.Replayed().value() - (follows ? 0 : 1));
  facts.system = {.system_identifier = "7000",
                  .timeline = world_->database.timeline() - (follows ? 0 : 1),
                  .wal_end = facts.replayed};
  return slot::JudgeStandby(facts, needs, "standby:5432");
}

}  // namespace walduct::simulation
