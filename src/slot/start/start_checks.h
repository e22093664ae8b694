// StartChecks: what a start asks before it begins, as one list, in its order. A start
// (preparation.h) stops at the first answer that is an error; `walduct doctor` goes through all of
// it, and creates nothing. Both switch over it, so that the compiler finds who leaves one out.
#pragma once

#include <array>

namespace walduct::slot {

enum class StartCheck {
  kSpill,           // files of transactions in progress can be made
  kSink,            // the sink can be reached, or written
  kRegistries,      // schema registries
  kOffsetStore,     // where the position is stored
  kServer,          // login, version, wal_level, replication; no other instance has the slot
  kStoredPosition,  // it can be read
  kSlotCount,       // walduct.slots is what the position was stored with
  kTables,          // captured tables: there are some, and their types can be published
  kPromotion,       // a standby is not begun with in place of its primary
  kSlot,            // the slot can be read
  kSlotOwner,       // nobody else needs what would be confirmed to it
  kEarlierWriters,  // exactly once: the transactional id can be had
  kPosition,        // the position is still good; snapshot, stream or both
  kMasks,           // what was hidden still is
  kTransforms,      // what transforms make of the tables
  kRights,          // of a snapshot; room for a slot; the standby that rows are read from
  kTopics,          // they are there, or can be created
  kPublication,     // it is there and fits, or can be made; outbox tables can be cleaned
};

inline constexpr std::array kStartChecks = {
    StartCheck::kSpill,       StartCheck::kSink,      StartCheck::kRegistries,
    StartCheck::kOffsetStore, StartCheck::kServer,    StartCheck::kStoredPosition,
    StartCheck::kSlotCount,   StartCheck::kTables,    StartCheck::kPromotion,
    StartCheck::kSlot,        StartCheck::kSlotOwner, StartCheck::kEarlierWriters,
    StartCheck::kPosition,    StartCheck::kMasks,     StartCheck::kTransforms,
    StartCheck::kRights,      StartCheck::kTopics,    StartCheck::kPublication,
};
// Whoever adds one puts it into the list.
static_assert(kStartChecks.size() == static_cast<size_t>(StartCheck::kPublication) + 1);

}  // namespace walduct::slot
