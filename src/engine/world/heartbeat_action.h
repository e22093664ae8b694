// heartbeat.action.query as a statement of its own session and thread. Whether it works stands on
// the board of the metrics.
#pragma once

#include <memory>
#include <string>

#include "metrics/connector_metrics.h"
#include "postgres/background_statement.h"

namespace walduct::engine {

// session: of the role; its search_path counts. metrics: borrowed, outlives the statement.
std::unique_ptr<postgres::BackgroundStatement> MakeHeartbeatAction(
    postgres::ConnectionOptions session, const std::string& sql, const std::string& connector,
    metrics::ConnectorMetrics* metrics);

}  // namespace walduct::engine
