// The families of series of the metrics page. Each adds its own; docs/metrics.md describes them.
#pragma once

#include "absl/strings/string_view.h"
#include "admin/metric_text.h"
#include "admin/process_view.h"

namespace walduct::admin {

// walduct_…
void AddOwnSeries(const ProcessView& process, MetricText* out);
// debezium_metrics_…: what Debezium's beans give by the rules of its monitoring example.
void AddDebeziumSeries(const ProcessView& process, MetricText* out);
// kafka_connect_…, kafka_producer_…: what Connect's beans give by Debezium's and Strimzi's rules.
void AddConnectSeries(const ProcessView& process, MetricText* out);
// walduct_worker_… and walduct_group_…, of a worker alone.
void AddWorkerSeries(const ProcessView& process, MetricText* out);
// process_…, and the series of a JVM that those dashboards show.
void AddProcessSeries(MetricText* out);

}  // namespace walduct::admin
