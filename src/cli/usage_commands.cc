#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/configuration.h"
#include "cli/usage/completion_scripts.h"
#include "cli/usage/mistakes.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {

int ShowHelp(const Arguments& arguments) {
  Arguments ignored;
  CLI::App app;
  DescribeCommands(&app, &ignored);
  const CLI::App* command = nullptr;
  const std::string path = CommandPath(app, arguments.help_of, &command);
  const size_t known = static_cast<size_t>(std::count(path.begin(), path.end(), ' '));
  if (known < arguments.help_of.size()) {
    const Mistake mistake = UnknownCommand(*command, path, arguments.help_of[known]);
    Refuse(mistake.message);
    std::cerr << "hint: " << mistake.hint << "\n";
    return engine::kExitConfiguration;
  }
  std::cout << command->get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal);
  return engine::kExitClean;
}

int PrintCompletionScript(const Arguments& arguments) {
  std::cout << (arguments.shell == "zsh"    ? kZshCompletion
                : arguments.shell == "fish" ? kFishCompletion
                                            : kBashCompletion);
  return engine::kExitClean;
}

int PrintCompletions(const Arguments& arguments) {
  Arguments ignored;
  CLI::App app;
  DescribeCommands(&app, &ignored);
  std::cout << CompletionText(Complete(app, arguments.words));
  return engine::kExitClean;
}

}  // namespace walduct::cli
