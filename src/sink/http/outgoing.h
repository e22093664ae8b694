// Outgoing: a record on its way to an HTTP server, and what goes with it on the wire. Belongs to
// one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sink/kept_record.h"

namespace walduct::sink {

// Of a record with a value.
class Outgoing : public KeptRecord {
 public:
  // Far more than are in flight: keys seldom share one.
  static constexpr uint32_t kLanes = 1024;

  size_t bytes() const { return kept_bytes() + url.size() + head.size(); }

  uint32_t lane = 0;
  std::string url;   // empty: the one of all records
  std::string head;  // lines of the header, each ended by a NUL
  std::string id;    // the same whenever it is sent
  std::unique_ptr<Outgoing> next;
};

}  // namespace walduct::sink
