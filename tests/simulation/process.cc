#include "tests/simulation/process.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/runtime_options.h"
#include "incremental/options/incremental_options.h"
#include "offset/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "snapshot/options.h"
#include "tests/simulation/broker.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/offset_topic.h"
#include "tests/simulation/source.h"
#include "tests/simulation/transactions.h"

namespace walduct::simulation {
namespace {

void SetWindows(World* world, incremental::IncrementalOptions* options) {
  options->signal_schema = "public";
  options->signal_table = Database::Relation(kTables).table;
  options->source_channel = true;
  options->read_only = world->policy.windows == Policy::Windows::kReadOnly;
  options->deletes_watermarks = world->policy.windows == Policy::Windows::kInsertDelete;
  options->chunk_size = static_cast<int>(world->random.Between(1, 4));
}

engine::ConnectorOptions Config(World* world) {
  Random* random = &world->random;
  engine::ConnectorOptions config;
  config.name = "simulated";
  config.route->topic_prefix = config.encode->topic_prefix = "srv";
  config.encode->database = "shop";
  config.encode->key.schemas_enable = config.encode->value.schemas_enable = false;
  config.snapshot->mode = world->policy.mode;
  config.replication->offset_mismatch = world->policy.mismatch;
  config.offset->flush_interval = random->UpTo(absl::Seconds(10));
  config.runtime->catalog_delay = random->UpTo(absl::Seconds(1));
  if (random->OneIn(3)) config.heartbeat->interval = absl::Seconds(30);
  if (world->policy.windows != Policy::Windows::kNone) SetWindows(world, config.incremental.get());
  return config;
}

}  // namespace

Process::Process(simulation::World* world, std::string name)
    : world_(*world),
      name_(std::move(name)),
      environment_(this, this),
      config_(Config(world)),
      board_(config_.name, *environment_.clock),
      control_(mailbox_, board_),
      lifecycle_({.config = &config_,
                  .goal = {},
                  .world = this,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {
  ++world_.processes;
}

Process::~Process() {
  --world_.processes;
  if (world_.walsender && world_.walsender->process == this) world_.walsender->process = nullptr;
}

void Process::Start() {
  world_.Note(name_ + " starts");
  progressed_ = world_.time.Monotonic();
  mailbox_.Post(engine::Command::kStart);
  fiber_ = world_.fibers.Start([this] { lifecycle_.Run(); });
}

void Process::Quit() {
  mailbox_.Post(engine::Command::kQuit);
  world_.fibers.Poke(fiber_);
}

bool Process::Step(const char* where) {
  if (dead_) return true;
  if (world_.Happens(Fault::kPause)) {
    const absl::Duration lasts = world_.random.OneIn(2) ? world_.random.UpTo(absl::Seconds(2))
                                                        : world_.policy.wal_sender_timeout +
                                                              world_.random.UpTo(absl::Minutes(1));
    world_.Note(
        absl::StrCat(name_, " stands still in ", where, " for ", absl::FormatDuration(lasts)));
    stands_until_ = world_.time.Monotonic() + lasts;
    world_.fibers.Stand(lasts);
    world_.Note(name_ + " wakes");
  }
  if (world_.Happens(Fault::kCrash)) Kill(where);
  return dead_;
}

void Process::Kill(const char* where) {
  if (dead_) return;
  world_.Note(absl::StrCat(name_, " is killed in ", where));
  dead_ = true;
  Quit();
}

void Process::WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) {
  if (dead_) {
    after_death_ += std::max(timeout, absl::ZeroDuration()) + absl::Milliseconds(1);
    return;
  }
  world_.fibers.Wait(fds, timeout);
}

void Process::OnReadAcknowledged(size_t table, size_t key) {
  if (!reading) return;
  reading->due.erase({table, key});
  if (!reading->all_read || !reading->due.empty()) return;
  reading->Delivered(&world_);
  reading.reset();
}

// Of a history that was given up it is good up to where they part.
void Process::Reading::Delivered(simulation::World* world) const {
  const auto fork = replication::EndOfTimeline(world->database.timelines(), timeline);
  if (fork && seen > *fork) return;
  world->Note(absl::StrCat("the snapshot of ", seen.ToString(), " is delivered"));
  world->ledger.OnSnapshotDone(seen);
}

// What does not move says what it waits for.
void Process::Watch() {
  constexpr absl::Duration kPatience = absl::Seconds(30);
  const std::pair progress(world_.ledger.acknowledged(), world_.slot);
  const absl::Duration now = world_.time.Monotonic();
  const engine::ConnectorStatus status = board_.Read();
  const bool done = world_.ledger.complete() || now < world_.database.end();
  if (progress != progress_ || !runs() || dead_ || done ||
      status.state != engine::ConnectorState::kRunning) {
    progress_ = progress;
    progressed_ = now;
    return;
  }
  const absl::Time since =
      std::max({status.wait_since, status.activity_since,
                test::SimulatedTime::Epoch() + std::max(progressed_, stands_until_)});
  const bool silent = status.wait == engine::WaitReason::kNothing && !status.stall;
  if (silent && Now() - since > kPatience) {
    world_.ledger.Break(absl::StrCat(name_, " does not move and waits for nothing, ",
                                     engine::ActivityText(status.activity)));
  }
}

absl::StatusOr<std::unique_ptr<sink::Sink>> Process::OpenSink(const engine::ConnectorOptions&,
                                                              sink::Refusals*) {
  if (Step("OpenSink")) return Dead();
  if (world_.Happens(Fault::kRefuses)) return absl::UnavailableError("no broker");
  if (world_.policy.exactly_once) return std::make_unique<TransactionalSink>(&world_, this);
  return std::make_unique<BrokerSink>(&world_, this);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> Process::OpenOffsetStore(
    const engine::ConnectorOptions&) {
  if (Step("OpenOffsetStore")) return Dead();
  if (world_.policy.topic_store) return std::make_unique<TopicStore>(&world_, this);
  return std::make_unique<DiskStore>(&world_, this);
}

std::unique_ptr<slot::Source> Process::MakeSource(const slot::SourceOptions&) {
  return std::make_unique<Source>(&world_, this);
}

}  // namespace walduct::simulation
