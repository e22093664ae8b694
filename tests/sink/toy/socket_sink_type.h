// The toy's row. One that ships has its line in src/sink/list/sink_types.cc, too.
#pragma once

#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kSocketSink;

}  // namespace walduct::sink
