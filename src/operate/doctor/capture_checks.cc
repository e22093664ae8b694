// Captured tables against the publication, and against those that the stored position knows.
// Declared in checks.h.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/errors/named_hint.h"
#include "incremental/options/incremental_options.h"
#include "names/called.h"
#include "names/table_filter.h"
#include "operate/doctor/checks.h"
#include "postgres/table_argument.h"
#include "replication/capture/capture_catalog.h"
#include "replication/capture/capture_judge.h"
#include "replication/capture/idle_entries.h"
#include "replication/coverage.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/publication/renamed_publication.h"
#include "replication/publication_name.h"
#include "replication/slot.h"
#include "route/message_keys.h"
#include "slot/incremental/new_tables.h"
#include "slot/incremental/table_gaps.h"
#include "slot/masks/column_cover.h"
#include "slot/masks/mask_guard.h"
#include "slot/masks/mask_memory.h"
#include "slot/world/capture/capture_lines.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/capture/column_entries.h"
#include "slot/world/capture/list_problems.h"
#include "slot/world/reads/table_columns.h"
#include "slot/world/slots/slot_tables.h"

namespace walduct::operate {
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

std::vector<names::TableFilter> FiltersOf(
    const std::vector<const names::TableFilterOptions*>& lists) {
  std::vector<names::TableFilter> filters;
  for (const names::TableFilterOptions* const one : lists) {
    names::TableFilterOptions tables = *one;
    tables.share = nullptr;
    filters.emplace_back(std::move(tables));
  }
  return filters;
}

// By which the stored position was read; 0: it is not known, or not by that name here.
Oid ReadBy(const KnownPosition& position, const replication::CaptureFacts& facts) {
  if (!position.stored) return Oid{};
  const slot::KnownTables known = slot::KnownTablesIn(position.stored->members);
  const auto named = facts.names.find(known.publication);
  return named != facts.names.end() && named->second == known.called ? known.publication : Oid{};
}

// Of incremental snapshots, as capture_options.cc has it for the look beside the stream.
bool LeavesKeylessOut(const Subject& subject) {
  return !subject.incremental.reads_by_place && !subject.message_keys;
}

absl::StatusOr<std::vector<metrics::CaptureProblem>> FindProblems(Connection& connection,
                                                                  const Subject& subject,
                                                                  const KnownPosition& position) {
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
  const std::vector<names::TableFilter> others = FiltersOf(subject.sharing);
  const std::function<bool(const replication::TableFacts&)> others_admit =
      [&others](const replication::TableFacts& table) {
        return std::any_of(others.begin(), others.end(), [&table](const names::TableFilter& one) {
          return one.Includes(table.schema, table.table);
        });
      };
  const bool filtered =
      subject.replication.publication_autocreate == PublicationAutocreate::kFiltered;
  const replication::CaptureWish wish{.admits = &admits,
                                      .share = &share,
                                      .lists_given = subject.tables.lists_anything(),
                                      .filtered = filtered,
                                      .follows = subject.replication.publication_follow,
                                      .may_be_empty = subject.replication.allow_empty,
                                      .signal_table = subject.tables.signal_table,
                                      .heartbeat_query = subject.heartbeat.action_query,
                                      .role = engine::NamesOf(subject.whole).role,
                                      .deletes_signals = subject.incremental.deletes_watermarks,
                                      .called = engine::CalledOf(subject.whole),
                                      .lists = &subject.tables,
                                      .others_admit = &others_admit,
                                      .publications_of_others = subject.publications_of_others};
  replication::CaptureMemory memory;
  memory.read_by = ReadBy(position, facts);
  replication::CaptureVerdict verdict = replication::JudgeCapture(facts, wish, memory);
  if (LeavesKeylessOut(subject))
    RETURN_IF_ERROR(replication::MarkKeyless(connection, facts.tables, &verdict.findings));
  slot::CaptureLines lines;
  lines.Saw(std::move(verdict.findings), {.now = absl::Time()});
  lines.SawTheSame();
  return lines.Problems(wish);
}

Finding FindingOf(const metrics::CaptureProblem& problem) {
  return {.severity = problem.loses ? Severity::kWarning : Severity::kNotice,
          .reason = problem.reason,
          .message = metrics::MessageWithTables(problem),
          .hint = problem.hint};
}

constexpr size_t kMostNamed = 5;
// No row of a catalog has it.
constexpr Oid kNextStart{0xFFFFFFFF};

// What the next start adds to a filtered publication, of what was sent before. What is named, and
// comes under another name, it leaves alone.
void AddAsAStartDoes(const slot::KnownTables& known,
                     const std::vector<postgres::TableName>& captured,
                     replication::Coverage* coverage) {
  for (const postgres::TableName& table : captured) {
    const auto now = coverage->tables.find(table.relation);
    if (now == coverage->tables.end() || now->second.sent || !now->second.named_by.empty() ||
        slot::FindKnown(known, table) == nullptr)
      continue;
    now->second.sent = true;
    now->second.named_by = {kNextStart};
  }
}

// One command for all, where none needs a filter of its own.
std::string CommandOf(const std::vector<slot::TableGap>& gaps, const names::Called& called) {
  std::vector<std::string> arguments;
  for (const slot::TableGap& gap : gaps) {
    if (!gap.condition.empty()) return slot::CommandFor(gaps.front(), called);
    if (arguments.size() < kMostNamed)
      arguments.push_back(postgres::TableArgument(gap.table.schema, gap.table.table));
  }
  return names::SnapshotCommand(called, arguments);
}

// Of one kind.
Finding FindingOf(const std::vector<slot::TableGap>& gaps, bool reads,
                  const names::Called& called) {
  std::vector<std::string> named;
  for (const slot::TableGap& gap : gaps) {
    const std::string name = slot::NameOf(gap.table);
    named.push_back(gap.partition.empty() ? name : absl::StrCat(gap.partition, " (of ", name, ")"));
  }
  if (named.size() > kMostNamed) named.resize(kMostNamed);
  const std::string names =
      absl::StrCat(absl::StrJoin(named, ", "), gaps.size() > named.size() ? ", …" : "");
  const slot::TableGap& first = gaps.front();
  Finding finding{.severity = reads ? Severity::kNotice : Severity::kWarning,
                  .reason = first.kind == slot::TableGap::Kind::kAttached
                                ? "partition_attached"
                                : "captured_tables_changed",
                  .message = {},
                  .hint = {}};
  finding.message =
      absl::StrCat("since the stored position, ", slot::DescribeGap(first.kind),
                   reads ? " read by the next start (" : " not sent (", gaps.size(), "): ", names);
  if (!reads)
    finding.hint =
        absl::StrCat(CommandOf(gaps, called),
                     ", or walduct.snapshot.new.tables=incremental before the next start",
                     slot::MayLackDeletes(first.kind) ? "; " : "",
                     slot::MayLackDeletes(first.kind) ? names::DeletesNote(called) : "");
  return finding;
}

// A start makes it anew.
void TellOfNoPublication(const Subject& subject, Findings* findings) {
  findings->Add(
      {.severity = Severity::kError,
       .reason = "publication_missing",
       .message = absl::StrCat(
           "publication ", postgres::QuoteIdentifier(subject.replication.publication_name),
           " was dropped since the position was stored: a start makes it, and the server cannot "
           "decode by it what was written before"),
       .hint = ""});
}

// In the place of what is said of one that is missing, which loses what its new name still brings.
void TellOfRename(const absl::Status& renamed, Findings* findings) {
  std::erase_if(findings->all, [](const Finding& finding) {
    return finding.reason == "publication_missing" || finding.reason == "publication_not_permitted";
  });
  findings->Add(renamed);
}

// The server decodes a change by the publications as they were when it was written.
absl::Status ComparePublication(postgres::Connection& connection, const Subject& subject,
                                const slot::KnownTables& known,
                                const replication::Coverage& coverage, Findings* findings) {
  ASSIGN_OR_RETURN(const auto slot,
                   replication::InspectSlot(connection, subject.replication.slot_name));
  const bool anew = known.publication != Oid{} && coverage.publication != Oid{} &&
                    known.publication != coverage.publication;
  if (slot && coverage.publication == Oid{}) {
    const absl::Status renamed = replication::CheckNotRenamed(
        connection, subject.replication.publication_name, known.publication);
    if (ErrorReason(renamed) == "publication_other_name") {
      TellOfRename(renamed, findings);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(renamed);
    bool told = false;
    for (Finding& finding : findings->all) {
      if (finding.reason != "publication_missing") continue;
      finding.hint = engine::AndSlotAnew(finding.hint);
      told = true;
    }
    if (!told && known.publication != Oid{}) TellOfNoPublication(subject, findings);
  }
  if (!slot || !anew) return absl::OkStatus();
  const absl::Status other = replication::CheckSamePublication(
      connection, subject.replication.publication_name, known.publication);
  if (ErrorReason(other) == "publication_other_name") {
    TellOfRename(other, findings);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(other);
  findings->Add(
      {.severity = Severity::kError,
       .reason = "publication_missing",
       .message = absl::StrCat(
           "publication ", postgres::QuoteIdentifier(subject.replication.publication_name),
           " is another one than when the position was stored (OID ",
           ToInteger(coverage.publication), " now, ", ToInteger(known.publication),
           " then): the server cannot decode by it what was written before it was made, "
           "and a start fails at the first such change"),
       .hint = ""});
  return absl::OkStatus();
}

// By reason, as the connector shows them while it runs.
absl::Status TellLacks(postgres::Connection& connection, const Subject& subject,
                       const slot::KnownTables& known, Findings* findings) {
  if (known.lacks.empty()) return absl::OkStatus();
  const replication::CaptureWish wish{.called = engine::CalledOf(subject.whole)};
  std::vector<replication::CaptureFinding> lacking;
  for (const slot::Lack& lack : known.lacks) lacking.push_back(slot::FindingOf(lack, wish.called));
  if (LeavesKeylessOut(subject)) {
    ASSIGN_OR_RETURN(const replication::CaptureFacts facts,
                     replication::ReadCaptureFacts(connection, {}));
    RETURN_IF_ERROR(replication::MarkKeyless(connection, facts.tables, &lacking));
  }
  slot::CaptureLines lines;
  lines.Saw(std::move(lacking), {.now = absl::Time()});
  for (const metrics::CaptureProblem& problem : lines.Problems(wish))
    findings->Add(FindingOf(problem));
  return absl::OkStatus();
}

absl::Status Compare(postgres::Connection& connection, const Subject& subject,
                     const slot::KnownTables& known, Findings* findings) {
  postgres::Catalog catalog(connection);
  ASSIGN_OR_RETURN(const slot::SlotTables captured,
                   slot::FindSlotTables({.connection = connection,
                                         .catalog = catalog,
                                         .share = subject.replication.share,
                                         .tables = subject.tables}));
  ASSIGN_OR_RETURN(replication::Coverage coverage,
                   replication::ReadCoverage(connection, subject.replication.publication_name,
                                             captured.own, known.seen));
  RETURN_IF_ERROR(ComparePublication(connection, subject, known, coverage, findings));
  if (subject.replication.publication_autocreate == replication::PublicationAutocreate::kFiltered)
    AddAsAStartDoes(known, captured.own, &coverage);
  std::map<slot::TableGap::Kind, std::vector<slot::TableGap>> gaps;
  std::vector<slot::TableGap> found = slot::FindGaps(known, true, captured.own, coverage);
  slot::AddNarrower(known, captured.own, coverage, "iud", &found);
  for (const slot::TableGap& gap : found) {
    if (gap.kind != slot::TableGap::Kind::kReplaced &&
        slot::NameOf(gap.table) != subject.tables.signal_table)
      gaps[gap.kind].push_back(gap);
  }
  for (const auto& [kind, of_kind] : gaps) {
    const bool reads = subject.incremental.reads_new_tables && kind != slot::TableGap::Kind::kLess;
    findings->Add(FindingOf(of_kind, reads, engine::CalledOf(subject.whole)));
  }
  return absl::OkStatus();
}

absl::Status FindMasks(postgres::Connection& connection, const Subject& subject,
                       const KnownPosition& position, Findings* findings) {
  const slot::ColumnCover cover(subject.columns, subject.message_keys);
  if (!cover.any() || !position.stored || !position.stored->members.contains(event::kMasksMember))
    return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const postgres::Result system,
      connection.Query(postgres::OneRow(1),
                       "SELECT system_identifier FROM pg_catalog.pg_control_system()"));
  const std::vector<slot::KnownColumns> known =
      slot::StoredMasks(position.stored, system.Get(0, 0));
  if (known.empty()) return absl::OkStatus();
  postgres::Catalog catalog(connection);
  ASSIGN_OR_RETURN(const slot::SlotTables captured,
                   slot::FindSlotTables({.connection = connection,
                                         .catalog = catalog,
                                         .share = subject.replication.share,
                                         .tables = subject.tables}));
  ASSIGN_OR_RETURN(const std::vector<slot::KnownColumns> now,
                   slot::ReadWatchedColumns(connection, catalog, captured.own, cover, known));
  for (const slot::MaskLoss& loss : slot::FindLostMasks(known, now, cover)) {
    const absl::Status error = slot::LossError(loss);
    findings->Add({.severity = !loss.stops()        ? Severity::kNotice
                               : cover.lost_warns() ? Severity::kWarning
                                                    : Severity::kError,
                   .reason = "mask_lost",
                   .message = slot::LossText(loss),
                   .hint = loss.stops() ? ErrorHint(error) : ""});
  }
  return absl::OkStatus();
}

}  // namespace

void CheckCapture(Connection& connection, const Subject& subject, const KnownPosition& position,
                  Findings* findings) {
  const auto slot = replication::InspectSlot(connection, subject.replication.slot_name);
  // Before a first start nothing is lost, and it adds what it needs.
  if (!slot.ok() || !*slot) return;
  const auto problems = FindProblems(connection, subject, position);
  findings->Add(problems.status());
  if (!problems.ok()) return;
  for (const metrics::CaptureProblem& problem : *problems) {
    if (!IsSaid(*findings, problem.reason)) findings->Add(FindingOf(problem));
  }
}

absl::Status CheckLists(Connection& connection, const Subject& subject,
                        const KnownPosition& position, bool begun, Findings* findings) {
  const auto wish =
      slot::ListWish(subject.tables, subject.replication, engine::CalledOf(subject.whole));
  // Without it fewer are named.
  const auto likely =
      slot::ReadLikelyTables(subject.tables, subject.replication,
                             position.stored ? &*position.stored : nullptr, connection);
  ASSIGN_OR_RETURN(
      const auto problems,
      slot::FindListProblems(subject.tables, wish, likely.value_or(replication::LikelyTables()),
                             connection));
  for (const metrics::CaptureProblem& problem : problems) findings->Add(FindingOf(problem));
  ASSIGN_OR_RETURN(const auto of_columns,
                   slot::FindColumnProblems(subject.whole, connection,
                                            slot::StoredFormer(position.stored), begun));
  for (const metrics::CaptureProblem& problem : of_columns) findings->Add(FindingOf(problem));
  return absl::OkStatus();
}

bool ReadsNewTables(const Subject& subject) { return subject.incremental.reads_new_tables; }

// OIDs of another server say nothing of this one's.
void CheckKnownTables(postgres::Connection& connection, const Subject& subject,
                      const KnownPosition& position, Findings* findings) {
  if (!position.stored) return;
  const std::optional<slot::KnownTables> known =
      slot::DecodeKnownTables(event::FindMember(position.stored->members, event::kTablesMember));
  if (!known) return;
  findings->Add(TellLacks(connection, subject, *known, findings), Severity::kNotice);
  const absl::StatusOr<postgres::Result> system = connection.Query(
      postgres::Rows(1), "SELECT system_identifier FROM pg_catalog.pg_control_system()");
  if (!system.ok() || system->rows() != 1 ||
      system->Get(0, 0) != position.stored->system_identifier)
    return;
  findings->Add(Compare(connection, subject, *known, findings), Severity::kNotice);
}

void AskMasks(Examination& examined) {
  if (examined.sql == nullptr) return;
  examined.findings.Add(
      FindMasks(*examined.sql, examined.subject, examined.position, &examined.findings),
      Severity::kNotice);
}

}  // namespace walduct::operate
