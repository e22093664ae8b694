// What a shell offers for the word that is being typed: commands, options, the values an option
// knows, reasons of errors. The scripts of deploy/completion ask by `walduct complete WORD...`.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace CLI {
class App;
}

namespace walduct::cli {

struct Completion {
  struct Candidate {
    std::string word, description;
  };
  std::vector<Candidate> candidates;
  bool files = false;  // any file's name fits
};

// words: after the program's name; the last is being typed and may be empty.
Completion Complete(const CLI::App& app, absl::Span<const std::string> words);

// A line for each candidate: the word, a tab, its description. A lone ":files" asks for names of
// files.
std::string CompletionText(const Completion& completion);

}  // namespace walduct::cli
