#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/reasons/alerts.h"
#include "admin/reasons/reasons.h"
#include "base/documents.h"
#include "base/lsn.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"
#include "operate/commands/sqlstate.h"

namespace walduct::cli {
namespace {

int ExplainSqlState(const std::string& sqlstate) {
  const std::vector<std::string> reasons = operate::ReasonsOfSqlState(sqlstate);
  if (reasons.empty()) {
    std::cout << sqlstate
              << " is an SQLSTATE that has no reason of its own here; the server's message says "
                 "what it is, and PostgreSQL's documentation: appendix \"Error Codes\"\n";
    return engine::kExitClean;
  }
  std::cout << sqlstate << " is an SQLSTATE of PostgreSQL; its errors have the reason "
            << absl::StrJoin(reasons, " or ") << "\n";
  for (const std::string& name : reasons) {
    if (const admin::Reason* reason = admin::FindReason(name))
      std::cout << "\n" << WithDocuments(admin::ExplainReason(*reason));
  }
  return engine::kExitClean;
}

}  // namespace

int Explain(const Arguments& arguments) {
  if (arguments.reason.empty() && !arguments.connector_files.empty())
    return ExplainConnector(arguments);
  if (arguments.reason.empty()) {
    std::cout << admin::ReasonsPage();
    return engine::kExitClean;
  }
  if (const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.reason); lsn.ok()) {
    return ExplainLsn(*lsn, arguments);
  }
  if (const admin::Reason* reason = admin::FindReason(arguments.reason)) {
    std::cout << WithDocuments(admin::ExplainReason(*reason));
    return engine::kExitClean;
  }
  if (const std::string alert = admin::ExplainAlert(arguments.reason); !alert.empty()) {
    std::cout << WithDocuments(alert);
    return engine::kExitClean;
  }
  if (operate::IsSqlState(arguments.reason)) return ExplainSqlState(arguments.reason);
  if (ExplainConnector(arguments) == engine::kExitClean) return engine::kExitClean;
  const auto similar = admin::SimilarReasons(arguments.reason);
  Refuse(absl::StrCat("there is no reason '", arguments.reason, "'; ",
                      similar.empty() ? "" : absl::StrCat(absl::StrJoin(similar, ", "), "? "),
                      "walduct explain prints all of them; an LSN is written 0/16B3748"));
  return engine::kExitConfiguration;
}

}  // namespace walduct::cli
