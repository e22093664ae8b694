// CaptureRecord: what is known of the tables of a connector over its sessions. Used by one session
// at a time.
#pragma once

#include "engine/world/capture/capture_lines.h"
#include "replication/capture/capture_judge.h"

namespace walduct::engine {

struct CaptureRecord {
  replication::CaptureMemory memory;
  CaptureLines lines;
};

}  // namespace walduct::engine
