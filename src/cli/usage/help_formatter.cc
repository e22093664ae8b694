#include "cli/usage/help_formatter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/documents.h"

namespace walduct::cli {
namespace {

// Where descriptions begin.
constexpr size_t kOfOptions = 32;
constexpr size_t kOfCommands = 14;

// Words in lines of at most so many columns; a single word may be longer.
std::vector<std::string> Wrapped(absl::string_view text, size_t width) {
  std::vector<std::string> lines;
  const std::string told = WithDocuments(text);
  for (const absl::string_view given : absl::StrSplit(told, '\n')) {
    std::string line;
    for (const absl::string_view word : absl::StrSplit(given, ' ', absl::SkipEmpty())) {
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      absl::StrAppend(&line, line.empty() ? "" : " ", word);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// "  name      what it is", and below it the rest of that.
std::string Row(const std::string& name, absl::string_view text, size_t column) {
  std::string row = absl::StrCat("  ", name);
  if (text.empty()) return row + "\n";
  // Two spaces at least stand between them.
  if (row.size() + 2 > column) {
    row += "\n";
    row.append(column, ' ');
  } else {
    row.append(column - row.size(), ' ');
  }
  const std::string between = "\n" + std::string(column, ' ');
  return absl::StrCat(row, absl::StrJoin(Wrapped(text, HelpFormatter::kWidth - column), between),
                      "\n");
}

// What an option takes: of "TEXT:{text,json}" and "TEXT:FILE" what is behind the colon.
std::string TypeOf(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  return absl::StartsWith(type, "TEXT:") ? type.substr(5) : type;
}

// "[CONNECTOR] [FILE]" is what words stand for that are told apart later.
bool SaysItsWords(const CLI::Option& option) {
  return option.get_positional() && absl::StartsWith(option.get_type_name(), "[");
}

std::string NameOf(const CLI::Option& option) {
  const std::string type = TypeOf(option);
  if (SaysItsWords(option)) return type;
  const std::string name = option.get_name(option.get_positional(), !option.get_positional());
  const bool values = absl::StartsWith(type, "{");
  return type.empty() || (option.get_positional() && !values) ? name
                                                              : absl::StrCat(name, " ", type);
}

std::string TextOf(const CLI::Option& option) {
  std::string text = option.get_description();
  std::vector<std::string> asides;
  if (option.get_required()) asides.emplace_back("required");
  if (!option.get_default_str().empty())
    asides.push_back(absl::StrCat("default: ", option.get_default_str()));
  if (!option.get_envname().empty())
    asides.push_back(absl::StrCat("environment: ", option.get_envname()));
  for (const CLI::Option* other : option.get_excludes())
    asides.push_back(absl::StrCat("not with ", other->get_name()));
  for (const CLI::Option* other : option.get_needs())
    asides.push_back(absl::StrCat("with ", other->get_name()));
  if (asides.empty()) return text;
  return absl::StrCat(text, text.empty() ? "(" : " (", absl::StrJoin(asides, "; "), ")");
}

void AddOptions(const CLI::App& command, bool positional, absl::string_view title,
                std::string* out) {
  std::string rows;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() == positional && !option->get_group().empty())
      absl::StrAppend(&rows, Row(NameOf(*option), TextOf(*option), kOfOptions));
  }
  if (!rows.empty()) absl::StrAppend(out, "\n", title, ":\n", rows);
}

void AddCommands(const CLI::App& command, std::string* out) {
  std::vector<std::string> groups;
  for (const CLI::App* one : command.get_subcommands({})) {
    if (!one->get_group().empty() &&
        std::find(groups.begin(), groups.end(), one->get_group()) == groups.end())
      groups.push_back(one->get_group());
  }
  for (const std::string& group : groups) {
    absl::StrAppend(out, "\n", group, ":\n");
    for (const CLI::App* one : command.get_subcommands({})) {
      // The first line says what it does, the rest is for its own help.
      const std::vector<std::string> text = absl::StrSplit(one->get_description(), '\n');
      if (one->get_group() == group)
        absl::StrAppend(out, Row(one->get_name(), text.front(), kOfCommands));
    }
  }
}

std::string Usage(const CLI::App& command, const std::string& path) {
  std::string usage = absl::StrCat("\nUsage: ", path);
  if (!command.get_subcommands({}).empty()) return usage + " COMMAND [OPTIONS]\n";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = SaysItsWords(*option) ? TypeOf(*option) : option->get_name();
    const bool bare = option->get_required() || SaysItsWords(*option);
    absl::StrAppend(&usage, bare ? " " : " [", name, bare ? "" : "]");
  }
  return usage + " [OPTIONS]\n";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* command, std::string path,
                                     CLI::AppFormatMode) const {
  std::string help = absl::StrCat(absl::StrJoin(Wrapped(command->get_description(), kWidth), "\n"),
                                  "\n", Usage(*command, path.empty() ? command->get_name() : path));
  AddOptions(*command, true, "Arguments", &help);
  AddCommands(*command, &help);
  AddOptions(*command, false, "Options", &help);
  if (const std::string footer = command->get_footer(); !footer.empty())
    absl::StrAppend(&help, "\n", footer, "\n");
  return help;
}

}  // namespace walduct::cli
