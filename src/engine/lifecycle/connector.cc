#include "engine/lifecycle/connector.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/configuration/runtime_options.h"

namespace walduct::engine {

Connector::Connector(Options options, World& world)
    : options_(std::move(options)),
      world_(world),
      slot_place_(options_.mode == RunMode::kRun ? world.PlaceOfSlot(options_.config)
                                                 : std::nullopt),
      board_(options_.config.name, world.clock(), options_.changed),
      control_(mailbox_, board_),
      lifecycle_({.config = &options_.config,
                  .goal = options_.goal,
                  .mode = options_.mode,
                  .world = &world,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {
  ConnectorNames names = NamesOf(options_.config);
  names.served = options_.served;
  board_.SetNames(std::move(names));
}

std::string Connector::metric_name() const {
  return absl::StrCat(TopicPrefixOf(options_.config), options_.config.runtime->metric_tags);
}

bool Connector::counts_per_table() const { return options_.config.runtime->counts_per_table; }

void Connector::BeginWatch() { metrics_.lag.Watch(world_.clock().Now()); }

void Connector::ShowLook(const replication::SlotLook& look, absl::Duration now) {
  shower_.Show(look, now, world_.clock(), name(), status().activity == Activity::kNone, &metrics_);
}

void Connector::Start() {
  mailbox_.Post(Command::kStart);
  const MutexLock lock(mutex_);
  if (started_) return;
  started_ = true;
  thread_ = std::thread([this] { lifecycle_.Run(); });
}

void Connector::Quit() {
  mailbox_.Post(Command::kQuit);
  const MutexLock lock(mutex_);
  started_ = true;  // never again
  if (thread_.joinable()) thread_.join();
}

RestingConnector::RestingConnector(ConnectorOptions config, ConnectorState state, World& world)
    : config_(std::move(config)), world_(world), slot_place_(world.PlaceOfSlot(config_)) {
  status_.name = config_.name;
  status_.state = state;
  status_.state_since = status_.activity_since = status_.wait_since = world.clock().Now();
  status_.wait = WaitReason::kCommand;
}

void RestingConnector::BeginWatch() { metrics_.lag.Watch(world_.clock().Now()); }

void RestingConnector::ShowLook(const replication::SlotLook& look, absl::Duration now) {
  shower_.Show(look, now, world_.clock(), config_.name, /*rests=*/true, &metrics_);
}

}  // namespace walduct::engine
