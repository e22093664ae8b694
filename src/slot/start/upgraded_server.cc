#include "slot/start/upgraded_server.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

constexpr int kKeepsSlots = 170000;
// What a server writes into its first segment before and while hundreds of slots are made.
constexpr uint64_t kFirstBytes = 64 << 10;

// When initdb made a system: seconds are the upper half of its identifier. 0: not known.
uint64_t MadeAt(const std::string& system_identifier) {
  uint64_t identifier = 0;
  return absl::SimpleAtoi(system_identifier, &identifier) ? identifier >> 32 : 0;
}

std::string AgainstSystem(const UpgradeFacts& facts) {
  const ServerHistory& server = *facts.server;
  if (server.in_recovery) return "it is a standby";
  if (facts.stored->of_standby)
    return "the position is of a slot of a standby, which pg_upgrade does not keep";
  if (server.system.timeline != 1)
    return absl::StrCat("it was promoted, and runs on timeline ", server.system.timeline);
  if (facts.traces->server_version < kKeepsSlots)
    return "pg_upgrade keeps slots from PostgreSQL 17 on";
  if (MadeAt(server.system.system_identifier) < MadeAt(facts.stored->system_identifier))
    return "it was made before the server that the position is of";
  return "";
}

std::string AgainstSlot(const UpgradeFacts& facts) {
  if (!*facts.slot) return "the replication slot does not exist on it";
  const replication::SlotState& slot = **facts.slot;
  const Lsn at = replication::SlotLsn(slot);
  const event::Position& position = facts.stored->position;
  const Lsn seen = std::max(position.commit_end, facts.stored->snapshot_seen.value_or(Lsn()));
  if (slot.restart_lsn <= seen || at < seen)
    return absl::StrCat("the replication slot stands at ", at.ToString(),
                        ", which is not beyond the position");
  if (position.ordinal > 0)
    return "the position lies within a transaction, and pg_upgrade refuses a slot that has not "
           "confirmed all of it";
  if (slot.used) return "changes have been read from the replication slot here";
  if (slot.touched)
    return "the replication slot was made, or somebody has read or moved it, since the server was "
           "started";
  const uint64_t segment = facts.traces->wal_segment_bytes;
  const bool first = segment > 0 && slot.restart_lsn.value() % segment <= kFirstBytes &&
                     slot.restart_lsn.value() / segment == at.value() / segment &&
                     at.value() % segment <= kFirstBytes;
  if (!first)
    return absl::StrCat("the replication slot stands at ", at.ToString(),
                        ", which is not where the WAL of an upgraded server begins: it was made "
                        "later, or was moved");
  return "";
}

// Transaction ids go on, and the tables are defined anew behind the last one of the old server.
std::string AgainstTransactions(const UpgradeFacts& facts) {
  const uint64_t xid = facts.stored->position.xid;
  if (xid == 0) return "";
  if (facts.server->next_xid != 0 && !IsBefore(xid, facts.server->next_xid))
    return absl::StrCat("it has not come to transaction ", xid, ", which was published last");
  const std::optional<uint32_t> oldest = facts.traces->oldest_definition;
  if (oldest && !IsBefore(xid, *oldest))
    return absl::StrCat("one of its tables is older than transaction ", xid,
                        ", which was published last; pg_upgrade defines all of them anew");
  return "";
}

}  // namespace

bool IsOfAnotherSystem(const offset::StoredOffset& stored,
                       const replication::SystemIdentity& system) {
  return !stored.system_identifier.empty() && stored.system_identifier != system.system_identifier;
}

bool IsBefore(uint64_t a, uint64_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b)) < 0;
}

std::string WhyNotUpgraded(const UpgradeFacts& facts) {
  for (auto* against : {&AgainstSystem, &AgainstSlot, &AgainstTransactions}) {
    if (std::string why = (*against)(facts); !why.empty()) return why;
  }
  return "";
}

}  // namespace walduct::slot
