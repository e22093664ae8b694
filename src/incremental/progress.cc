// What people see of an incremental snapshot.
#include <algorithm>
#include <utility>

#include "incremental/incremental_snapshots.h"

namespace walduct::incremental {

void IncrementalSnapshots::HoldFor(std::string reason) {
  if (shown_.held_by == reason) return;
  shown_.held_since = parts_.clock->Monotonic();
  shown_.held_by = std::move(reason);
  Show();
}

void IncrementalSnapshots::ShowNextTable() {
  shown_.chunks = shown_.rows = 0;
  shown_.estimated_rows.reset();
  shown_.began = parts_.clock->Monotonic();
}

void IncrementalSnapshots::Show() {
  shown_.running = state_.running();
  shown_.id = state_.correlation_id;
  shown_.named.clear();
  shown_.tables_waiting = 0;
  if (shown_.running) {
    const TableId& table = state_.queue.front().table;
    shown_.schema = table.schema;
    shown_.table = table.table;
    shown_.tables_waiting = state_.queue.size() - 1;
    const size_t named =
        std::min<size_t>(state_.queue.size(), 1 + metrics::IncrementalView::kMostNamed);
    for (size_t i = 1; i < named; ++i) shown_.named.push_back(state_.queue[i].table.Text());
  }
  parts_.metrics->incremental_tables.Set(state_.queue.size());
  parts_.metrics->incremental.Show(shown_);
}

}  // namespace walduct::incremental
