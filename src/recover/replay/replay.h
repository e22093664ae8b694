// What a replay is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "recover/run/recovery.h"
#include "sink/sink_type.h"

namespace walduct::recover {

// An LSN, or a time.
struct ReplayEnd {
  std::string text;  // as it was typed
  Lsn lsn = {};      // 0/0: a time
  int64_t time_us = 0;
};
// InvalidArgument: neither, or a time without its zone.
absl::StatusOr<ReplayEnd> ParseReplayEnd(absl::string_view option, absl::string_view text);

struct ReplayOptions {
  RecoveryOptions recovery;
  ReplayEnd since, until;
  std::string to;  // topic.prefix
  uint64_t segment_bytes = 0;
};

// A property by which a connector writes to one place, whatever its topics are called.
struct LivePlace {
  std::string property, value;
  std::string instead;  // an assignment that does as well as another value; empty: none
};
std::vector<LivePlace> LivePlaces(const sink::PropertyText& live);

}  // namespace walduct::recover
