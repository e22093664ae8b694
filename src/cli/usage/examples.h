// What may be typed, a few lines for each command: below its help, and in its manual page.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace CLI {
class App;
}

namespace walduct::cli {

struct Example {
  absl::string_view command;  // "offsets import"; empty: of walduct itself
  absl::string_view line;
};

absl::Span<const Example> AllExamples();

// Adds its examples to the footer of every command.
void AddExamples(CLI::App* app);

}  // namespace walduct::cli
