// What `walduct status` prints: the answer of /status as lines for people. Pure.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::cli {

struct ScreenOptions {
  std::string connector;  // only this one; empty: all
  bool colour = false;
  std::string url = {};  // whom commands in advice are to ask; empty: they find it
  // A look before this one, for rates; empty: none, and how long ago.
  std::string before = {};
  absl::Duration between = {};
};

// InvalidArgument: no connector of that name; Internal: json is not an answer of /status.
absl::StatusOr<std::string> StatusScreen(absl::string_view json, const ScreenOptions& options);

}  // namespace walduct::cli
