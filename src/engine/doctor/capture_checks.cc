// Captured tables against the publication. Declared in checks.h.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "engine/doctor/checks.h"
#include "engine/world/capture/capture_lines.h"
#include "names/table_filter.h"
#include "replication/capture/capture_catalog.h"
#include "replication/capture/capture_judge.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/slot.h"

namespace walduct::engine {
namespace {

using postgres::Connection;
using replication::PublicationAutocreate;

// What other questions find of the same matter.
constexpr std::array<absl::string_view, 4> kAskedElsewhere = {
    "publication_missing", "publication_refuses_writes", "table_in_two_publications",
    "unlogged_table"};

bool IsSaid(const Findings& findings, absl::string_view reason) {
  const auto same = [reason](const Finding& finding) { return finding.reason == reason; };
  return std::any_of(findings.all.begin(), findings.all.end(), same) ||
         std::find(kAskedElsewhere.begin(), kAskedElsewhere.end(), reason) != kAskedElsewhere.end();
}

absl::StatusOr<std::vector<metrics::CaptureProblem>> FindProblems(Connection& connection,
                                                                  const Subject& subject) {
  const replication::SlotShare& share = subject.replication.share;
  std::vector<std::string> names;
  for (const std::string& name :
       share.several() ? share.publications : std::vector{subject.replication.publication_name}) {
    ASSIGN_OR_RETURN(std::string resolved, replication::ResolvePublicationName(connection, name));
    names.push_back(std::move(resolved));
  }
  ASSIGN_OR_RETURN(const replication::CaptureFacts facts,
                   replication::ReadCaptureFacts(connection, names));
  names::TableFilterOptions tables = subject.tables;
  tables.share = nullptr;
  const names::TableFilter filter(std::move(tables));
  const std::function<bool(const replication::TableFacts&)> admits =
      [&filter](const replication::TableFacts& table) {
        return filter.Includes(table.schema, table.table);
      };
  const bool filtered =
      subject.replication.publication_autocreate == PublicationAutocreate::kFiltered;
  const replication::CaptureWish wish{.admits = &admits,
                                      .share = &share,
                                      .lists_given = subject.tables.lists_anything(),
                                      .filtered = filtered,
                                      .follows = subject.replication.publication_follow,
                                      .signal_table = subject.tables.signal_table};
  CaptureLines lines;
  lines.Saw(replication::JudgeCapture(facts, wish, {}).findings, {.now = absl::Time()});
  lines.SawTheSame();
  return lines.Problems(wish);
}

}  // namespace

void CheckCapture(Connection& connection, const Subject& subject, Findings* findings) {
  const auto slot = replication::InspectSlot(connection, subject.replication.slot_name);
  // Before a first start nothing is lost, and it adds what it needs.
  if (!slot.ok() || !*slot) return;
  const auto problems = FindProblems(connection, subject);
  findings->Add(problems.status());
  if (!problems.ok()) return;
  for (const metrics::CaptureProblem& problem : *problems) {
    if (IsSaid(*findings, problem.reason)) continue;
    findings->Add({.severity = problem.loses ? Severity::kWarning : Severity::kNotice,
                   .reason = problem.reason,
                   .message = absl::StrCat(problem.message, " (", problem.count,
                                           "): ", absl::StrJoin(problem.tables, ", ")),
                   .hint = problem.hint});
  }
}

}  // namespace walduct::engine
