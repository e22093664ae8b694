#include "slot/world/capture/column_entries.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/options/column_options.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "java/regex/regex_list.h"
#include "names/called.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "postgres/oid_text.h"
#include "replication/capture/capture_words.h"
#include "replication/slot_share.h"
#include "slot/masks/column_cover.h"
#include "slot/masks/mask_guard.h"
#include "slot/world/capture/capture_lines.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/reads/table_columns.h"

namespace walduct::slot {
namespace {

using replication::CaptureFinding;

constexpr size_t kMostMeant = 3;
// A name that is like none of its table is compared with all, where they are not too many.
constexpr size_t kMostCompared = 20'000;

constexpr absl::string_view kColumns = R"(
SELECT a.attrelid, a.attname FROM pg_catalog.pg_attribute a
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped)";

struct ColumnList {
  std::string property;
  const java::RegexList* list = nullptr;
};

std::vector<ColumnList> ListsOf(const encode::ColumnOptions& columns) {
  std::vector<ColumnList> lists;
  for (const encode::ColumnMask& mask : columns.masks)
    lists.push_back({mask.property, mask.columns.get()});
  lists.push_back({"column.exclude.list", columns.exclude.get()});
  lists.push_back({"column.include.list", columns.include.get()});
  lists.push_back({"column.propagate.source.type", columns.propagate_columns.get()});
  std::erase_if(lists, [](const ColumnList& one) { return one.list == nullptr; });
  return lists;
}

// "schema.table." of "schema.table.column".
absl::string_view TableOf(absl::string_view name) {
  return name.substr(0, name.rfind('.') + 1);  // none: the empty one
}

// Written without its table or schema, or misspelt; nothing that another entry matches.
std::vector<std::string> Meant(const std::string& name, const java::RegexList& list,
                               const std::vector<std::string>& names) {
  std::vector<std::string> meant, of_table;
  const absl::string_view table = TableOf(name);
  for (const std::string& one : names) {
    if (absl::EndsWithIgnoreCase(one, absl::StrCat(".", name))) meant.push_back(one);
    if (!table.empty() && absl::EqualsIgnoreCase(TableOf(one), table))
      of_table.push_back(one.substr(table.size()));
  }
  if (meant.empty() && !of_table.empty()) {
    for (const std::string& column :
         SimilarNames(absl::string_view(name).substr(table.size()), of_table, names.size()))
      meant.push_back(absl::StrCat(table, column));
  } else if (meant.empty() && names.size() <= kMostCompared) {
    meant = SimilarNames(name, names, replication::kMostNamed);
  }
  std::erase_if(meant, [&list](const std::string& one) { return list.Matches(one); });
  if (meant.size() > kMostMeant) meant.resize(kMostMeant);
  return meant;
}

replication::CaptureWish WishOf(const engine::ConnectorOptions& config) {
  return ListWish(engine::TablesOf(config), engine::ReplicationOf(config),
                  engine::CalledOf(config));
}

// It is no other slot than the first.
bool SpeaksForAll(const engine::ConnectorOptions& config) {
  const replication::SlotShare& share = engine::ShareOf(config);
  return !share.several() || share.number == 1;
}

absl::StatusOr<std::vector<CaptureFinding>> ReadIdleColumns(postgres::Connection& connection,
                                                            const encode::ColumnOptions& columns,
                                                            names::TableFilterOptions tables,
                                                            const FormerNames& former) {
  if (ListsOf(columns).empty()) return std::vector<CaptureFinding>();
  tables.share = nullptr;
  ASSIGN_OR_RETURN(
      const std::vector<postgres::TableName> captured,
      postgres::Catalog(connection).CapturedTables(names::TableFilter(std::move(tables))));
  if (captured.empty()) return std::vector<CaptureFinding>();
  std::map<Oid, const postgres::TableName*> by_oid;
  for (const postgres::TableName& table : captured) by_oid.emplace(table.relation, &table);
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(2), kColumns,
                                    {postgres::OidArray(postgres::RelationsOf(captured))}));
  std::vector<std::string> names;
  for (int row = 0; row < result.rows(); ++row) {
    const auto table = by_oid.find(postgres::ParseOid(result.Get(row, 0)));
    if (table == by_oid.end()) continue;
    names.push_back(
        absl::StrCat(table->second->schema, ".", table->second->table, ".", result.Get(row, 1)));
  }
  std::sort(names.begin(), names.end());
  return FindIdleColumns(columns, names, former);
}

// It was the name of a column that the list hides by another one now.
bool IsKept(const std::string& entry, const java::RegexList& list,
            const std::vector<std::string>& names, const FormerNames& former) {
  if (former.empty()) return false;
  const absl::StatusOr<java::RegexList> alone = java::RegexList::Parse(entry);
  if (!alone.ok()) return false;
  return std::any_of(former.begin(), former.end(), [&](const auto& one) {
    const auto& [was, is] = one;
    return alone->Matches(was) && list.Matches(is) &&
           std::find(names.begin(), names.end(), is) != names.end();
  });
}

}  // namespace

