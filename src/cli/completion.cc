#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "admin/reasons/reasons.h"
#include "cli/arguments.h"

namespace walduct::cli {
namespace {

// Where the words before the last one have led.
struct Reached {
  const CLI::App* command = nullptr;
  const CLI::Option* option = nullptr;  // its value comes next
};

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

Reached Follow(const CLI::App& app, absl::Span<const std::string> words) {
  Reached place{.command = &app};
  for (const std::string& word : words) {
    if (word == "=") continue;  // bash takes --option=value apart
    if (place.option != nullptr) {
      place.option = nullptr;
    } else if (absl::StartsWith(word, "-")) {
      const CLI::Option* option = place.command->get_option_no_throw(word);
      if (option != nullptr && TakesValue(*option)) place.option = option;
    } else if (const CLI::App* next = FindCommand(*place.command, word)) {
      place.command = next;
    }
  }
  return place;
}

class Offer {
 public:
  explicit Offer(absl::string_view typed) : typed_(typed) {}

  void Add(absl::string_view word, absl::string_view description) {
    if (!absl::StartsWith(word, typed_)) return;
    // The first line says what it is; a shell shows one.
    completion_.candidates.push_back(
        {std::string(word), std::string(description.substr(0, description.find('\n')))});
  }

  // The type's name lists them: "TEXT:{text,json}".
  void AddValues(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (absl::StrContains(type, "FILE")) completion_.files = true;
    if (absl::StartsWith(type, "REASON")) AddReasons();
    const size_t begin = type.find('{');
    if (begin == std::string::npos || type.back() != '}') return;
    const std::string values = type.substr(begin + 1, type.size() - begin - 2);
    for (const absl::string_view value : absl::StrSplit(values, ',')) Add(value, "");
  }

  void AddOptions(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames())
        Add(absl::StrCat("--", name), option->get_description());
    }
  }

  void AddCommands(const CLI::App& command) {
    for (const CLI::App* next : command.get_subcommands({}))
      Add(next->get_name(), next->get_description());
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional()) AddValues(*option);
    }
  }

  Completion Take() && { return std::move(completion_); }

 private:
  void AddReasons() {
    for (const admin::ReasonGroup& group : admin::ReasonGroups()) {
      for (const admin::Reason& reason : group.reasons) Add(reason.name, reason.meaning);
    }
  }

  absl::string_view typed_;
  Completion completion_;
};

}  // namespace

Completion Complete(const CLI::App& app, absl::Span<const std::string> words) {
  if (words.empty()) return {};
  const Reached place = Follow(app, words.first(words.size() - 1));
  const absl::string_view typed = words.back() == "=" ? "" : absl::string_view(words.back());
  Offer offer(typed);
  if (place.option != nullptr) {
    offer.AddValues(*place.option);
  } else if (absl::StartsWith(typed, "-")) {
    offer.AddOptions(*place.command);
  } else {
    offer.AddCommands(*place.command);
  }
  return std::move(offer).Take();
}

std::string CompletionText(const Completion& completion) {
  std::string text;
  for (const Completion::Candidate& candidate : completion.candidates)
    absl::StrAppend(&text, candidate.word, "\t", candidate.description, "\n");
  if (completion.files) absl::StrAppend(&text, ":files\n");
  return text;
}

}  // namespace walduct::cli
