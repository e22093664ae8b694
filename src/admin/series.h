// The families of series of an exposition. Each adds its own; docs/metrics.md describes them.
#pragma once

#include "absl/strings/string_view.h"
#include "admin/exposition.h"
#include "admin/scene.h"

namespace walduct::admin {

// walduct_…
void AddOwnSeries(const Scene& scene, Exposition* out);
// debezium_metrics_…: what Debezium's beans give by the rules of its monitoring example.
void AddDebeziumSeries(const Scene& scene, Exposition* out);
// kafka_connect_…, kafka_producer_…: what Connect's beans give by Debezium's and Strimzi's rules.
void AddConnectSeries(const Scene& scene, Exposition* out);
// walduct_worker_…, of a worker alone.
void AddWorkerSeries(const Scene& scene, Exposition* out);
// process_…, and the series of a JVM that those dashboards show.
void AddProcessSeries(Exposition* out);

}  // namespace walduct::admin
