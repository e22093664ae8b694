// What an earlier attempt has read of the tables of a snapshot that was cut short, as the stored
// offset says.
#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "replication/slot.h"
#include "snapshot/read_record.h"

namespace walduct::slot {

// Of the stored offset.
inline constexpr absl::string_view kReadMember = "walduct_snapshot_read";

// Where it is of use: the slot, which stands at `start`, still has all changes since, on this
// server. Else a warning says why it is not.
snapshot::ReadTables ReadBefore(const std::optional<offset::StoredOffset>& stored,
                                const replication::SystemIdentity& system, Lsn start);

}  // namespace walduct::slot
