// Flags that several commands take, and commands with many of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"

namespace walduct::cli {

// -f, -w and -o.
void AddConfiguration(CLI::App* command, Arguments* arguments, bool required);

// --log-level and --log-format.
void AddListen(CLI::App* command, Arguments* arguments);
void AddRecovery(CLI::App* app, Arguments* arguments);
void AddLogging(CLI::App* command, Arguments* arguments);

// The names of a map; help shows them alone.
template <typename Map>
CLI::Validator OneOf(const Map& values) {
  const std::string names = absl::StrJoin(
      values, ",", [](std::string* out, const auto& value) { out->append(value.first); });
  // Not CheckedTransformer: that takes numbers, too, and prints them.
  const auto find = [values, names](std::string& text) -> std::string {
    for (const auto& [name, value] : values) {
      if (text != name) continue;
      text = std::to_string(static_cast<int>(value));
      return "";
    }
    return absl::StrCat("'", text, "' is none of ", names);
  };
  return CLI::Validator(find, absl::StrCat("{", names, "}"));
}

// Where a running process answers; what is typed wins over the environment. Gives what is to be
// done once the command is parsed, and has it done.
std::function<void()> AddProcess(CLI::App* command, Arguments* arguments);

// Both of them, and what is no flag: the connector of a running process, unless -f names one; then
// what else there is. behind: says of help what that is; empty: nothing.
struct ConnectorWords {
  CLI::Option* option;
  // Once the command is parsed: what stands behind the connector; absent: `wrong` says why.
  std::function<std::optional<std::vector<std::string>>()> take;
};
ConnectorWords AddConnectorWords(CLI::App* command, Arguments* arguments,
                                 const std::string& behind);

// The same with one value (null: there is none), which says what it is.
void AddOfConnector(CLI::App* command, Arguments* arguments, std::string* value, bool required,
                    const char* what);

void AddDemo(CLI::App* app, Arguments* arguments);
void AddOutbox(CLI::App* app, Arguments* arguments);

}  // namespace walduct::cli
