#include "cli/run/refused_run.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/configuration.h"
#include "cli/process/last_end.h"
#include "http/address.h"

namespace walduct::cli {
namespace {

// The port that it would have listened on; port 0: none.
http::Address WantedAddress(const Arguments& arguments,
                            const std::vector<loader::LoadResult>& results) {
  std::string listen = arguments.listen;
  for (const loader::LoadResult& result : results)
    if (listen.empty()) listen = ReportedValue(result, "walduct.listen");
  absl::string_view place = listen;
  absl::ConsumePrefix(&place, "https://");
  return http::ParseAddress(place).value_or(http::Address());
}

void Note(const Arguments& arguments, const std::vector<loader::LoadResult>& results,
          const LastEnd& how) {
  if (arguments.command != Command::kRun) return;
  NoteRefused(NotedOf(results, arguments.connector_files), WantedAddress(arguments, results), how);
}

}  // namespace

int RefuseRun(const Arguments& arguments, const std::vector<loader::LoadResult>& results) {
  std::string told;
  size_t more = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const std::string& error : results[i].errors) {
      if (told.empty())
        told = absl::StrCat(arguments.connector_files[i], ": ", error);
      else
        ++more;
    }
  }
  if (more > 0) absl::StrAppend(&told, ", and ", more, " more");
  Note(arguments, results,
       {.connector = {},
        .state = "FAILED",
        .exit_code = engine::kExitConfiguration,
        .at = Clock::Real().Now(),
        .message = absl::StrCat("refused at the start: ", told),
        .hint = "walduct validate with the same files says all that is wrong"});
  return engine::kExitConfiguration;
}

engine::ExitCode EndUnheard(const Arguments& arguments,
                            const std::vector<loader::LoadResult>& results,
                            const absl::Status& error) {
  const int exit_code = PrintStatus(error);
  Note(arguments, results,
       {.connector = {},
        .state = "FAILED",
        .exit_code = exit_code,
        .at = Clock::Real().Now(),
        .message = absl::StrCat("refused at the start: ", error.message()),
        .reason = ErrorReason(error),
        .hint = ErrorHint(error)});
  return static_cast<engine::ExitCode>(exit_code);
}

}  // namespace walduct::cli
