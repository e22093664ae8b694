#include "tests/simulation/poll/worker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "outbox/options.h"
#include "poll/poll_source.h"
#include "route/options.h"
#include "tests/simulation/poll/sessions.h"
#include "tests/simulation/poll/target.h"

namespace walduct::poll_simulation {
namespace {

engine::ConnectorOptions Config(World* world, size_t number) {
  const Policy& policy = world->policy;
  engine::ConnectorOptions config;
  config.name = "simulated";
  config.route->topic_prefix = config.encode->topic_prefix = "srv";
  config.encode->database = "shop";
  config.encode->key.schemas_enable = config.encode->value.schemas_enable = false;
  outbox::OutboxOptions& outbox = *config.outbox;
  outbox.deletes_done = policy.done == Done::kDelete;
  outbox.archives = policy.done == Done::kArchive;
  outbox.positions = policy.done == Done::kPosition;
  outbox.workers = static_cast<int64_t>(policy.workers);
  outbox.worker = static_cast<int64_t>(number);
  outbox.max_attempts = policy.max_attempts;
  outbox.parked_holds = policy.parked_holds;
  outbox.first_backoff = world->random.UpTo(absl::Seconds(1)) + absl::Milliseconds(1);
  outbox.publish_rows = policy.batch;
  return config;
}

}  // namespace

Worker::Worker(World* world, std::string name, size_t number)
    : world_(*world),
      name_(std::move(name)),
      environment_(this, this),
      config_(Config(world, number)),
      board_(config_.name, *environment_.clock),
      control_(mailbox_, board_),
      lifecycle_({.config = &config_,
                  .goal = {},
                  .world = this,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {}

Worker::~Worker() = default;

void Worker::Start() {
  world_.Note(name_, " starts");
  mailbox_.Post(engine::Command::kStart);
  fiber_ = world_.fibers.Start([this] { lifecycle_.Run(); });
}

void Worker::Quit() {
  mailbox_.Post(engine::Command::kQuit);
  world_.fibers.Poke(fiber_);
}

bool Worker::Step(const char* where) {
  if (dead_) return true;
  if (world_.Happens(Fault::kPause)) {
    const absl::Duration lasts =
        world_.random.UpTo(world_.random.OneIn(2) ? absl::Seconds(1) : absl::Seconds(20));
    world_.Note(name_, " stands still in ", where, " for ", absl::FormatDuration(lasts));
    stands_until_ = world_.time.Monotonic() + lasts;
    world_.fibers.Stand(lasts);
  }
  if (world_.Happens(Fault::kCrash)) Kill(where);
  return dead_;
}

void Worker::Kill(const char* where) {
  if (dead_) return;
  world_.Note(name_, " is killed in ", where);
  dead_ = true;
  world_.ledger.OnIncident();
  for (const std::weak_ptr<Session>& session : sessions_)
    if (const SessionPtr open = session.lock()) world_.server.statements().Abandon(open);
  Quit();
}

void Worker::WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) {
  if (dead_) {
    after_death_ += std::max(timeout, absl::ZeroDuration()) + absl::Milliseconds(1);
    return;
  }
  world_.fibers.Wait(fds, timeout);
}

std::unique_ptr<engine::Attempts> Worker::MakeAttempts(const engine::AttemptParts& parts) {
  return poll::AttemptsIn(this, parts);
}

absl::StatusOr<poll::TableSessions> Worker::OpenSessions(const engine::ConnectorOptions&,
                                                         const Environment&,
                                                         const postgres::StopCheck&) {
  if (Step("OpenSessions")) return Dead();
  Statements& statements = world_.server.statements();
  std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
  poll::TableSessions sessions{
      .session = nullptr, .owner = nullptr, .tables = {statements.table()}};
  for (const bool owner : {false, true}) {
    if (owner && !world_.policy.pooler) break;
    ASSIGN_OR_RETURN(const SessionPtr session, statements.Open());
    sessions_.push_back(session);
    (owner ? sessions.owner : sessions.session) = MakeSession(&world_, this, session);
  }
  return sessions;
}

absl::StatusOr<std::unique_ptr<sink::Sink>> Worker::OpenSink(const engine::ConnectorOptions&,
                                                             const Environment&, sink::Refusals*) {
  if (Step("OpenSink")) return Dead();
  if (world_.Happens(Fault::kRefuses)) return absl::UnavailableError("no broker");
  return std::make_unique<Target>(&world_, this);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> Worker::OpenOffsetStore(
    const engine::ConnectorOptions&, const Environment&) {
  if (Step("OpenOffsetStore")) return Dead();
  return MakeStore(&world_, this);
}

}  // namespace walduct::poll_simulation
