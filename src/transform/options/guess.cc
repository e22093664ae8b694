#include "transform/options/guess.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"

namespace walduct::transform {

void ReportGuess(const Guess& guess, bool strict, config::Findings* findings) {
  if (strict) {
    findings->AddError(
        absl::StrCat("walduct.strict=true guesses nothing: ", guess.text, "; write ", guess.line));
  } else {
    findings->AddWarning(absl::StrCat(guess.text, "; better write ", guess.line));
  }
}

absl::Status RefuseGuesses(absl::string_view what, const std::vector<Guess>& guesses) {
  const auto text = [](std::string* out, const Guess& guess) {
    absl::StrAppend(out, guess.text, "; write ", guess.line);
  };
  const auto line = [](std::string* out, const Guess& guess) { absl::StrAppend(out, guess.line); };
  return Error(absl::StatusCode::kInvalidArgument, "outbox_strict",
               absl::StrCat(what, ": walduct.strict=true does not guess: ",
                            absl::StrJoin(guesses, "; ", text)),
               absl::StrJoin(guesses, "\n", line));
}

}  // namespace walduct::transform
