// Interface: Kafka Connect's REST interface of a worker, and beside it the pages of room admin
// (/metrics, /livez, /readyz, /status, /notifications) for those who do not ask for JSON alone.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "event/change_id.h"
#include "http/message.h"
#include "rest/access/passwords.h"
#include "rest/loggers/logger_board.h"
#include "rest/offsets.h"
#include "rest/plugins/validation.h"
#include "rest/worker.h"

namespace walduct::rest {

// The parts of a path, decoded, without the first slash and empty ends.
using Path = std::vector<std::string>;

class Interface final : public http::Handler {
 public:
  // Pointers are borrowed.
  struct Parts {
    Worker* worker = nullptr;
    InternalTopics* topics = nullptr;
    http::Handler* pages = nullptr;  // of room admin
    Clock* clock = nullptr;
    ValidationQuestions questions;
    // Writes a signal, {"id": …, "type": …, "data": {…}}, where such a connector reads it. Its id,
    // and where it is.
    using Sent = std::pair<std::string, std::string>;
    std::function<absl::StatusOr<Sent>(const ConfigMap& config, const std::string& signal)> signal;
    // The stored position of such a connector goes with the order to skip a change; what to say.
    std::function<absl::StatusOr<std::string>(const ConfigMap& config,
                                              const event::ChangeId& change)>
        skip = {};
    // What a doctor finds of such a connector, as JSON.
    std::function<absl::StatusOr<std::string>(const ConfigMap& config)> doctor = {};
    // Moves the stored position of such a connector, or forgets it; what that means.
    struct Move {
      std::string lsn;  // empty: forgets it
      bool accept_loss = false, drop_slot = false;
    };
    std::function<absl::StatusOr<std::string>(const ConfigMap& config, const Move& move)> move = {};
    std::string log_level;  // "INFO"
    // What the worker waits for now, as "waits for …"; empty: for nothing. Null: never.
    std::function<std::string()> waits = {};
  };
  explicit Interface(Parts parts);

  // Before it, and after Close, connectors are not spoken of: the worker says what it waits for.
  // cluster_id: Kafka's.
  void Open(std::string cluster_id);
  void Close() { open_ = false; }

  // What a listener lets through.
  struct Entrance {
    bool admin = true;                     // /admin/…
    bool others = true;                    // all else
    const Passwords* passwords = nullptr;  // borrowed; null: nobody is asked
  };
  http::Response Answer(const http::Request& request, const Entrance& entrance);
  http::Response Handle(const http::Request& request) override { return Answer(request, {}); }

 private:
  using Method = http::Response (Interface::*)(const Path&, const http::Request&);
  struct Route;
  static const std::vector<Route>& Routes();

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
  http::Response MovePosition(const Path& path, const http::Request& request);
  http::Response Signal(const Path& path, const http::Request& request);

  http::Response ListPlugins(const Path& path, const http::Request& request);
  http::Response PluginConfig(const Path& path, const http::Request& request);
  http::Response ValidatePlugin(const Path& path, const http::Request& request);

  http::Response Loggers(const Path& path, const http::Request& request);
  http::Response GetLogger(const Path& path, const http::Request& request);
  http::Response PutLogger(const Path& path, const http::Request& request);

  http::Response Configured(const std::string& name, const ConfigMap& config,
                            const http::Request& request, bool expects);
  http::Response Changed(const std::string& name, TargetState target, int status);
  // OK, or why this configuration is not taken.
  absl::Status Check(const ConfigMap& config) const;
  std::string Waits() const { return parts_.waits ? parts_.waits() : ""; }
  static std::string PlaceOf(const std::string& name, const http::Request& request);

  const Parts parts_;
  LoggerBoard loggers_;
  Offsets offsets_;
  Mutex mutex_;
  std::string cluster_id_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> open_{false};
};

}  // namespace walduct::rest
