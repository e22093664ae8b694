// ConnectorLoader, Operations: what rooms loader and operate make of a connector's configuration as
// it was sent.
//
// Thread-safety: any thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "config/load_report.h"
#include "config/sources.h"
#include "event/change_id.h"
#include "serve/plugins/validation.h"
#include "serve/topics/config_map.h"

namespace walduct::engine {
class Connectors;
struct ConnectorOptions;
struct SlotAddress;
}  // namespace walduct::engine
namespace walduct::loader {
struct LoadResult;
}  // namespace walduct::loader
namespace walduct::metrics {
class TopicBoard;
}  // namespace walduct::metrics
namespace walduct::operate {
struct Accepts;
struct OutboxRowsRequest;
}  // namespace walduct::operate

namespace walduct::serve {

// A configuration as the engine takes it; without options there are errors.
struct Loaded {
  std::shared_ptr<const engine::ConnectorOptions> options;
  std::shared_ptr<metrics::TopicBoard> topics;  // what it writes to; null: not known
  std::vector<std::string> errors;
};

class ConnectorLoader {
 public:
  // worker: its file and overrides. url: where the worker answers, for commands in hints.
  ConnectorLoader(config::LoadRequest worker, std::string url, const Environment& environment)
      : request_(std::move(worker)), url_(std::move(url)), environment_(environment) {}
  virtual ~ConnectorLoader() = default;

  // To be run: warnings go to the log. Reads files, reaches no server.
  virtual Loaded Load(const ConfigMap& config) const;
  // What a configuration is judged by beside the definitions. Borrows this.
  virtual ValidationQuestions Questions() const;
  // As `walduct validate` would.
  loader::LoadResult Read(const ConfigMap& config) const;
  // All slots that it reads; of one that is refused what its text says, references resolved. What
  // that does not tell of a server, "host:port", is empty: ":5432".
  std::vector<engine::SlotAddress> SlotsOf(const ConfigMap& config) const;
  // Its properties alone.
  std::vector<config::PropertyReport> Properties(const ConfigMap& config) const;

 private:
  // With the values of what its server and slot are called by, as far as they can be read, whatever
  // else of it is refused.
  ConfigMap WithAddress(ConfigMap config) const;

  const config::LoadRequest request_;
  const std::string url_;
  const Environment environment_;
};

// What room operate does beside a worker's connector. Each call blocks; FailedPrecondition: the
// configuration is not one that runs.
class Operations {
 public:
  // Slots of a server that others than this connector are to read, here or elsewhere.
  using SlotsOfOthers =
      std::function<std::set<std::string>(const std::string& connector, const std::string& server)>;
  // The same of publications of a database.
  using PublicationsOfOthers = std::function<std::set<std::string>(const std::string& connector,
                                                                   const std::string& database)>;
  // Pointers are borrowed.
  Operations(const ConnectorLoader* loader, const engine::Connectors* connectors,
             const Environment& environment, SlotsOfOthers slots_of_others = nullptr,
             PublicationsOfOthers publications_of_others = nullptr)
      : loader_(*loader),
        connectors_(*connectors),
        environment_(environment),
        slots_of_others_(std::move(slots_of_others)),
        publications_of_others_(std::move(publications_of_others)) {}
  virtual ~Operations() = default;

  // Writes a signal, {"id": …, "type": …, "data": {…}}, where the connector reads it: its id, and
  // where it is. running: what runs of it here; null: nothing does.
  using Sent = std::pair<std::string, std::string>;
  virtual absl::StatusOr<Sent> SendSignal(
      const ConfigMap& config, const std::shared_ptr<const engine::ConnectorOptions>& running,
      const std::string& signal) const;
  // Of options that nothing runs by any more: whether what that signal, which was left with the
  // process, asked for was stored before.
  virtual bool WasCarriedOut(const engine::ConnectorOptions& ended, const std::string& id) const;
  // The stored position goes with the order to skip a change; what to say.
  absl::StatusOr<std::string> SkipChange(const ConfigMap& config,
                                         const event::ChangeId& change) const;
  // What a doctor finds, as JSON.
  absl::StatusOr<std::string> Examine(const ConfigMap& config) const;
  // What is known of a gap, as JSON (recover::PlanFactsJson).
  absl::StatusOr<std::string> PlanRecovery(const ConfigMap& config) const;
  // What is asked about rows of its outbox tables, as JSON; see operate::AskOutboxRows.
  virtual absl::StatusOr<std::string> AskOutboxRows(
      const ConfigMap& config, const operate::OutboxRowsRequest& request) const;
  // Moves the stored position, or forgets it; what that means.
  struct Move {
    std::string lsn;  // empty: forgets it
    int slot = 0;     // see operate::OffsetMove
    bool accept_loss = false, accept_foreign = false, drop_slot = false;
  };
  absl::StatusOr<std::string> MovePosition(const ConfigMap& config, const Move& move) const;
  // Stores positions from elsewhere, the body of Connect's PATCH …/offsets; what that means. See
  // operate::WriteOffsets.
  absl::StatusOr<std::string> ImportPosition(const ConfigMap& config, const std::string& body,
                                             operate::Accepts accepts) const;

 private:
  using Options = engine::ConnectorOptions;
  absl::StatusOr<std::string> With(
      const ConfigMap& config,
      const std::function<absl::StatusOr<std::string>(const Options&)>& ask) const;
  std::set<std::string> OthersOf(const Options& options) const;

  const ConnectorLoader& loader_;
  const engine::Connectors& connectors_;
  const Environment environment_;
  const SlotsOfOthers slots_of_others_;                // null: nobody knows
  const PublicationsOfOthers publications_of_others_;  // the same
};

}  // namespace walduct::serve
