#include "slot/world/watch/watch_sessions.h"

#include <utility>

#include "base/status_macros.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kStep = absl::Milliseconds(50);

}  // namespace

WatchSessions::Member::Member(std::shared_ptr<WatchSessions> sessions, std::string place, Open open,
                              Clock& clock)
    : sessions_(std::move(sessions)),
      place_(std::move(place)),
      open_(std::move(open)),
      clock_(clock) {
  const MutexLock lock(sessions_->mutex_);
  ++sessions_->places_[place_].members;
}

WatchSessions::Member::~Member() {
  EndTurn();
  std::vector<Session> closed;  // without the lock
  const MutexLock lock(sessions_->mutex_);
  Place& place = sessions_->places_[place_];
  if (--place.members < kMany) closed.swap(place.kept);
  if (place.members == 0) sessions_->places_.erase(place_);
}

absl::StatusOr<postgres::Connection*> WatchSessions::Member::Take(postgres::StopCheck stopping) {
  absl::Duration waited;
  const auto longer = [&] { return waited < kPatience && !(stopping && stopping()); };
  while (!sessions_->TakeTurn(place_, kStep, /*anyway=*/!longer())) waited += kStep;
  looks_ = true;
  taken_ = sessions_->TakeKept(place_, clock_.Monotonic());
  if (taken_.connection != nullptr) {
    *taken_.stopping = std::move(stopping);
    return taken_.connection.get();
  }
  const auto check = std::make_shared<postgres::StopCheck>(std::move(stopping));
  auto connection = open_([check] { return *check && (*check)(); });
  if (!connection.ok()) {
    EndTurn();
    return connection.status();
  }
  taken_ = {
      .connection = *std::move(connection), .stopping = check, .opened_at = clock_.Monotonic()};
  return taken_.connection.get();
}

void WatchSessions::Member::Return(bool good) {
  Session session = std::exchange(taken_, {});
  if (good && session.connection != nullptr && session.connection->CheckAlive().ok()) {
    *session.stopping = nullptr;
    sessions_->Keep(place_, std::move(session), clock_.Monotonic());
  }
  EndTurn();
}

void WatchSessions::Member::EndTurn() {
  if (std::exchange(looks_, false)) sessions_->EndTurn(place_);
}

std::shared_ptr<SharedLook> WatchSessions::Member::shared() const {
  const MutexLock lock(sessions_->mutex_);
  const Place& place = sessions_->places_[place_];
  return place.members < kMany ? nullptr : place.shared;
}

std::unique_ptr<WatchSessions::Member> WatchSessions::Join(std::string place, Open open,
                                                           Clock& clock) {
  return std::unique_ptr<Member>(
      new Member(shared_from_this(), std::move(place), std::move(open), clock));
}

bool WatchSessions::TakeTurn(const std::string& place, absl::Duration longest, bool anyway) {
  MutexLock lock(mutex_);
  Place& here = places_[place];
  const auto is_free = [&] { return anyway || here.members < kMany || here.looking < kMost; };
  if (!ended_.wait_for(lock.of_std(), absl::ToChronoMilliseconds(longest), is_free)) return false;
  ++here.looking;
  return true;
}

void WatchSessions::EndTurn(const std::string& place) {
  {
    const MutexLock lock(mutex_);
    --places_[place].looking;
  }
  ended_.notify_one();
}

WatchSessions::Session WatchSessions::TakeKept(const std::string& place, absl::Duration now) {
  std::vector<Session> closed;  // without the lock
  const MutexLock lock(mutex_);
  std::vector<Session>& kept = places_[place].kept;
  while (!kept.empty()) {
    Session last = std::move(kept.back());
    kept.pop_back();
    if (now - last.opened_at < kLifetime && last.connection->CheckAlive().ok()) return last;
    closed.push_back(std::move(last));
  }
  return {};
}

void WatchSessions::Keep(const std::string& place, Session session, absl::Duration now) {
  const MutexLock lock(mutex_);
  Place& here = places_[place];
  if (here.members < kMany || here.kept.size() >= kMost || now - session.opened_at >= kLifetime)
    return;
  here.kept.push_back(std::move(session));
}

}  // namespace walduct::slot
