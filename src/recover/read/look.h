// LookAtTopics: the tables against their topics, without a record written and without the slot:
// beside a connector that runs, or for one that rests. Blocks.
#pragma once

#include "absl/status/status.h"
#include "recover/read/read_world.h"

namespace walduct::recover {

// Fills the report.
absl::Status LookAtTopics(const ReadOptions& options, const Environment& environment,
                          const postgres::StopCheck& stopping);

}  // namespace walduct::recover
