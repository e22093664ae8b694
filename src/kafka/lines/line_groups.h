// LineGroups: of lines that differ by topic, partition and numbers alone one in a while, so that an
// outage, which makes a line for each partition, does not bury the others. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::kafka {

class LineGroups {
 public:
  // Of one kind: the last one that was not written, and how many were not.
  struct Withheld {
    std::string facility, text;
    uint64_t count = 0;
  };

  // Whether this one is to be written: the first of its kind is.
  bool Admit(absl::Duration now, absl::string_view facility, absl::string_view text);
  // Of the kinds whose time is over; they begin anew.
  std::vector<Withheld> Take(absl::Duration now);

 private:
  struct Group {
    absl::Duration since;
    Withheld withheld;
  };
  std::map<std::string, Group> groups_;  // by kind
};

// Without names of topics and partitions, and without numbers.
std::string KindOfLine(absl::string_view facility, absl::string_view text);

}  // namespace walduct::kafka
