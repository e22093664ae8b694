// ConnectHandler: Kafka Connect's REST interface of a worker, and beside it the pages of room admin
// (/metrics, /livez, /readyz, /status, /notifications) for those who do not ask for JSON alone.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "access/passwords.h"
#include "admin/worker_board.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "http/message.h"
#include "serve/rest/forwarder.h"
#include "serve/rest/internal_requests.h"
#include "serve/rest/logger_board.h"
#include "serve/topics/offsets.h"
#include "serve/worker/resting.h"
#include "serve/worker/worker.h"

namespace walduct::operate {
struct OutboxRowsRequest;
}

namespace walduct::serve {

// The parts of a path, decoded, without the first slash and empty ends.
using Path = std::vector<std::string>;

class ConnectHandler final : public http::Handler {
 public:
  // Pointers are borrowed.
  struct Parts {
    Worker* worker = nullptr;
    InternalTopics* topics = nullptr;
    http::Handler* pages = nullptr;  // of room admin
    Clock* clock = nullptr;
    const ConnectorLoader* loader = nullptr;
    const Operations* operations = nullptr;
    RestingConnectors* resting = nullptr;  // null: nobody looks at those that do not run
    // What the worker waits for; null: for nothing, ever.
    admin::WorkerBoard* board = nullptr;
    std::string log_level;  // "INFO"
    std::string url = {};   // of this worker, for other ones; empty: none
    BetweenWorkers between = {};
    // With a connector that begins.
    absl::Duration patience = absl::Seconds(15);
    // With a group whose leader, or a connector whose worker, has just ended.
    absl::Duration succession = absl::Seconds(3);
  };
  explicit ConnectHandler(Parts parts);

  // Before it, and after Close, connectors are not spoken of: the worker says what it waits for.
  // cluster_id: Kafka's.
  void Open(std::string cluster_id);
  void Close() { open_ = false; }
  // A level that was set for all workers, by another one or by this one.
  void FollowLogger(const std::string& logger, absl::string_view value);

  // What a listener lets through.
  struct Entrance {
    bool admin = true;                             // /admin/…
    bool others = true;                            // all else
    const access::Passwords* passwords = nullptr;  // borrowed; null: nobody is asked
  };
  http::Response Answer(const http::Request& request, const Entrance& entrance);
  http::Response Handle(const http::Request& request) override { return Answer(request, {}); }

 private:
  // Who waits has a thread of the listener.
  static constexpr int kMostWait = 4;
  using Method = http::Response (ConnectHandler::*)(const Path&, const http::Request&);
  struct Route;
  static const std::vector<Route>& Routes();
  // Absent: it is a client's, or signed by a worker of this group.
  std::optional<http::Response> OfAnotherGroup(const http::Request& request);
  std::optional<http::Response> PageElsewhere(const http::Request& request) const;
  std::optional<std::string> UrlOfDoer(const Route& route, const Path& path) const;
  std::optional<std::string> AwaitDoer(const Route& route, const Path& path,
                                       const std::string& but);
  std::optional<http::Response> Elsewhere(const Route& route, const Path& path,
                                          const http::Request& request);

  std::string NotOpen() const;
  http::Response Root(const Path& path, const http::Request& request);
  http::Response Health(const Path& path, const http::Request& request);
  http::Response Pages(const http::Request& request, const Entrance& entrance);
  http::Response InternalRequest(const Path& path, const http::Request& request);

  http::Response List(const Path& path, const http::Request& request);
  http::Response Create(const Path& path, const http::Request& request);
  http::Response Info(const Path& path, const http::Request& request);
  http::Response Delete(const Path& path, const http::Request& request);
  http::Response GetConfig(const Path& path, const http::Request& request);
  http::Response PutConfig(const Path& path, const http::Request& request);
  http::Response PatchConfig(const Path& path, const http::Request& request);
  http::Response Status(const Path& path, const http::Request& request);
  http::Response Tasks(const Path& path, const http::Request& request);
  http::Response TaskStatus(const Path& path, const http::Request& request);
  http::Response RestartTask(const Path& path, const http::Request& request);
  http::Response Restart(const Path& path, const http::Request& request);
  http::Response Pause(const Path& path, const http::Request& request);
  http::Response Resume(const Path& path, const http::Request& request);
  http::Response Stop(const Path& path, const http::Request& request);
  http::Response Topics(const Path& path, const http::Request& request);
  http::Response ResetTopics(const Path& path, const http::Request& request);
  http::Response GetOffsets(const Path& path, const http::Request& request);
  http::Response PatchOffsets(const Path& path, const http::Request& request);
  http::Response DeleteOffsets(const Path& path, const http::Request& request);

  http::Response Skip(const Path& path, const http::Request& request);
  http::Response Doctor(const Path& path, const http::Request& request);
  http::Response Recovery(const Path& path, const http::Request& request);
  http::Response OutboxRows(const Path& path, const http::Request& request);
  http::Response ChangeOutboxRows(const Path& path, const http::Request& request);
  http::Response MovePosition(const Path& path, const http::Request& request);
  http::Response ImportPosition(const Path& path, const http::Request& request);
  http::Response AnswerOfRows(const std::string& name,
                              const absl::StatusOr<operate::OutboxRowsRequest>& asked);
  // to: for the log. change: what to say.
  using Change = std::function<absl::StatusOr<std::string>()>;
  http::Response ChangePosition(const std::string& name, const http::Request& request,
                                absl::string_view to, const Change& change_position);
  http::Response Signal(const Path& path, const http::Request& request);

  http::Response ListPlugins(const Path& path, const http::Request& request);
  http::Response PluginConfig(const Path& path, const http::Request& request);
  http::Response ValidatePlugin(const Path& path, const http::Request& request);

  http::Response Loggers(const Path& path, const http::Request& request);
  http::Response GetLogger(const Path& path, const http::Request& request);
  http::Response PutLogger(const Path& path, const http::Request& request);

  http::Response Configured(const std::string& name, const ConfigMap& config,
                            const http::Request& request, bool expects,
                            std::optional<uint64_t> made_of = std::nullopt);
  http::Response Changed(const std::string& name, TargetState target, int status);
  // OK, or why this configuration is not taken.
  absl::Status Check(const ConfigMap& config) const;
  // "waits for …"; empty: for nothing.
  std::string Waits() const { return parts_.board == nullptr ? "" : parts_.board->Read().Text(); }
  static std::string PlaceOf(const std::string& name, const http::Request& request);

  const Parts parts_;
  LoggerBoard loggers_;
  Offsets offsets_;
  InternalRequests internal_requests_;
  std::atomic<int> waiting_{0};  // for connectors that begin, and for other workers
  Mutex mutex_;
  std::string cluster_id_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> open_{false};
};

}  // namespace walduct::serve
