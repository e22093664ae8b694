// Service: a worker from its start to its end. It waits for its topics and for its part of the
// group, runs what the topics say, answers Connect's REST interface, and goes back to waiting when
// another worker takes over.
//
// Thread-safety: one caller; what it hands out says for itself.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "admin/status_handler.h"
#include "admin/worker_board.h"
#include "base/environment.h"
#include "config/sources.h"
#include "engine/control/stop_signal.h"
#include "engine/lifecycle/connectors.h"
#include "http/listener.h"
#include "serve/access_handler.h"
#include "serve/assignment/one_seat.h"
#include "serve/assignment/shared_group.h"
#include "serve/rest/connect_handler.h"
#include "serve/topics/kafka_topics.h"
#include "serve/topics/worker_options.h"
#include "serve/worker/connector_loader.h"
#include "serve/worker/resting.h"
#include "serve/worker/worker.h"

namespace walduct::serve {

class Service {
 public:
  // request: the worker's file and overrides. connectors and stop are borrowed.
  Service(WorkerOptions options, const config::LoadRequest& request, absl::string_view log_level,
          const Environment& environment, engine::Connectors* connectors, engine::StopSignal* stop);

  ~Service() { topics_.Unfollow(); }

  // What stands before the pages of a listener that has more than /admin; borrows them.
  using Front = std::function<std::unique_ptr<http::Handler>(http::Handler& pages)>;
  absl::Status Listen(const Front& front);
  std::vector<http::Address> addresses() const;

  // Until a stop is asked for, or what cannot be waited for; the connectors go on. watch: called
  // every second while they run.
  absl::Status Run(const std::function<void()>& watch);
  // It has served, if only for a while.
  bool served() const { return served_; }
  // The connectors have ended: says so in the status topic, and leaves a group that shares them.
  void Leave();

  const std::string& group() const { return options_.group_id; }
  const access::AccessOptions& access() const { return options_.access; }
  const Worker& worker() const { return worker_; }
  const ConnectorLoader& loader() const { return loader_; }
  const admin::WorkerBoard& board() const { return board_; }
  const admin::StatusHandler& pages() const { return pages_; }
  admin::StatusHandler& pages() { return pages_; }

 private:
  std::vector<admin::IdleConnector> Known() const;
  std::optional<engine::ConnectorError> RefusedOf(const std::string& name) const;
  void Wait(absl::Duration wait) { environment_.poller->WaitReadable({stop_.fd()}, wait); }
  // Also until something else is seen of the group.
  void WaitForNews(absl::Duration wait);
  absl::Status TakeTurn();
  absl::Status TryTurn();
  absl::Status AwaitSeat();
  absl::Status Follow();
  void OnFollowed(const InternalTopics::Followed& record);
  kafka::SeatVerdict Judge(bool serves, const absl::Status& topics = absl::OkStatus());
  void LookForUnconfigured();
  void Serve(const std::function<void()>& watch);

  const WorkerOptions options_;
  const Environment environment_;
  engine::StopSignal& stop_;
  admin::WorkerBoard board_;
  OneSeat seat_;  // before those that ask it
  KafkaTopics topics_;
  SharedGroup shared_;  // of a group that shares connectors
  const ConnectorLoader loader_;
  const Operations operations_;
  bool served_ = false;
  access::SessionKeys keys_;
  std::atomic<bool> plan_read_{false}, states_read_{false};  // to their ends
  absl::Duration next_comparison_;
  Worker worker_;
  RestingConnectors resting_;
  admin::StatusHandler pages_;
  ConnectHandler connect_;
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<std::unique_ptr<http::Listener>> listeners_;  // last: they use what is above
};

}  // namespace walduct::serve
