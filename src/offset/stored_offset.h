// StoredOffset: the offset map of one connector as Kafka Connect stores it and Debezium's
// PostgresOffsetContext reads it.
//
//   Debezium's: lsn, lsn_proc, lsn_commit, txId, ts_usec, messageType, snapshot,
//               last_snapshot_record, snapshot_completed, transaction_id
//   ours:       walduct_ordinal, walduct_final_lsn, walduct_change_lsn, walduct_system_id,
//               walduct_timeline, walduct_standby, walduct_seen_behind, walduct_sink,
//               walduct_snapshot_seen, walduct_taken_by, walduct_skip, walduct_slots,
//               walduct_handover, walduct_slot_held, walduct_slot_name
//
// What Debezium sees always stands at a commit boundary: it resumes without loss and repeats at
// most the transaction that was under way. Ours says how many of that transaction's changes are
// behind already. Keys of Debezium's that we do not use (transaction_id) are kept as
// they came while the position has not moved; incremental_snapshot_* are made by room incremental.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/change_id.h"
#include "event/offset_members.h"
#include "event/position.h"
#include "offset/offset_key.h"
#include "offset/slot_handover.h"

namespace walduct::offset {

struct StoredOffset {
  event::Position position;
  // Identity of the server that the LSNs belong to; empty when a Debezium wrote the offset.
  std::string system_identifier;
  // Absent as well for a standby's: its timeline may have changed while we read from it.
  std::optional<uint32_t> timeline;
  bool of_standby = false;
  // A server was found whose WAL ended before the position, and which yet seemed to be the right
  // one: where its slot stood. Tells a restored server apart after its WAL has grown past the
  // position. Goes with the next position that is stored.
  std::optional<Lsn> seen_behind;
  // The slot was lost and is made anew to hold what is left (walduct.slot.lost=hold): it does not
  // reach back to the position. Goes with the next position that is stored.
  bool slot_held = false;
  // The slot that the position was read from; empty: not known, as a Debezium or an older release
  // has stored it. Where the server has no slot of that name, it was dropped.
  std::string slot_name = {};
  // What the records went to, where that is not Kafka and not a file: "stdout". Whoever prints must
  // not move the position of a connector that publishes.
  std::string sink;
  // How far the view reached from which the snapshot before the position was read, until the
  // position has come there: a server that never came so far lacks what was published.
  std::optional<Lsn> snapshot_seen;
  // The start that goes on from here. Stored when it takes the slot, so that the offset differs
  // from what whoever had the slot before knows: what that one may yet store is refused. Only
  // written.
  std::string taken_by;
  // A change that is not to be published when the stream comes to it (walduct skip).
  std::optional<event::ChangeId> skip;
  // walduct.slots of the connector: over how many slots its tables were spread. Another number
  // finds positions that are not those of its tables.
  int slots = 1;
  // On the way to another number; of the first slot alone.
  std::optional<SlotHandover> handover;
  // True when our own keys were present: the ordinal can be trusted.
  bool written_by_walduct = false;
  // Write the position's transaction as Debezium's transaction_id too
  // (provide.transaction.metadata). It tells a Debezium that takes over not to announce that
  // transaction a second time; its counters start anew, as it reads the whole of it.
  bool transaction_id = false;
  // What goes with it. They belong to this position only.
  event::OffsetMembers members;
};

// The JSON object of the offset, fields in our fixed order, no spaces. LSNs are printed as Java
// prints a signed long.
std::string EncodeOffset(const StoredOffset& offset);
// InvalidArgument names what is wrong. Accepts what Debezium 3.4 to 3.7 writes.
absl::StatusOr<StoredOffset> DecodeOffset(absl::string_view json);

// ["<connector>",{"server":"<prefix>"}] exactly as Connect's JsonConverter writes it; of slots
// beyond the first "walduct_slot":<number> follows the server.
std::string OffsetKey(const OffsetIdentity& identity);

// The body of Connect's GET and PATCH /connectors/{name}/offsets. offsets: by slot.
std::string EncodeRestBody(absl::string_view topic_prefix,
                           const std::vector<std::optional<StoredOffset>>& offsets);
// The offsets for topic_prefix in such a body, by slot; absent where it is null there.
// InvalidArgument for another shape, another partition, or when the body does not have each slot
// once.
absl::StatusOr<std::vector<std::optional<StoredOffset>>> DecodeRestBody(
    absl::string_view json, absl::string_view topic_prefix, size_t slots);

// The first slot's position says that tables have to go to other slots, or are on their way.
bool IsHandoverDue(const std::optional<StoredOffset>& first, int slots);

}  // namespace walduct::offset
