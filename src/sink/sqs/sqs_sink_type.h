// SQS' row.
#pragma once

#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kSqsSink;

}  // namespace walduct::sink
