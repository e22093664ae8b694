#include "metrics/connector_metrics.h"

#include "metrics/names.h"

namespace walduct::metrics {

uint64_t ConnectorMetrics::ErroneousRecords() const {
  uint64_t all = 0;
  for (const Counter& counter : record_errors) all += counter.value();
  return all;
}

std::vector<Sample> ConnectorMetrics::Snapshot() const {
  std::vector<Sample> samples;
  for (const Name& row : kNames) {
    for (size_t i = 0; i < row.size; ++i)
      samples.push_back({&row, row.values == nullptr ? "" : row.values[i], row.read(*this, i)});
  }
  return samples;
}

}  // namespace walduct::metrics
