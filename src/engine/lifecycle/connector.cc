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

Connector::Connector(Options options, Host& world)
    : options_(std::move(options)),
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

RestingConnector::RestingConnector(ConnectorOptions config, ConnectorState state, Clock& clock)
    : config_(std::move(config)), names_(NamesOf(config_, /*served=*/true)) {
  status_.name = config_.name;
  status_.state = state;
  status_.state_since = status_.activity_since = status_.wait_since = clock.Now();
  status_.wait = WaitReason::kCommand;
}

}  // namespace walduct::engine
