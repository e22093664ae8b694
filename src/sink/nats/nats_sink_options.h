// Records as messages of NATS JetStream. Immutable once built.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nats/options.h"

namespace walduct::sink {

struct NatsSinkOptions {
  size_t buffer_bytes = 8u << 20;  // not acknowledged yet, at most
  nats::NatsOptions server = {};
  bool create_stream = false;  // at the start
  std::string stream = "DebeziumStream";
  std::vector<std::string> subjects;  // of that stream
  bool file = false;                  // the same; else in memory
  bool one_by_one = false;            // each awaits its acknowledgement
  std::string letters;                // topic of dead letters: written without a value, too
  // What ids begin with: whose positions they are made of.
  std::string identity;
};

}  // namespace walduct::sink
