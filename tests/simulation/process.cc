#include "tests/simulation/process.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/runtime_options.h"
#include "offset/options.h"
#include "route/options.h"
#include "snapshot/options.h"
#include "tests/simulation/broker.h"
#include "tests/simulation/source.h"

namespace walduct::simulation {
namespace {

engine::ConnectorOptions Config(Random* random) {
  engine::ConnectorOptions config;
  config.name = "simulated";
  config.route->topic_prefix = config.encode->topic_prefix = "srv";
  config.encode->database = "shop";
  config.encode->key.schemas_enable = config.encode->value.schemas_enable = false;
  config.snapshot->mode = snapshot::SnapshotMode::kNever;
  config.offset->flush_interval = random->UpTo(absl::Seconds(10));
  config.runtime->catalog_delay = random->UpTo(absl::Seconds(1));
  if (random->OneIn(3)) config.heartbeat->interval = absl::Seconds(30);
  return config;
}

}  // namespace

Process::Process(simulation::World* world)
    : world_(*world),
      environment_(world->time.environment()),
      config_(Config(&world->random)),
      board_(config_.name, world->time),
      control_(mailbox_, board_),
      lifecycle_({.config = &config_,
                  .goal = {},
                  .world = this,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {}

void Process::Run() {
  world_.Note("start");
  mailbox_.Post(engine::Command::kStart);
  Watch();
  lifecycle_.Run();
  // What still is to happen in the world goes on without it.
  world_.time.ForgetScheduled();
  world_.Note("end");
}

void Process::EndAfter(absl::Duration delay) {
  world_.time.After(delay, [this] { mailbox_.Post(engine::Command::kQuit); });
}

void Process::EndWhenComplete(absl::Duration deadline) { complete_by_ = deadline; }

void Process::Watch() {
  const engine::ConnectorStatus status = board_.Read();
  const bool failed = status.state == engine::ConnectorState::kFailed;
  if (failed && !world_.crashed)
    world_.ledger.Break(absl::StrCat("the connector gave up: ", status.last_error->message));
  const bool done =
      complete_by_ && (world_.ledger.complete() || world_.time.Monotonic() >= *complete_by_);
  if (failed || done || world_.crashed || !world_.ledger.broken().empty())
    mailbox_.Post(engine::Command::kQuit);
  world_.time.After(absl::Seconds(1), [this] { Watch(); });
}

absl::StatusOr<std::unique_ptr<sink::Sink>> Process::OpenSink(const engine::ConnectorOptions&) {
  if (world_.Crash("OpenSink")) return Dead();
  if (world_.Happens(world_.faults.refuses)) return absl::UnavailableError("no broker");
  return std::make_unique<BrokerSink>(&world_);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> Process::OpenOffsetStore(
    const engine::ConnectorOptions&) {
  if (world_.Crash("OpenOffsetStore")) return Dead();
  auto store = std::make_unique<test::FakeOffsetStore>(&world_.time, &world_.disk);
  store->on_durable = [this](const offset::StoredOffset& offset) {
    world_.Note(absl::StrCat("stored ", offset.position.commit_end.ToString(), " + ",
                             offset.position.ordinal));
    world_.ledger.OnStored(offset.position);
  };
  store->plan = [this, of = store.get()] {
    test::FakeOffsetStore::Save save;
    save.after = world_.random.OneIn(3) ? world_.random.UpTo(absl::Seconds(20)) : absl::Duration();
    save.lands_at_once = world_.random.OneIn(4);
    if (world_.Crash("StartSave")) {
      // Whether it is on the disk nobody has been told.
      of->start_answer = Dead();
      save.after = absl::Hours(1);
    } else if (world_.Happens(world_.faults.save_fails)) {
      save.answer = absl::UnavailableError("the disk is full");
      save.lands = world_.random.OneIn(2);
    }
    return save;
  };
  return store;
}

std::unique_ptr<engine::Source> Process::MakeSource(const engine::SourceOptions&) {
  return std::make_unique<Source>(&world_);
}

}  // namespace walduct::simulation