std::vector<CaptureFinding> FindIdleColumns(const encode::ColumnOptions& columns,
                                            const std::vector<std::string>& names,
                                            const FormerNames& former) {
  std::vector<CaptureFinding> findings;
  if (names.empty()) return findings;
  for (const ColumnList& one : ListsOf(columns)) {
    for (const java::RegexList::Idle& idle : one.list->FindIdle(names, replication::kMostNamed)) {
      if (IsKept(idle.entry, *one.list, names, former)) continue;
      const auto same = std::find_if(
          findings.begin(), findings.end(),
          [&idle](const CaptureFinding& finding) { return finding.table == idle.entry; });
      if (same != findings.end()) {
        same->detail = absl::StrCat(one.property, ", ", same->detail);
        same->loses |= replication::HidesColumns(one.property);
        continue;
      }
      const std::vector<std::string> meant =
          idle.name.empty() ? std::vector<std::string>() : Meant(idle.name, *one.list, names);
      std::string detail = one.property;
      if (!meant.empty())
        absl::StrAppend(&detail, ": did you mean ", absl::StrJoin(meant, ", "), "?");
      findings.push_back({.reason = "column_matches_nothing",
                          .table = idle.entry,
                          .detail = std::move(detail),
                          .loses = replication::HidesColumns(one.property),
                          .renamed_to = meant.size() == 1 ? meant.front() : "",
                          .property = one.property});
    }
  }
  return findings;
}

absl::StatusOr<std::vector<metrics::CaptureProblem>> FindColumnProblems(
    const engine::ConnectorOptions& config, postgres::Connection& connection,
    const FormerNames& former, bool begun) {
  if (!SpeaksForAll(config)) return std::vector<metrics::CaptureProblem>();
  const replication::CaptureWish wish = WishOf(config);
  ASSIGN_OR_RETURN(
      std::vector<CaptureFinding> findings,
      ReadIdleColumns(connection, engine::ColumnsOf(config), engine::TablesOf(config), former));
  for (CaptureFinding& finding : findings)
    finding.loses = (finding.loses || !begun) && !wish.may_be_empty;
  CaptureLines lines;
  lines.Saw(std::move(findings), {.now = absl::Time()});
  lines.SawTheSame();
  return lines.Problems(wish);
}

void WarnOfColumnEntries(const engine::ConnectorOptions& config, postgres::Connection& connection,
                         const FormerNames& former, engine::WarnOnce* warn_once) {
  const auto problems = FindColumnProblems(config, connection, former);
  if (!problems.ok()) {
    log::Warn("whether entries of lists of columns match a column is not known",
              {{"error", std::string(problems.status().message())}});
    return;
  }
  for (const metrics::CaptureProblem& problem : *problems) {
    warn_once->Warn(metrics::MessageWithTables(problem), problem.hint);
  }
}

void TellLostMasks(const std::vector<MaskLoss>& losses, const names::Called& called,
                   std::vector<CaptureFinding>* findings) {
  for (CaptureFinding& finding : *findings) {
    const absl::StatusOr<java::RegexList> entry = java::RegexList::Parse(finding.table);
    if (!entry.ok()) continue;
    const auto loss = std::find_if(losses.begin(), losses.end(), [&](const MaskLoss& one) {
      return one.stops() && entry->Matches(one.was);
    });
    if (loss == losses.end()) continue;
    finding.detail =
        absl::StrCat(LossText(*loss), ": the next row of the table stops it (mask_lost)");
    const std::string extend = names::ExtendCommand(called, loss->property, loss->entry);
    finding.renamed_to.clear();
    finding.statement = extend.empty() ? ErrorHint(LossError(*loss)) : extend;
    finding.loses = finding.at_once = true;
  }
}

LookForMore ColumnLook(const engine::ConnectorOptions& config, const CaptureRecord& record) {
  const encode::ColumnOptions columns = engine::ColumnsOf(config);
  if (!SpeaksForAll(config) || ListsOf(columns).empty()) return nullptr;
  return [columns, cover = ColumnCover(columns, engine::MessageKeysOf(config)),
          tables = engine::TablesOf(config), may_come = WishOf(config).may_be_empty,
          former = record.former, hidden = record.hidden, called = engine::CalledOf(config)](
             postgres::Connection& connection) -> absl::StatusOr<std::vector<CaptureFinding>> {
    ASSIGN_OR_RETURN(std::vector<CaptureFinding> findings,
                     ReadIdleColumns(connection, columns, tables, former));
    for (CaptureFinding& finding : findings) finding.loses &= !may_come;
    if (findings.empty() || hidden.empty() || cover.lost_warns()) return findings;
    postgres::Catalog catalog(connection);
    names::TableFilterOptions all = tables;
    all.share = nullptr;
    ASSIGN_OR_RETURN(const std::vector<postgres::TableName> captured,
                     catalog.CapturedTables(names::TableFilter(std::move(all))));
    ASSIGN_OR_RETURN(const std::vector<KnownColumns> now,
                     ReadWatchedColumns(connection, catalog, captured, cover, hidden));
    TellLostMasks(FindLostMasks(hidden, now, cover), called, &findings);
    return findings;
  };
}

}  // namespace walduct::slot
