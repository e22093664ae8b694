// WatchKeys: the keyboard while something is watched: a key counts at once and is not shown. The
// terminal is as before once this is gone. Where there is none, or somebody else has it (&), no key
// is heard.
#pragma once

#include <termios.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::cli {

class WatchKeys {
 public:
  WatchKeys();
  ~WatchKeys();
  WatchKeys(const WatchKeys&) = delete;
  WatchKeys& operator=(const WatchKeys&) = delete;

  // To wait on; -1: no key is heard.
  int fd() const;
  // q, Q, or the end of what is typed.
  bool LeaveAsked();

 private:
  std::optional<termios> before_;
};

// Above what is watched: what it is, when that was, how to leave. keys: they are heard.
std::string WatchHead(absl::string_view url, absl::Time now, absl::TimeZone zone, bool keys);

}  // namespace walduct::cli
