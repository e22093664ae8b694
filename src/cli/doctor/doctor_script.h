// What `walduct doctor --fix` prints: the commands of the findings' hints as one script for a
// shell. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "operate/doctor/subject/finding.h"

namespace walduct::cli {

struct ScriptTarget {
  std::string connector;
  std::string host, port, database;  // as libpq takes them
};

// The commands that a hint begins with, or names behind ": ": SQL, and those of Kafka's scripts.
// None of what destroys something or is a choice.
std::vector<std::string> CommandsOf(absl::string_view hint);

// What scripts that are run one behind the other have done, by server.
using DoneCommands = std::set<std::string>;

// Each finding as a comment, its commands below it, but for what is done already; what has none is
// left to the reader.
std::string FixScript(const ScriptTarget& target, const std::vector<operate::Finding>& findings,
                      DoneCommands* done);

}  // namespace walduct::cli
