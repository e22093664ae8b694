#include <rapidjson/document.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/reasons/alerts.h"
#include "admin/reasons/reasons.h"
#include "base/documents.h"
#include "base/edit_distance.h"
#include "base/json.h"
#include "base/lsn.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/running_process.h"
#include "cli/status/status_values.h"
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

// Neither a reason, nor a connector of the process that was asked, if one answers.
int ExplainNothing(const Arguments& given) {
  const Arguments arguments = WithListenerOfFiles(given);
  const http::Server server = ServerOf(arguments);
  const absl::StatusOr<std::string> status = Ask(server, "/status");
  std::vector<std::string> names;
  if (status.ok()) {
    const rapidjson::Document document = json::Parse(*status);
    for (const char* const which : {"connectors", "resting"}) {
      const rapidjson::Value* const all = Connectors(document, which);
      if (all == nullptr) continue;
      for (const rapidjson::Value& one : all->GetArray()) names.push_back(Text(one, "name"));
    }
  }
  std::vector<std::string> similar = SimilarNames(arguments.reason, names);
  for (const absl::string_view reason : admin::SimilarReasons(arguments.reason))
    similar.emplace_back(reason);
  const std::string meant = similar.empty() ? "" : absl::StrCat(absl::StrJoin(similar, ", "), "? ");
  Refuse(status.ok()
             ? absl::StrCat("neither a reason nor a connector of the process at ",
                            http::WithoutLogin(server.url), " is named '", arguments.reason, "'; ",
                            meant, "walduct explain prints all reasons, ",
                            Typed(server, "status", ""),
                            " all connectors; an LSN is written 0/16B3748")
             : absl::StrCat("there is no reason '", arguments.reason,
                            "', and no process answers at ", http::WithoutLogin(server.url),
                            " that could have a connector of that name; ", meant,
                            "walduct explain prints all reasons; an LSN is written 0/16B3748"));
  return engine::kExitConfiguration;
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
  return ExplainNothing(arguments);
}

}  // namespace walduct::cli
