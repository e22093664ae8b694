// Guess: what a forgiving start reads out of a configuration that Debezium refuses or trips over.
// Every guess says what it is in words and which line to write instead; with walduct.strict=true a
// guess is an error with the same line. Pure functions; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "config/properties/findings.h"

namespace walduct::transform {

struct Guess {
  std::string text;  // "column 'aggregateid' does not exist; 'aggregate_id' is taken for the key"
  std::string line;  // "transforms.outbox.table.field.event.key=aggregate_id"
};

// A warning, or with walduct.strict an error, with the line to write instead.
void ReportGuess(const Guess& guess, bool strict, config::Findings* findings);

// InvalidArgument outbox_strict with every guess and its line; guesses must not be empty.
absl::Status RefuseGuesses(absl::string_view what, const std::vector<Guess>& guesses);

}  // namespace walduct::transform
