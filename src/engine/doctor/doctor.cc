#include "engine/doctor/doctor.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/doctor/checks.h"
#include "postgres/connection.h"
#include "postgres/host_checks.h"

namespace walduct::engine {

absl::string_view SeverityText(Severity severity) {
  switch (severity) {
    case Severity::kNotice:
      return "notice";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

Findings Examine(const Subject& subject, const Environment& environment) {
  Findings findings;
  NameServer(subject, &findings);
  const auto connection = OpenToLook(subject, environment, postgres::SessionKind::kSql);
  findings.Add(connection.status());
  std::vector<std::string> topics;
  if (connection.ok()) {
    findings.asked.push_back(
        absl::StrCat("PostgreSQL ", (*connection)->server_version_text(), " at ",
                     postgres::HostAndPort((*connection)->host(), (*connection)->port()),
                     (*connection)->shared() ? ", whose sessions a connection pooler shares" : ""));
    CheckSettings(**connection, environment, &findings);
    topics = CheckTables(**connection, subject, environment, &findings);
  }
  const KnownPosition position = CheckKafka(subject, environment, topics, &findings);
  CheckRegistries(subject, &findings);
  if (connection.ok()) {
    CheckSlots(**connection, subject, position, environment, &findings);
    CheckKnownTables(**connection, subject, position, &findings);
    CheckMasks(**connection, subject, position, &findings);
    CheckStandby(**connection, subject, position, environment, &findings);
  }
  std::stable_sort(findings.all.begin(), findings.all.end(),
                   [](const auto& a, const auto& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace walduct::engine
