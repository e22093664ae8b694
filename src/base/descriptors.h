// File descriptors: how many the process may have, and whether some are left.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace walduct {

// Raises the soft limit to the hard one, to 65,536 at most: services and shells begin with 1,024,
// which some hundred connectors outgrow. Once, at the process's start.
void RaiseDescriptorLimit();

uint64_t MaxDescriptors();
// 0: not known.
uint64_t OpenDescriptors();

// no_file_descriptor (unavailable) where what is about to begin would find too few. Others may take
// them meanwhile: it makes the usual case a message in the place of an accident.
absl::Status CheckDescriptors();

}  // namespace walduct
