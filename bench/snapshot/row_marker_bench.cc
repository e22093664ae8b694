// What holding one row back costs: a row of the 15-column table that the other benchmarks use,
// about 200 bytes of text.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "snapshot/row_marker.h"

namespace walduct::snapshot {
namespace {

class Discard final : public event::ChangeHandler {
 public:
  absl::Status OnBegin(const event::TransactionInfo&) override { return absl::OkStatus(); }
  absl::Status OnCommit(const event::TransactionInfo&, const event::Position&) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    benchmark::DoNotOptimize(change.after->data());
    return absl::OkStatus();
  }
};

void BM_HoldRowBack(benchmark::State& state) {
  auto schema = std::make_shared<event::TableSchema>();
  schema->columns.resize(15);
  const std::vector<std::string> texts(15, "2026-11-21 10:00");
  std::vector<event::Value> row;
  for (const std::string& text : texts) row.push_back(event::Value::Text(text));
  Discard handler;
  RowMarker marker({});
  marker.StartTable(schema);
  for (auto _ : state) {
    if (!marker.OnRow(row, handler).ok()) state.SkipWithError("refused");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HoldRowBack);

}  // namespace
}  // namespace walduct::snapshot
