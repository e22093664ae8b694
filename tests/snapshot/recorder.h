// Recorder: a ChangeHandler that keeps what it was given as values, so that tests can look after
// the buffers are gone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "event/change_handler.h"

namespace walduct::snapshot {

struct Recorded {
  std::string table;
  event::SnapshotMarker marker;
  event::SnapshotPhase phase;
  std::vector<std::optional<std::string>> values;  // absent: NULL
  std::vector<event::ValueKind> kinds;
  event::Operation operation;
  Lsn lsn;
  Lsn commit_end;
  std::optional<uint64_t> xid;
  int64_t source_time_us;
};

class Recorder final : public event::ChangeHandler {
 public:
  absl::Status OnBegin(const event::TransactionInfo&) override { return Unexpected(); }
  absl::Status OnCommit(const event::TransactionInfo&, const event::Position&) override {
    return Unexpected();
  }

  absl::Status OnChange(const event::ChangeEvent& change) override {
    if (fail_at != 0 && changes.size() + 1 == fail_at) return absl::UnavailableError("broker gone");
    Recorded recorded{change.schema->table,
                      change.snapshot,
                      change.position.snapshot,
                      {},
                      {},
                      change.operation,
                      change.lsn,
                      change.position.commit_end,
                      change.xid,
                      change.source_time_us};
    for (const event::Value& value : *change.after) {
      recorded.kinds.push_back(value.kind);
      recorded.values.push_back(value.is_text() ? std::optional(std::string(value.text()))
                                                : std::nullopt);
    }
    changes.push_back(recorded);
    return absl::OkStatus();
  }

  std::vector<event::SnapshotMarker> markers() const {
    std::vector<event::SnapshotMarker> result;
    for (const Recorded& change : changes) result.push_back(change.marker);
    return result;
  }

  std::vector<Recorded> changes;
  size_t fail_at = 0;  // number of the change that is refused; 0: none

 private:
  static absl::Status Unexpected() { return absl::InternalError("a snapshot has no transactions"); }
};

}  // namespace walduct::snapshot
