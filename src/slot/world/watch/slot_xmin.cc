#include "slot/world/watch/slot_xmin.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {

using postgres::Connection;

absl::StatusOr<std::optional<uint64_t>> ReadSlotXmin(Connection& sql, const std::string& slot) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   sql.Query(postgres::Rows(1),
                             "SELECT catalog_xmin FROM pg_catalog.pg_replication_slots "
                             "WHERE slot_name = $1",
                             {slot}));
  uint64_t xmin = 0;
  if (result.rows() == 0 || !absl::SimpleAtoi(result.Get(0, 0), &xmin))
    return std::optional<uint64_t>();
  return std::optional(xmin);
}

SlotXmin::SlotXmin(Options options)
    : options_(std::move(options)), value_(options_.first), thread_(mutex_, [this] { Loop(); }) {}

void SlotXmin::Loop() {
  log::SetConnector(options_.connector);
  while (thread_.Pause(options_.interval)) {
    const absl::Status status = Read();
    if (thread_.stopping()) return;
    if (!status.ok() && !failing_) {
      log::Warn("cannot read catalog_xmin of the slot; source.xmin stays as it is",
                {{"slot", options_.slot},
                 {"error", std::string(status.message())},
                 {"hint", ErrorHint(status)}});
    }
    failing_ = !status.ok();
  }
}

absl::Status SlotXmin::Read() {
  if (connection_ == nullptr) {
    ASSIGN_OR_RETURN(connection_, options_.open([this] { return thread_.stopping(); }));
  }
  const auto xmin = ReadSlotXmin(*connection_, options_.slot);
  // Whatever went wrong: a new session has forgotten it.
  if (!xmin.ok()) {
    connection_.reset();
    return xmin.status();
  }
  if (*xmin) value_.store(**xmin, std::memory_order_relaxed);
  return absl::OkStatus();
}

}  // namespace walduct::slot
