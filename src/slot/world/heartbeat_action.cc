#include "slot/world/heartbeat_action.h"

#include <utility>

#include "base/error.h"

namespace walduct::slot {

std::unique_ptr<postgres::BackgroundStatement> MakeHeartbeatAction(
    postgres::BackgroundStatement::Open open, const std::string& sql, const std::string& connector,
    Clock* clock, metrics::ConnectorMetrics* metrics) {
  const auto told = [board = &metrics->beside, clock](const absl::Status& status) {
    using enum metrics::Beside;
    if (status.ok()) {
      board->Works(kHeartbeatAction);
    } else {
      board->Failed(kHeartbeatAction, clock->Now(), std::string(status.message()),
                    ErrorHint(status));
    }
  };
  return std::make_unique<postgres::BackgroundStatement>(
      postgres::BackgroundStatement::Options{.open = std::move(open),
                                             .clock = clock,
                                             .sql = sql,
                                             .what = "heartbeat.action.query",
                                             .connector = connector,
                                             .told = told});
}

}  // namespace walduct::slot
