// Kinesis' row.
#pragma once

#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kKinesisSink;

}  // namespace walduct::sink
