// SNS' row.
#pragma once

#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kSnsSink;

}  // namespace walduct::sink
