// What /status says of polled outbox tables: the member `outbox`.
#pragma once

#include "absl/time/time.h"
#include "base/json.h"
#include "metrics/connector_metrics.h"

namespace walduct::admin {

// Nothing, where none is polled, or nobody has counted yet. monotonic: now.
void WriteOutboxRows(const metrics::ConnectorMetrics& numbers, absl::Duration monotonic,
                     JsonWriter* json);

}  // namespace walduct::admin
