#include "slot/world/blocking_tables.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/error_policy.h"
#include "incremental/chunks/transaction_view.h"
#include "postgres/checks/read_rights.h"
#include "postgres/describe/catalog.h"
#include "snapshot/options.h"
#include "snapshot/plan.h"
#include "snapshot/snapshot_reader.h"
#include "snapshot/transaction.h"

namespace walduct::slot {
namespace {

class BlockingTables final : public TableSnapshot {
 public:
  BlockingTables(std::unique_ptr<postgres::Connection> connection, Clock& clock,
                 metrics::ConnectorMetrics& metrics, snapshot::SnapshotRequest request)
      : connection_(std::move(connection)),
        origin_(request.origin),
        reader_(*connection_, clock, metrics, std::move(request)) {}

  const snapshot::SnapshotOrigin& origin() const override { return origin_; }
  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override {
    return reader_.Step(handler, max_rows);
  }
  void SetListener(snapshot::TableListener* listener) override { reader_.SetListener(listener); }
  int ready_fd() const override { return reader_.ready_fd(); }
  absl::Status End() override { return snapshot::EndSnapshot(*connection_); }

 private:
  std::unique_ptr<postgres::Connection> connection_;
  const snapshot::SnapshotOrigin origin_;
  snapshot::SnapshotReader reader_;
};

// A filter that is no statement of its own, as those of incremental snapshots are.
absl::Status Refused(const absl::Status& status, const std::string& table) {
  const std::string hint = absl::StrCat(
      "the filter of a blocking snapshot is a whole statement: SELECT * FROM ", table, " WHERE …");
  return Error(status.code(), ErrorReason(status), status.message(), hint);
}

const postgres::TableName* Find(const std::vector<postgres::TableName>& tables,
                                const incremental::TableId& wanted) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& one) {
    return one.schema == wanted.schema && one.table == wanted.table;
  });
  return found == tables.end() ? nullptr : &*found;
}

// Those that are asked for and were made since the start.
absl::StatusOr<std::vector<postgres::TableName>> MadeSince(const BlockingTablesOptions& options,
                                                           postgres::Catalog& catalog) {
  const auto& asked = options.asked->tables;
  const bool all = std::all_of(asked.begin(), asked.end(), [&options](const auto& table) {
    return Find(*options.captured, table) != nullptr;
  });
  if (all || options.filter == nullptr) return std::vector<postgres::TableName>();
  return catalog.CapturedTables(*options.filter);
}

// Of a table that is gone there is nothing to read.
absl::Status Plan(const BlockingTablesOptions& options, postgres::Connection& connection,
                  snapshot::SnapshotRequest* request, Source::Blocking* opened) {
  postgres::Catalog catalog(connection, options.schemas);
  snapshot::SnapshotOptions how;
  how.select_overrides = options.asked->statements;
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> since, MadeSince(options, catalog));
  for (const incremental::TableId& table : options.asked->tables) {
    const postgres::TableName* named = Find(*options.captured, table);
    if (named == nullptr) named = Find(since, table);
    if (named == nullptr) {
      log::Warn("signal: there is no such table; it is left out",
                {{"signal", options.asked->id}, {"table", table.Text()}});
      continue;
    }
    const bool overridden = how.select_overrides.contains(table.Text());
    const absl::Status readable =
        overridden ? absl::OkStatus()
                   : postgres::CheckReadRights(connection, {*named}, options.wanted);
    if (absl::IsPermissionDenied(readable)) {
      opened->refused_table = table.Text();
      opened->refused = readable;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(readable);
    auto planned = snapshot::PlanSnapshot(connection, catalog, {*named}, how, options.wanted);
    if (!planned.ok() && engine::MayPass(planned.status())) return planned.status();
    if (!planned.ok()) {
      opened->refused_table = table.Text();
      opened->refused = overridden ? Refused(planned.status(), table.Text()) : planned.status();
      return absl::OkStatus();
    }
    for (snapshot::PlannedTable& one : *planned) request->tables.push_back(std::move(one));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Source::Blocking> OpenBlockingTables(BlockingTablesOptions options) {
  ASSIGN_OR_RETURN(auto connection, postgres::Connection::Open(std::move(options.connection)));
  Source::Blocking opened;
  snapshot::SnapshotRequest request;
  RETURN_IF_ERROR(options.held->Look(*connection, options.clock->Monotonic()));
  opened.view.held = options.held->held();
  ASSIGN_OR_RETURN(request.origin,
                   snapshot::BeginOnSnapshot(
                       *connection, {.snapshot_name = "", .lock_timeout = options.lock_timeout}));
  RETURN_IF_ERROR(incremental::ReadView(*connection, &opened.view));
  ASSIGN_OR_RETURN(request.origin.seen, snapshot::ReadCurrentLsn(*connection));
  request.origin.consistent_point = request.origin.seen;
  request.lock_timeout = options.lock_timeout;
  request.explain_lock = options.explain_lock;
  RETURN_IF_ERROR(Plan(options, *connection, &request, &opened));
  if (!opened.refused.ok()) return opened;
  opened.tables = std::make_unique<BlockingTables>(std::move(connection), *options.clock,
                                                   *options.metrics, std::move(request));
  return opened;
}

}  // namespace walduct::slot
