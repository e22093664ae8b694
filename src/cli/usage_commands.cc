#include <CLI/CLI.hpp>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {

int ShowHelp(const Arguments& arguments) {
  Arguments ignored;
  CLI::App app;
  DescribeCommands(&app, &ignored);
  const CLI::App* command = &app;
  std::string path;
  for (const std::string& name : arguments.help_of) {
    absl::StrAppend(&path, path.empty() ? "" : " ", command->get_name());
    command = FindCommand(*command, name);
    if (command == nullptr) {
      Refuse(absl::StrCat("there is no command '", absl::StrJoin(arguments.help_of, " "),
                          "'; walduct help lists them"));
      return engine::kExitConfiguration;
    }
  }
  std::cout << command->help(path);
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
