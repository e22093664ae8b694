// SinkOptions: which sink, with the options of that one. A sink sees its own alone: its struct is
// declared beside it. Immutable once built.
#pragma once

#include <variant>

#include "sink/kafka_sink_options.h"
#include "sink/line_sink_options.h"

namespace walduct::sink {

struct SinkOptions {
  std::variant<KafkaSinkOptions, FileSinkOptions, StdoutSinkOptions> target;
};

}  // namespace walduct::sink
