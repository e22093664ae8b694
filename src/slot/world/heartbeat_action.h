// heartbeat.action.query as a statement of its own session and thread. Whether it works stands on
// the board of the metrics.
#pragma once

#include <memory>
#include <string>

#include "metrics/connector_metrics.h"
#include "postgres/background_statement.h"

namespace walduct::slot {

// open: with the search_path of the role. clock, metrics: borrowed, outlive the statement.
std::unique_ptr<postgres::BackgroundStatement> MakeHeartbeatAction(
    postgres::BackgroundStatement::Open open, const std::string& sql, const std::string& connector,
    Clock* clock, metrics::ConnectorMetrics* metrics);

}  // namespace walduct::slot
