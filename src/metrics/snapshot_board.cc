#include "metrics/snapshot_board.h"

#include <algorithm>
#include <utility>

namespace walduct::metrics {

uint64_t SnapshotView::rows() const {
  uint64_t rows = 0;
  for (const SnapshotTable& table : tables) rows += table.rows;
  return rows;
}

std::optional<uint64_t> SnapshotView::rows_left() const {
  std::optional<uint64_t> left;
  for (const SnapshotTable& table : tables) {
    if (const auto of_table = table.done ? std::nullopt : table.rows_left())
      left = left.value_or(0) + *of_table;
  }
  return left;
}

bool SnapshotView::at_least() const {
  return std::any_of(tables.begin(), tables.end(),
                     [](const SnapshotTable& table) { return !table.rows_left(); });
}

std::optional<absl::Duration> SnapshotView::TimeLeft(absl::Duration now) const {
  const std::optional<uint64_t> left = rows_left();
  const uint64_t read = rows();
  if (outcome != SnapshotOutcome::kRunning || !left || read == 0) return std::nullopt;
  return (now - began) * (static_cast<double>(*left) / static_cast<double>(read));
}

double SnapshotView::Rate(absl::Duration now) const {
  const absl::Duration took = (outcome == SnapshotOutcome::kRunning ? now : ended) - began;
  return took > absl::ZeroDuration() ? static_cast<double>(rows()) / absl::ToDoubleSeconds(took)
                                     : 0;
}

void SnapshotBoard::Begin(std::vector<SnapshotTable> tables, absl::Duration now) {
  const MutexLock lock(mutex_);
  rows_ = std::make_unique<Counter[]>(tables.size());
  view_ = {.outcome = SnapshotOutcome::kRunning,
           .tables = std::move(tables),
           .began = now,
           .ended = absl::ZeroDuration()};
}

void SnapshotBoard::BeginTable(size_t table, absl::Duration now) {
  const MutexLock lock(mutex_);
  view_.tables[table].begun = true;
  view_.tables[table].began = now;
}

void SnapshotBoard::EndChunk(size_t table, uint64_t blocks) {
  const MutexLock lock(mutex_);
  view_.tables[table].blocks_read += blocks;
  ++view_.tables[table].chunks_read;
}

void SnapshotBoard::EndTable(size_t table, absl::Duration now) {
  const MutexLock lock(mutex_);
  SnapshotTable& ended = view_.tables[table];
  ended.done = true;
  ended.ended = now;
  ended.chunks_read = ended.chunks;
}

void SnapshotBoard::End(SnapshotOutcome outcome, absl::Duration now) {
  const MutexLock lock(mutex_);
  view_.outcome = outcome;
  view_.ended = now;
}

SnapshotView SnapshotBoard::Read() const {
  const MutexLock lock(mutex_);
  SnapshotView view = view_;
  for (size_t i = 0; i < view.tables.size(); ++i) view.tables[i].rows = rows_[i].value();
  return view;
}

}  // namespace walduct::metrics
