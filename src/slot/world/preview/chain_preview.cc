#include "slot/world/preview/chain_preview.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "outbox/options.h"
#include "postgres/open_session.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/capture/column_entries.h"
#include "slot/world/capture/list_problems.h"
#include "slot/world/preview/row_preview.h"
#include "transform/chain/chain_spec.h"

namespace walduct::slot {
namespace {

using event::ChainOutcome;

// Beyond it a start would take longer than the advice is worth.
constexpr size_t kMaxTables = 1000;
constexpr int64_t kMaxRowsCounted = 1'000'000;

constexpr absl::string_view kPartitions = R"(
SELECT n.nspname, c.relname, pn.nspname, p.relname
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
WHERE c.relispartition AND c.relkind = 'r'
ORDER BY 1, 2)";

// What transforms make of one row of each table.
class Previewer {
 public:
  Previewer(const engine::ConnectorOptions& config, std::unique_ptr<RowPreview> rows)
      : rows_(std::move(rows)), outbox_(*config.outbox), strict_(config.chain->IsStrict()) {}

  absl::Status Add(const std::string& table, const event::TableSchema& schema,
                   ChainPreview* preview) {
    RETURN_IF_ERROR(rows_->Route(schema));
    for (const event::Emission& emission : rows_->emissions()) {
      const absl::StatusOr<ChainOutcome> outcome = rows_->encoder().Preview(emission);
      // A table that cannot be written at all says so with its first row.
      if (!outcome.ok()) continue;
      RETURN_IF_ERROR(AddOutcome(table, *outcome, preview));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddOutcome(const std::string& table, const ChainOutcome& outcome,
                          ChainPreview* preview) const {
    if (outcome.event) preview->event_tables.push_back(table);
    for (const std::string& notice : outcome.notices) preview->notices.push_back(notice);
    if (outcome.kind != ChainOutcome::Kind::kFailed) return absl::OkStatus();
    if (strict_ && absl::StartsWith(ErrorReason(outcome.error), "outbox_"))
      return Error(outcome.error.code(), "outbox_strict", outcome.error.message(),
                   ErrorHint(outcome.error));
    if (outbox_.cleanup != outbox::OutboxCleanup::kNone && outbox_.tables->Matches(table)) {
      return Error(absl::StatusCode::kFailedPrecondition, "outbox_not_routed",
                   absl::StrCat("walduct.outbox.tables matches table ", table,
                                ", but its rows cannot be turned into events, and "
                                "walduct.outbox.cleanup would delete them: ",
                                outcome.error.message()),
                   "change walduct.outbox.tables to match outbox tables only");
    }
    preview->problems.push_back(absl::StrCat("rows of table ", table,
                                             " cannot be published: ", outcome.error.message(),
                                             "; ", ErrorHint(outcome.error)));
    return absl::OkStatus();
  }

  const std::unique_ptr<RowPreview> rows_;
  const outbox::OutboxOptions& outbox_;
  const bool strict_;
};

// Captured partitions of outbox tables whose own names walduct.outbox.tables does not match.
absl::Status AddUnboundPartitions(const engine::ConnectorOptions& config,
                                  postgres::Connection& connection, ChainPreview* preview) {
  const auto& transforms = config.chain->transforms;
  const auto router = std::find_if(transforms.begin(), transforms.end(),
                                   [](const auto& spec) { return spec.tables != nullptr; });
  if (router == transforms.end()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto rows, connection.Query(postgres::Rows(4), kPartitions));
  const names::TableFilter filter(*config.tables);
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string partition = absl::StrCat(rows.Get(row, 0), ".", rows.Get(row, 1));
    const std::string parent = absl::StrCat(rows.Get(row, 2), ".", rows.Get(row, 3));
    if (!router->tables->Matches(parent) || router->tables->Matches(partition) ||
        !filter.Includes(rows.Get(row, 0), rows.Get(row, 1)))
      continue;
    preview->problems.push_back(
        absl::StrCat("partition ", partition, " of outbox table ", parent,
                     " is not matched by walduct.outbox.tables: if the publication publishes it "
                     "under its own name, its rows become change records instead of events; extend "
                     "walduct.outbox.tables to match it"));
  }
  return absl::OkStatus();
}

// Empty: there are none.
absl::StatusOr<std::string> HistoryWarning(postgres::Connection& connection,
                                           const std::string& select, const std::string& table) {
  ASSIGN_OR_RETURN(const auto answer,
                   connection.Query(postgres::Rows(1),
                                    absl::StrCat("SELECT count(*) FROM (SELECT 1 FROM (", select,
                                                 ") r LIMIT ", kMaxRowsCounted + 1, ") n")));
  int64_t rows = 0;
  if (answer.rows() != 1 || !absl::SimpleAtoi(answer.Get(0, 0), &rows) || rows == 0) return "";
  const bool more = rows > kMaxRowsCounted;
  return absl::StrCat(
      "the snapshot publishes the ", more ? "more than " : "", more ? kMaxRowsCounted : rows,
      " rows that outbox table ", table,
      " holds as events, including any that were published before by other means; to skip them, "
      "set snapshot.mode=no_data, or snapshot.select.statement.overrides for this table");
}

}  // namespace

absl::StatusOr<ChainPreview> PreviewChain(const engine::ConnectorOptions& config,
                                          postgres::Connection& connection,
                                          postgres::Catalog& catalog,
                                          const std::vector<postgres::TableName>& captured) {
  ChainPreview preview;
  std::unique_ptr<Previewer> previewer;
  size_t seen = 0;
  for (const postgres::TableName& table : captured) {
    const std::string name = absl::StrCat(table.schema, ".", table.table);
    if (!config.chain->MayMakeEvents(name) || ++seen > kMaxTables) continue;
    absl::StatusOr<event::TableSchemaPtr> schema = catalog.Describe(table.relation);
    if (absl::IsNotFound(schema.status())) continue;
    RETURN_IF_ERROR(schema.status());
    if (previewer == nullptr) {
      ASSIGN_OR_RETURN(std::unique_ptr<RowPreview> rows,
                       RowPreview::Open({.tables = *config.tables,
                                         .route = *config.route,
                                         .chain = *config.chain,
                                         .encode = *config.encode,
                                         .clock = *connection.environment().clock}));
      previewer = std::make_unique<Previewer>(config, std::move(rows));
    }
    RETURN_IF_ERROR(previewer->Add(name, **schema, &preview));
  }
  RETURN_IF_ERROR(AddUnboundPartitions(config, connection, &preview));
  return preview;
}

absl::StatusOr<ChainPreview> PreviewOnServer(const engine::ConnectorOptions& config,
                                             const Environment& environment) {
  ASSIGN_OR_RETURN(const auto connection,
                   postgres::OpenSession(*config.database, "walduct validate", environment));
  postgres::Catalog catalog(*connection);
  const names::TableFilter filter(*config.tables);
  ASSIGN_OR_RETURN(const auto captured, catalog.CapturedTables(filter));
  ASSIGN_OR_RETURN(ChainPreview preview, PreviewChain(config, *connection, catalog, captured));
  const auto wish = ListWish(*config.tables, *config.replication, engine::CalledOf(config));
  // Without it fewer are named.
  const auto likely = ReadLikelyTables(*config.tables, *config.replication, nullptr, *connection);
  ASSIGN_OR_RETURN(auto problems,
                   FindListProblems(*config.tables, wish,
                                    likely.value_or(replication::LikelyTables()), *connection));
  ASSIGN_OR_RETURN(const auto of_columns, FindColumnProblems(config, *connection));
  problems.insert(problems.end(), of_columns.begin(), of_columns.end());
  for (const metrics::CaptureProblem& problem : problems) {
    (problem.loses ? preview.lists : preview.lists_noted)
        .push_back(absl::StrCat(problem.reason, ": ", metrics::MessageWithTables(problem), "; ",
                                problem.hint));
  }
  return preview;
}

absl::Status WarnOfHistory(postgres::Connection& connection,
                           const std::vector<snapshot::PlannedTable>& plan,
                           const std::vector<std::string>& event_tables,
                           engine::WarnOnce* warn_once) {
  for (const snapshot::PlannedTable& planned : plan) {
    const std::string name = absl::StrCat(planned.name.schema, ".", planned.name.table);
    const bool event =
        std::find(event_tables.begin(), event_tables.end(), name) != event_tables.end();
    // An override says which rows are wanted.
    if (!event || planned.overridden) continue;
    ASSIGN_OR_RETURN(const std::string warning, HistoryWarning(connection, planned.select, name));
    if (!warning.empty()) warn_once->Warn(warning);
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
