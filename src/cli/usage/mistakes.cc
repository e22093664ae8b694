#include "cli/usage/mistakes.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/edit_distance.h"

namespace walduct::cli {
namespace {

// Null: a command has no such subcommand.
const CLI::App* Below(const CLI::App& command, const std::string& name) {
  for (const CLI::App* one : command.get_subcommands({})) {
    if (one->get_name() == name) return one;
  }
  return nullptr;
}

// "name", "name or other", "a, b or c"
std::string Either(const std::vector<std::string>& names) {
  if (names.size() < 2) return absl::StrJoin(names, "");
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return absl::StrCat(absl::StrJoin(first, ", "), " or ", names.back());
}

std::string DidYouMean(const std::vector<std::string>& names) {
  return names.empty() ? "" : absl::StrCat("; did you mean ", Either(names), "?");
}

std::string HelpOf(const std::string& path) {
  const std::vector<std::string> words = absl::StrSplit(path, ' ');
  const std::vector<std::string> behind(words.begin() + 1, words.end());
  return absl::StrCat("walduct help", behind.empty() ? "" : " ", absl::StrJoin(behind, " "),
                      behind.empty() ? " lists the commands" : " shows how it is used");
}

std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  return names;
}

// "--databse" of "--databse=x"; empty: it is no option, or the command has it.
std::string UnknownOption(const CLI::App& command, const std::string& word) {
  if (!absl::StartsWith(word, "--") || word.size() < 3) return "";
  const std::string name = word.substr(0, word.find('='));
  return command.get_option_no_throw(name) == nullptr ? name : "";
}

// A word that is needed, without CLI11's advice.
std::string Sentence(const std::string& said) {
  const std::vector<std::string> lines = absl::StrSplit(said, '\n');
  return lines.front();
}

}  // namespace

std::string CommandPath(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::App** command) {
  *command = &app;
  std::string path = app.get_name();
  for (const std::string& word : words) {
    const CLI::App* const next = Below(**command, word);
    if (next == nullptr) break;
    *command = next;
    absl::StrAppend(&path, " ", word);
  }
  return path;
}

Mistake UnknownCommand(const CLI::App& command, const std::string& path, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands({})) names.push_back(one->get_name());
  return {.message = absl::StrCat("there is no command '", path, " ", typed, "'",
                                  DidYouMean(SimilarNames(typed, names))),
          .hint = HelpOf(path)};
}

Mistake FindMistake(const CLI::App& app, const std::vector<std::string>& words,
                    const std::string& said) {
  const CLI::App* command = nullptr;
  const std::string path = CommandPath(app, words, &command);
  const size_t depth = static_cast<size_t>(std::count(path.begin(), path.end(), ' '));
  if (!command->get_subcommands({}).empty()) {
    if (depth >= words.size())
      return {.message = absl::StrCat("a command is to follow: ", path, " COMMAND"),
              .hint = HelpOf(path),
              .nothing_typed = true};
    if (!absl::StartsWith(words[depth], "-")) return UnknownCommand(*command, path, words[depth]);
  }
  for (size_t i = depth; i < words.size() && words[i] != "--"; ++i) {
    const std::string option = UnknownOption(*command, words[i]);
    if (option.empty()) continue;
    return {.message = absl::StrCat(path, " has no option '", option, "'",
                                    DidYouMean(SimilarNames(option, OptionsOf(*command)))),
            .hint = HelpOf(path)};
  }
  return {.message = Sentence(said), .hint = HelpOf(path)};
}

}  // namespace walduct::cli
