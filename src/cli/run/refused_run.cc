#include "cli/run/refused_run.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "base/error.h"
#include "http/address.h"

namespace walduct::cli {
namespace {

void Note(const WantedRun& wanted, LastEnd how) {
  if (wanted.leaves_no_note) return;
  absl::string_view listen = wanted.listen;
  absl::ConsumePrefix(&listen, "https://");
  how.state = "FAILED";
  how.at = Clock::Real().Now();
  how.message = absl::StrCat("refused at the start: ", how.message);
  // Port 0: it would not listen.
  NoteRefused(wanted.connectors, http::ParseAddress(listen).value_or(http::Address()), how);
}

}  // namespace

int RefuseRun(const WantedRun& wanted, const std::vector<std::string>& errors) {
  std::string told = errors.empty() ? "" : errors.front();
  if (errors.size() > 1) absl::StrAppend(&told, ", and ", errors.size() - 1, " more");
  LastEnd how;
  how.exit_code = engine::kExitConfiguration;
  how.message = told;
  how.hint = "walduct validate with the same files says all that is wrong";
  Note(wanted, how);
  return engine::kExitConfiguration;
}

engine::ExitCode EndUnheard(const WantedRun& wanted, const absl::Status& error, int exit_code) {
  LastEnd how;
  how.exit_code = exit_code;
  how.message = std::string(error.message());
  how.reason = ErrorReason(error);
  how.hint = ErrorHint(error);
  Note(wanted, how);
  return static_cast<engine::ExitCode>(exit_code);
}

}  // namespace walduct::cli
