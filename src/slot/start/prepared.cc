// What the stored position says to who goes on from it.
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "engine/configuration/connector_options.h"
#include "incremental/state.h"
#include "names/table_filter.h"
#include "replication/options.h"
#include "route/options.h"
#include "slot/start/preparation.h"
#include "slot/world/capture/capture_record.h"

namespace walduct::slot {

event::OffsetMembers Prepared::GoingOn() const {
  return stored ? incremental::MembersThatGoOn(stored->members, resumes()) : event::OffsetMembers();
}

offset::StoredOffset Prepared::NewOffset(const engine::ConnectorOptions& config) const {
  offset::StoredOffset offset;
  if (resumes()) {
    offset.snapshot_seen = stored->snapshot_seen;
    offset.skip = stored->skip;
    offset.handover = stored->handover;
  }
  offset.sink = SinkMark(config);
  offset.slots = config.replication->share.count;
  offset.system_identifier = system.system_identifier;
  offset.of_standby = in_recovery;
  if (!in_recovery) offset.timeline = system.timeline;
  offset.transaction_id = config.route->transaction_metadata;
  return offset;
}

void Prepared::RememberNames(const names::TableFilterOptions& lists, CaptureRecord* record) const {
  if (record == nullptr) return;
  names::TableFilterOptions of_all_slots = lists;
  of_all_slots.share = nullptr;
  const names::TableFilter captured(std::move(of_all_slots));
  const KnownTables known = KnownTablesIn(stored->members);
  for (const auto& [name, table] : known.tables) {
    if (table.relation == Oid{}) continue;
    // postgres::TableKey, which of a name with a dot in it is not to be taken apart.
    const std::vector<std::string> parts = absl::StrSplit(name, '.');
    const bool is_plain = parts.size() == 2 && !absl::StrContains(name, '"');
    if (is_plain && captured.Includes(parts[0], parts[1]))
      record->memory.before.try_emplace(name, table.relation);
  }
}

}  // namespace walduct::slot
