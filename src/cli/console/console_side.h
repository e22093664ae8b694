// ConsoleSide: what a process keeps and answers for its console: the last hour of its connectors,
// the last lines of its log, their configurations with secrets masked. Where the console is off
// nothing is kept.
//
// Thread-safety: any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "admin/console/console_pages.h"
#include "admin/console/history.h"
#include "config/load_report.h"
#include "console/console.h"
#include "serve/topics/config_map.h"
#include "serve/worker/worker.h"

namespace walduct::cli {

class ConsoleSide {
 public:
  // Of parts all but history, which is here. Begins at once.
  ConsoleSide(const console::ConsoleOptions& options, const admin::ConsolePages::Parts& parts);

  absl::StatusOr<std::string> Answer(absl::string_view what, const std::string& name,
                                     uint64_t after) const {
    return pages_.Answer(what, name, after);
  }

 private:
  static admin::ConsolePages::Parts With(admin::History* history, admin::ConsolePages::Parts parts);

  admin::History history_;
  const admin::ConsolePages pages_;
};

// Of a configuration as it was sent: each of its properties as `walduct validate` would print it.
// What the report does not know is masked.
admin::ShownConfig Masked(const serve::ConfigMap& config,
                          const std::vector<config::PropertyReport>& report);

// All of a worker's topics.
std::vector<admin::KnownConnector> KnownTo(const serve::Worker& worker);

}  // namespace walduct::cli
