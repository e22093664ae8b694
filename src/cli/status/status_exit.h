// What `walduct status` exits with once it has an answer: the worst of what it shows. Other codes
// are those of every command (engine/errors/error_policy.h): 0 to 5.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::cli {

enum StatusExit : int {
  kStatusFine = 0,    // all run, or are paused or stopped as asked
  kStatusFailed = 6,  // a connector has failed, or its slot is lost, or of no use to a start
  // One is stalled, does not get to its servers, misses changes, is about to lose its slot, or
  // nobody can look at slot and catalog; or no worker of its group runs it.
  kStatusTroubled = 7,
  kStatusWorkerWaits = 8,  // the worker, for Kafka, its topics or the group
  kStatusStandsBy = 9,     // another worker serves the group
};

// json: an answer of /status. connector: only this one; empty: all.
StatusExit StatusExitOf(absl::string_view json, absl::string_view connector);

}  // namespace walduct::cli
