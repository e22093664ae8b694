// CaptureRecord: what is known of the tables of a connector over its sessions. Used by one session
// at a time.
#pragma once

#include <vector>

#include "replication/capture/capture_judge.h"
#include "slot/masks/former_names.h"
#include "slot/masks/known_columns.h"
#include "slot/world/capture/capture_lines.h"
#include "slot/world/capture/look_trouble.h"

namespace walduct::slot {

struct CaptureRecord {
  replication::CaptureMemory memory;
  CaptureLines lines;
  // Rows that no stream brings, and no snapshot has read yet; by what they were found.
  std::vector<replication::CaptureFinding> lacking;
  FormerNames former = {};                // of columns, as of the last start
  std::vector<KnownColumns> hidden = {};  // what was watched then
  LookTrouble trouble{metrics::Beside::kCatalogLook};
};

}  // namespace walduct::slot
