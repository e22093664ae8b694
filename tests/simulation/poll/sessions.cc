#include "tests/simulation/poll/sessions.h"

#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "tests/simulation/poll/worker.h"

namespace walduct::poll_simulation {
namespace {

class WorkerSession final : public poll::TableSession {
 public:
  WorkerSession(World* world, Worker* worker, SessionPtr session)
      : world_(*world), worker_(*worker), session_(std::move(session)) {}
  ~WorkerSession() override {
    if (!worker_.dead()) world_.server.statements().Close(session_);
  }

  absl::Status Send(const postgres::Statement& statement) override {
    if (worker_.Step("Send")) return Worker::Dead();
    if (!session_->told.ok()) return session_->told;
    world_.server.statements().Send(session_, statement);
    if (worker_.Step("what was sent")) return Worker::Dead();
    return absl::OkStatus();
  }
  absl::StatusOr<std::optional<postgres::Result>> PollResult() override {
    if (worker_.Step("PollResult")) return Worker::Dead();
    if (session_->answer) {
      auto answer = *std::move(session_->answer);
      session_->answer.reset();
      world_.time.SetReadable(session_->fd, session_->notified || !session_->told.ok());
      if (!answer.ok()) return answer.status();
      return std::optional<postgres::Result>(*std::move(answer));
    }
    if (!session_->told.ok()) return session_->told;
    // What else has come does not wake it again.
    world_.time.SetReadable(session_->fd, false);
    return std::optional<postgres::Result>();
  }
  int ready_fd() const override { return session_->fd; }
  void Cancel() override {
    if (!worker_.dead()) Statements::Cancel(session_);
  }
  absl::Status CheckAlive() override { return worker_.dead() ? Worker::Dead() : session_->told; }
  bool shared() const override { return world_.policy.pooler; }
  bool TakeNotifications() override {
    if (session_->told.ok() && !session_->answer) world_.time.SetReadable(session_->fd, false);
    return std::exchange(session_->notified, false);
  }
  absl::Status Set(absl::string_view, absl::string_view) override {
    return worker_.dead() ? Worker::Dead() : session_->told;
  }

 private:
  World& world_;
  Worker& worker_;
  const SessionPtr session_;
};

class Store final : public offset::OffsetStore {
 public:
  Store(World* world, Worker* worker)
      : world_(*world), worker_(*worker), fd_(world->time.NewDescriptor()) {}

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    if (worker_.Step("Load")) return Worker::Dead();
    known_ = world_.stored;
    if (!known_) return std::optional<offset::StoredOffset>();
    auto stored = offset::DecodeOffset(*known_);
    if (!stored.ok()) return stored.status();
    return std::optional<offset::StoredOffset>(*std::move(stored));
  }
  absl::Status StartSave(const offset::StoredOffset& offset) override {
    CHECK(!saving_);
    if (worker_.Step("StartSave")) return Worker::Dead();
    saving_ = offset::EncodeOffset(offset);
    due_ = world_.time.Monotonic();
    if (world_.random.OneIn(3)) due_ += world_.random.UpTo(absl::Seconds(1));
    fails_ = world_.Happens(Fault::kSaveFails);
    lands_ = !fails_ || world_.random.OneIn(2);
    // Durable, though nobody may ever hear of it.
    if (lands_ && world_.random.OneIn(4)) answer_ = Land();
    world_.time.After(due_ - world_.time.Monotonic(),
                      [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override {
    if (!saving_) return absl::OkStatus();
    if (worker_.Step("PollSave")) return Worker::Dead();
    // Of an earlier save it may be readable still.
    world_.time.SetReadable(fd_, false);
    if (world_.time.Monotonic() < due_) return std::nullopt;
    if (lands_ && !answer_) answer_ = Land();
    const absl::Status landed = std::exchange(answer_, std::nullopt).value_or(absl::OkStatus());
    saving_.reset();
    return fails_ ? absl::UnavailableError("the disk is full") : landed;
  }
  int ready_fd() const override { return fd_; }
  absl::Status Erase() override { return absl::OkStatus(); }

 private:
  absl::Status Land() {
    if (world_.stored != known_)
      return Error(absl::StatusCode::kFailedPrecondition, "offset_superseded",
                   "somebody else has stored a position");
    world_.stored = known_ = saving_;
    world_.ledger.OnSaved(*saving_);
    return absl::OkStatus();
  }

  World& world_;
  Worker& worker_;
  const int fd_;
  std::optional<std::string> known_, saving_;
  std::optional<absl::Status> answer_;
  absl::Duration due_;
  bool fails_ = false, lands_ = false;
};

}  // namespace

std::unique_ptr<poll::TableSession> MakeSession(World* world, Worker* worker, SessionPtr session) {
  return std::make_unique<WorkerSession>(world, worker, std::move(session));
}

std::unique_ptr<offset::OffsetStore> MakeStore(World* world, Worker* worker) {
  return std::make_unique<Store>(world, worker);
}

}  // namespace walduct::poll_simulation
