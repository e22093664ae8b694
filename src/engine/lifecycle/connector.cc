#include "engine/lifecycle/connector.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/configuration/runtime_options.h"

namespace walduct::engine {

Connector::Connector(Options options, World& world)
    : options_(std::move(options)),
      board_(options_.config.name, world.clock(), options_.changed),
      control_(mailbox_, board_),
      lifecycle_({.config = &options_.config,
                  .goal = options_.goal,
                  .mode = options_.mode,
                  .world = &world,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_}) {}

std::string Connector::metric_name() const {
  return absl::StrCat(TopicPrefixOf(options_.config), options_.config.runtime->metric_tags);
}

bool Connector::counts_per_table() const { return options_.config.runtime->counts_per_table; }

void Connector::Start() {
  mailbox_.Post(Command::kStart);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (started_) return;
  started_ = true;
  thread_ = std::thread([this] { lifecycle_.Run(); });
}

void Connector::Quit() {
  mailbox_.Post(Command::kQuit);
  const std::lock_guard<std::mutex> lock(mutex_);
  started_ = true;  // never again
  if (thread_.joinable()) thread_.join();
}

}  // namespace walduct::engine
