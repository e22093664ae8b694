// What a look at a slot has shown, on the boards that everybody reads: the slot's own, the lag's,
// the plain numbers. Any thread.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "base/clock.h"
#include "engine/control/status_board.h"
#include "metrics/connector_metrics.h"
#include "replication/watched_slot.h"
#include "slot/world/watch/server_view.h"

namespace walduct::slot {

// before: the one before it; without wal_end: none. What a look does not ask for is left empty.
ServerView ViewOf(const replication::WatchedSlot& look, const ServerView& before,
                  absl::Duration now);

// A view that was shown before changes nothing; nor does one without wal_end. rests: the connector
// waits for a command.
void ShowSlot(const ServerView& view, Clock& clock, metrics::ConnectorMetrics* metrics,
              bool rests = false);

// The looks at one slot from beside, one after the other: growth is between two, whoever had them.
// One thread.
class SlotShower {
 public:
  // Of the connector of these names, which is in that status.
  void Show(const replication::WatchedSlot& look, absl::Duration now, Clock& clock,
            const engine::ConnectorNames& names, const engine::ConnectorStatus& status,
            metrics::ConnectorMetrics* metrics);

 private:
  ServerView last_;
};

}  // namespace walduct::slot
