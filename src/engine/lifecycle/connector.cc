#include "engine/lifecycle/connector.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/configuration/runtime_options.h"

namespace walduct::engine {
namespace {

ConnectorNames NamesOf(const ConnectorOptions& options, bool served) {
  ConnectorNames names = engine::NamesOf(options);
  names.served = served;
  return names;
}

}  // namespace

Connector::Connector(Options options, World& world)
    : options_(std::move(options)),
      world_(world),
      slot_place_(options_.mode == RunMode::kRun ? world.PlaceOfSlot(options_.config)
                                                 : std::nullopt),
      names_(NamesOf(options_.config, options_.served)),
      board_(options_.config.name, world.clock(), options_.changed),
      control_(mailbox_, board_),
      lifecycle_({.config = &options_.config,
                  .goal = options_.goal,
                  .mode = options_.mode,
                  .world = &world,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {
  board_.SetNames(names_);
}

std::string Connector::metric_name() const {
  return absl::StrCat(TopicPrefixOf(options_.config), options_.config.runtime->metric_tags);
}

bool Connector::counts_per_table() const { return options_.config.runtime->counts_per_table; }

void Connector::BeginWatch() { metrics_.lag.Watch(world_.clock().Now()); }

void Connector::ShowLook(const replication::SlotLook& look, absl::Duration now) {
  shower_.Show(look, now, world_.clock(), names_, status(), &metrics_);
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
    : config_(std::move(config)),
      world_(world),
      slot_place_(world.PlaceOfSlot(config_)),
      names_(NamesOf(config_, /*served=*/true)) {
  status_.name = config_.name;
  status_.state = state;
  status_.state_since = status_.activity_since = status_.wait_since = world.clock().Now();
  status_.wait = WaitReason::kCommand;
}

void RestingConnector::BeginWatch() { metrics_.lag.Watch(world_.clock().Now()); }

void RestingConnector::ShowLook(const replication::SlotLook& look, absl::Duration now) {
  shower_.Show(look, now, world_.clock(), names_, status_, &metrics_);
}

}  // namespace walduct::engine
