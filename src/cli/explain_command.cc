#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/reasons/reasons.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {

int Explain(const Arguments& arguments) {
  if (arguments.reason.empty()) {
    std::cout << admin::ReasonsPage();
    return engine::kExitClean;
  }
  if (const admin::Reason* reason = admin::FindReason(arguments.reason)) {
    std::cout << admin::ExplainReason(*reason);
    return engine::kExitClean;
  }
  const auto similar = admin::SimilarReasons(arguments.reason);
  Refuse(absl::StrCat("there is no reason '", arguments.reason, "'; ",
                      similar.empty() ? "" : absl::StrCat(absl::StrJoin(similar, ", "), "? "),
                      "walduct explain prints all of them"));
  return engine::kExitConfiguration;
}

}  // namespace walduct::cli
