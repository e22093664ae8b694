// ConsolePages: what the console's page asks of the process, as JSON. A page of all connectors is
// asked for every few seconds, so that it is small: a row has what a list shows, and nothing more.
//
// Thread-safety: any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "admin/connect_pages.h"
#include "admin/console/history.h"
#include "admin/process_view.h"

namespace walduct::admin {

// A connector that a worker has in its topics, whether it runs here or not.
struct KnownConnector {
  std::string name;
  std::string state;   // "RUNNING", as asked for
  std::string task;    // "FAILED"; empty: it has none
  std::string trace;   // of a task that never began
  bool other = false;  // of another class: it is listed and left alone
  // Of a group that shares: the worker that has it, and where that one answers; empty: this one.
  std::string on = {}, url = {};
};

class ConsolePages {
 public:
  struct Parts {
    const engine::Connectors* connectors = nullptr;  // borrowed, as are the next three
    Clock* clock = nullptr;
    const WorkerBoard* board = nullptr;  // of a worker; null: it is none
    History* history = nullptr;
    // All of a worker's; null: those that run are all.
    std::function<std::vector<KnownConnector>()> known = nullptr;
    // The properties of a connector as they may be shown. NotFound.
    std::function<absl::StatusOr<ShownConfig>(const std::string& name)> config = nullptr;
  };
  explicit ConsolePages(Parts parts) : parts_(std::move(parts)) {}

  // what: "list", or one of a connector (or a reason) of that name: "connector", "history", "log",
  // "config", "reason". after: lines of the log behind that number. NotFound.
  absl::StatusOr<std::string> Answer(absl::string_view what, const std::string& name,
                                     uint64_t after) const;

 private:
  std::string ListJson() const;
  absl::StatusOr<std::string> ConnectorJson(const std::string& name) const;
  std::string HistoryJson(const std::string& name) const;
  absl::StatusOr<std::string> ConfigJson(const std::string& name) const;
  ProcessView View() const;

  const Parts parts_;
};

// A word and how bad it is, as an operator looks for it.
struct Verdict {
  std::string word;        // "RUNNING", "FAILED", "slot lost"
  absl::string_view kind;  // "bad", "warn", "good", "none": as it was asked to be
  std::string about;       // of what is wrong or waited for; empty: it does what it is for
};
Verdict VerdictOf(const ShownConnector& one, const ProcessView& process);

}  // namespace walduct::admin
