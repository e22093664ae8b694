// What a command line says that cannot be understood, and what may have been meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace walduct::cli {

struct Mistake {
  std::string message, hint;
  bool nothing_typed = false;  // a command was to follow: its help says which there are
};

// words: behind the program's name, for which CLI11 says `said`.
Mistake FindMistake(const CLI::App& app, const std::vector<std::string>& words,
                    const std::string& said);

// "walduct offsets import": as far as the words name commands. *command: the last of them.
std::string CommandPath(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::App** command);

// There is no such command below that one, whose path it is.
Mistake UnknownCommand(const CLI::App& command, const std::string& path, const std::string& typed);

}  // namespace walduct::cli
