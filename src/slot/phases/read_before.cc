#include "slot/phases/read_before.h"

#include <string>
#include <utility>

#include "base/log.h"

namespace walduct::slot {

snapshot::ReadTables ReadBefore(const std::optional<offset::StoredOffset>& stored,
                                const replication::SystemIdentity& system, Lsn start) {
  if (!stored || stored->position.snapshot != event::SnapshotPhase::kRunning) return {};
  const auto member = stored->foreign.find(std::string(kReadMember));
  if (member == stored->foreign.end()) return {};
  const bool of_this_server =
      stored->system_identifier == system.system_identifier && stored->timeline == system.timeline;
  absl::StatusOr<snapshot::ReadTables> tables = snapshot::DecodeReadTables(member->second);
  if (of_this_server && start.valid() && start <= stored->position.commit_end && tables.ok())
    return *std::move(tables);
  log::Warn("the snapshot that was cut short cannot be gone on from and begins anew",
            {{"why", tables.ok() ? "the replication slot or the server is another one"
                                 : std::string(tables.status().message())}});
  return {};
}

}  // namespace walduct::slot
