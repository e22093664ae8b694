// Blocking snapshots that signals ask for, until they are over.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/incremental_snapshots.h"
#include "incremental/options/incremental_options.h"
#include "incremental/signals/expansion.h"

namespace walduct::incremental {

void IncrementalSnapshots::BlockFor(const RawSignal& raw) {
  state_.blocking.push_back(raw);
  Changed();
}

// Names of tables that are not captured are left out, as Debezium leaves them out.
absl::StatusOr<BlockingSnapshot> IncrementalSnapshots::NextBlocking() {
  const RawSignal& raw = state_.blocking.front();
  const absl::StatusOr<Signal> signal = ParseSignal(raw);
  // It was stored by somebody else.
  if (!signal.ok()) {
    RETURN_IF_ERROR(Refuse(raw, signal.status()));
    return BlockingSnapshot{.id = raw.id, .tables = {}, .statements = {}};
  }
  const auto& execute = std::get<ExecuteSnapshot>(*signal);
  BlockingSnapshot snapshot{.id = raw.id, .tables = {}, .statements = {}};
  for (const TableId& table : ExpandCollections(execute.collections, parts_.captured)) {
    const bool signals = table.schema == parts_.options->signal_schema &&
                         table.table == parts_.options->signal_table;
    const bool captured =
        std::find(parts_.captured.begin(), parts_.captured.end(), table) != parts_.captured.end() ||
        (parts_.captures && parts_.captures(table));
    if (!captured || signals) {
      log::Warn("signal: the table is not captured, or holds the signals; it is left out",
                {{"signal", raw.id}, {"table", table.Text()}});
      continue;
    }
    snapshot.tables.push_back(table);
    const std::string statement = StatementOf(execute, table);
    if (!statement.empty()) snapshot.statements[table.Text()] = statement;
  }
  std::sort(snapshot.tables.begin(), snapshot.tables.end(),
            [](const TableId& a, const TableId& b) { return a.Text() < b.Text(); });
  RETURN_IF_ERROR(RefuseUnused(raw.id, UnusedConditions(execute, snapshot.tables)));
  return snapshot;
}

void IncrementalSnapshots::EndBlocking() {
  state_.blocking.pop_front();
  Changed();
}

bool IncrementalSnapshots::IsHiddenFrom(const TransactionView& view) const {
  return view.Hides(last_xid_) || view.HiddenHeld() != 0 ||
         std::any_of(recent_.begin(), recent_.end(), [&](uint32_t xid) { return view.Hides(xid); });
}

void IncrementalSnapshots::StampRow(event::ChangeEvent* row) const {
  if (!seen_.lsn.valid()) return;
  row->lsn = seen_.lsn;
  row->last_commit_end = seen_.last_commit_end;
  row->xid = seen_.xid;
}

}  // namespace walduct::incremental
