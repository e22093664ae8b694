// Notifier: tells what the connector does: on the board, which anybody may look at, and to the
// channels of notification.enabled.channels: records on the notification topic, lines in the log.
// Also of the tables of an initial snapshot. Data thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/lsn.h"
#include "delivery/pipeline/pipeline.h"
#include "event/notification.h"
#include "metrics/notification_board.h"
#include "snapshot/row_source.h"

namespace walduct::incremental {
struct IncrementalOptions;
}

namespace walduct::slot {

class Notifier final : public snapshot::TableListener {
 public:
  // All borrowed.
  struct Parts {
    const incremental::IncrementalOptions* options = nullptr;
    std::string connector_name;  // as Debezium tells it: topic.prefix
    std::string signal_table;    // "schema.table"; empty: none
    delivery::Pipeline* pipeline = nullptr;
    metrics::NotificationBoard* board = nullptr;
    Clock* clock = nullptr;
    std::function<std::string()> new_id;
    // A table was read: "schema.table"; null: nobody asks.
    std::function<void(const std::string& table)> on_read = nullptr;
  };
  explicit Notifier(Parts parts) : parts_(std::move(parts)) {}

  absl::Status Send(const event::Notification& notification);
  // Of the initial snapshot, or a blocking one: STARTED, COMPLETED, ABORTED, SKIPPED.
  absl::Status Initial(absl::string_view type);
  // Rows that could not be published and were left out, as it is set, since it has STARTED.
  uint64_t rows_left_out() const { return parts_.pipeline->rows_left_out() - left_out_before_; }
  // The line of an initial one.
  void LogCompleted(Lsn consistent_point, uint64_t rows) const;
  // A blocking one: the signaling table is not named.
  void SetBlocking(bool blocking) { blocking_ = blocking; }
  absl::Status OnTableFailed(const std::string& table);

  absl::Status OnTableBegin(const std::vector<std::string>& names, size_t index) override;
  absl::Status OnTableEnd(const std::vector<std::string>& names, size_t index,
                          uint64_t rows) override;
  absl::Status OnPartBegin(const std::vector<std::string>& names,
                           const snapshot::PartPlace& place) override;
  absl::Status OnPartEnd(const std::vector<std::string>& names,
                         const snapshot::PartPlace& place) override;

 private:
  using Details = std::vector<std::pair<std::string, std::string>>;
  absl::Status Initial(absl::string_view type, Details details);
  void Show(const event::Notification& notification);
  void TellRead(const event::Notification& notification);
  void Join(const std::vector<std::string>& names);
  const std::string& AllTables(const std::vector<std::string>& names);

  const Parts parts_;
  bool blocking_ = false;
  uint64_t left_out_before_ = 0;
  std::vector<std::string> names_;  // joined last, for
  bool names_blocking_ = false;     // such a snapshot
  std::string names_text_, sorted_text_;
};

}  // namespace walduct::slot
