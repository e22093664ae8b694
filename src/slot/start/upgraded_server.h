// A server with another system identifier than the stored position's: is it what pg_upgrade made of
// the one that the position is of? Then the slot stands where the new server's WAL begins, nothing
// lies between the position and that, and the stream can go on. Pure.
//
// pg_upgrade refuses a slot that has not confirmed everything; that it was this connector that
// confirmed it, and that the stored position is the last one, nobody can see on the new server.
// Whoever has upgraded it knows: it takes offset.mismatch.strategy=trust_slot.
#pragma once

#include <optional>
#include <string>

#include "offset/stored_offset.h"
#include "replication/slot.h"
#include "replication/upgrade_traces.h"
#include "slot/start/server_history.h"

namespace walduct::slot {

bool IsOfAnotherSystem(const offset::StoredOffset& stored,
                       const replication::SystemIdentity& system);

// Whether xid `a` comes before `b`: 32 bits come round, and the nearer way counts.
bool IsBefore(uint64_t a, uint64_t b);

struct UpgradeFacts {
  const offset::StoredOffset* stored = nullptr;
  const std::optional<replication::SlotState>* slot = nullptr;
  const ServerHistory* server = nullptr;
  const replication::UpgradeTraces* traces = nullptr;
};

// "": all that can be seen says so. Otherwise what speaks against it.
std::string WhyNotUpgraded(const UpgradeFacts& facts);

}  // namespace walduct::slot
