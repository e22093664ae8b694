// Reading: what is read once the stream has come to a point, before it ends; by who asked for the
// attempts. Data thread only.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"

namespace walduct::delivery {
class Pipeline;
}

namespace walduct::slot {

class Housekeeping;

class Reading {
 public:
  virtual ~Reading() = default;
  // The slot is this session's. The stream ends before the first transaction that commits at that
  // point or behind it.
  virtual absl::StatusOr<Lsn> Point() = 0;
  // What was before the point is acknowledged and stored. Publishes by PublishRead. done: false: it
  // was interrupted.
  virtual absl::Status Read(delivery::Pipeline* pipeline, Housekeeping* housekeeping,
                            bool* done) = 0;
  // All that was read is acknowledged.
  virtual void OnDelivered() = 0;
};

}  // namespace walduct::slot
