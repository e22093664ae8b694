// The tables that the stored position knows, beside those of the server. Declared in checks.h.
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/doctor/checks.h"
#include "engine/incremental/new_tables.h"
#include "engine/incremental/table_gaps.h"
#include "engine/world/slots/slot_tables.h"
#include "incremental/options/incremental_options.h"
#include "names/table_filter.h"
#include "replication/coverage.h"
#include "replication/options.h"
#include "replication/slot.h"

namespace walduct::engine {
namespace {

constexpr size_t kMostNamed = 5;
// No row of a catalog has it.
constexpr Oid kNextStart{0xFFFFFFFF};

// What the next start adds to a filtered publication, of what was sent before.
void AddAsAStartDoes(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                     replication::Coverage* coverage) {
  for (const postgres::TableName& table : captured) {
    const auto now = coverage->tables.find(table.relation);
    if (now == coverage->tables.end() || now->second.sent || !known.tables.contains(NameOf(table)))
      continue;
    now->second.sent = true;
    now->second.named_by = {kNextStart};
  }
}

Finding FindingOf(TableGap::Kind kind, const std::vector<std::string>& tables, bool reads) {
  std::vector<std::string> named = tables;
  if (named.size() > kMostNamed) named.resize(kMostNamed);
  const std::string names =
      absl::StrCat(absl::StrJoin(named, ", "), tables.size() > named.size() ? ", …" : "");
  Finding finding{.severity = reads ? Severity::kNotice : Severity::kWarning,
                  .reason = "captured_tables_changed",
                  .message = {},
                  .hint = {}};
  finding.message = absl::StrCat("since the stored position, ", DescribeGap(kind),
                                 reads ? " read by the next start (" : " not sent (", tables.size(),
                                 "): ", names);
  if (!reads)
    finding.hint =
        absl::StrCat("walduct signal execute-snapshot --table ", tables.front(),
                     ", or walduct.snapshot.new.tables=incremental before the next start");
  return finding;
}

absl::Status Compare(postgres::Connection& connection, const Subject& subject,
                     const KnownTables& known, Findings* findings) {
  postgres::Catalog catalog(connection);
  ASSIGN_OR_RETURN(const SlotTables captured, FindSlotTables({.connection = connection,
                                                              .catalog = catalog,
                                                              .share = subject.replication.share,
                                                              .tables = subject.tables}));
  ASSIGN_OR_RETURN(
      replication::Coverage coverage,
      replication::ReadCoverage(connection, subject.replication.publication_name, captured.own));
  if (subject.replication.publication_autocreate == replication::PublicationAutocreate::kFiltered)
    AddAsAStartDoes(known, captured.own, &coverage);
  std::map<TableGap::Kind, std::vector<std::string>> gaps;
  for (const TableGap& gap : FindGaps(known, true, captured.own, coverage)) {
    if (gap.kind != TableGap::Kind::kReplaced && NameOf(gap.table) != subject.tables.signal_table)
      gaps[gap.kind].push_back(NameOf(gap.table));
  }
  const bool reads = subject.whole.incremental->reads_new_tables;
  for (const auto& [kind, tables] : gaps) findings->Add(FindingOf(kind, tables, reads));
  return absl::OkStatus();
}

}  // namespace

// OIDs of another server say nothing of this one's.
void CheckKnownTables(postgres::Connection& connection, const Subject& subject,
                      const KnownPosition& position, Findings* findings) {
  if (!position.stored) return;
  const auto member = position.stored->foreign.find(NewTables::kMember);
  if (member == position.stored->foreign.end()) return;
  const std::optional<KnownTables> known = DecodeKnownTables(member->second);
  if (!known) return;
  const absl::StatusOr<postgres::Result> system = connection.Query(
      postgres::Rows(1), "SELECT system_identifier FROM pg_catalog.pg_control_system()");
  if (!system.ok() || system->rows() != 1 ||
      system->Get(0, 0) != position.stored->system_identifier)
    return;
  findings->Add(Compare(connection, subject, *known, findings), Severity::kNotice);
}

}  // namespace walduct::engine
