// SnapshotState: how far an incremental snapshot is, as it goes with a stored position, in
// Debezium's keys. A value; pure.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/offset_members.h"
#include "incremental/chunks/chunk.h"
#include "incremental/signals/signal.h"

namespace walduct::incremental {

using event::OffsetMembers;

// Those that a session goes on from. resumes: from the position that they were stored with. A
// snapshot at the start has read the tables of an incremental one; what a blocking one reads may be
// others, or be chosen by statements.
OffsetMembers MembersThatGoOn(const OffsetMembers& stored, bool resumes);

// A stop-snapshot, to be carried out at the next chunk.
struct PendingStop {
  std::vector<std::string> collections;  // empty: all
  size_t asked = 0;                      // of the queue, what was asked for before it

  bool operator==(const PendingStop&) const = default;
};

struct SnapshotState {
  std::deque<TableRequest> queue;  // the first one is being read
  std::string correlation_id;      // of the signal that came last
  std::optional<Key> maximum;      // of the first table; absent: not known yet
  std::optional<Key> emitted;      // last key that was published; absent: none
  std::vector<std::shared_ptr<const event::Type>> key_types;  // of the two; empty: not known yet
  // The two as they were stored: without their types they are stored so again.
  std::string stored_maximum = {}, stored_emitted = {};
  // Of the first table, as its last chunk told them.
  bool by_place = false;
  std::string storage = {};
  uint64_t rows = 0;  // read up to `emitted`, by all processes that knew of it

  // What Debezium stores nothing of.
  bool paused = false;
  uint64_t left_out = 0;  // rows of all its tables that could not be published, as it is set
  std::vector<PendingStop> stops = {};

  // Signals of blocking snapshots that are not over.
  std::deque<RawSignal> blocking = {};

  bool running() const { return !queue.empty(); }
  // Of the first table; the next one begins.
  void ForgetKeys();
  // "public.a,public.b"
  std::string Tables() const;
};

// Empty when nothing is running or waits.
OffsetMembers EncodeState(const SnapshotState& state);
// InvalidArgument stored_key_malformed. Other members are left alone.
absl::StatusOr<SnapshotState> DecodeState(const OffsetMembers& members);

}  // namespace walduct::incremental
