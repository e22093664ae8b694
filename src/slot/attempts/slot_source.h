// The row of the source that streams a replication slot.
#pragma once

#include "engine/configuration/source_type.h"

namespace walduct::slot {

// There where no other source is asked for. Its attempts take their host for a slot::World.
extern const engine::SourceType kSlotSource;

bool StreamsSlot(const engine::ConnectorOptions& config);

// What of a configuration decides whether one that rests could go on.
struct RestRules {
  int slots = 1;              // it reads so many
  bool trusts_moved = false;  // it goes on from wherever its slot is
  bool fills_gaps = false;    // the next start reads all tables anew
  // A start refuses to go on without, and its store knows one that was erased from one that was
  // lost.
  bool needs_position = true;
};
RestRules RestRulesOf(const engine::ConnectorOptions& config);

}  // namespace walduct::slot
