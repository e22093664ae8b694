// SinkOptions: which sink, with the options of that one. Immutable once built; copies share.
#pragma once

#include <memory>

#include "sink/sink_type.h"

namespace walduct::sink {

struct SinkOptions {
  std::shared_ptr<Destination> target = DefaultDestination();
};

}  // namespace walduct::sink
