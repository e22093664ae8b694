#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/reasons/reasons.h"
#include "base/lsn.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
int Explain(const Arguments& arguments) {
  if (arguments.reason.empty()) {
    std::cout << admin::ReasonsPage();
    return engine::kExitClean;
  }
  if (const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.reason); lsn.ok()) {
    return ExplainLsn(*lsn, arguments);
  }
  if (const admin::Reason* reason = admin::FindReason(arguments.reason)) {
    std::cout << admin::ExplainReason(*reason);
    return engine::kExitClean;
  }
  const auto similar = admin::SimilarReasons(arguments.reason);
  Refuse(absl::StrCat("there is no reason '", arguments.reason, "'; ",
                      similar.empty() ? "" : absl::StrCat(absl::StrJoin(similar, ", "), "? "),
                      "walduct explain prints all of them; an LSN is written 0/16B3748"));
  return engine::kExitConfiguration;
}

}  // namespace walduct::cli
