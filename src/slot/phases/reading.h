// Reading: what is read once the stream has come to a point, before it ends; by who asked for the
// attempts. Data thread only.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "replication/wal_source.h"

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
  // What the stream is read through; once it has ended no more of it is wanted.
  virtual std::unique_ptr<replication::WalSource> Through(
      std::unique_ptr<replication::WalSource> stream) {
    return stream;
  }
  virtual bool Ended() const { return false; }
  // What was before the point is acknowledged and stored. Publishes by PublishRead. done: false: it
  // was interrupted.
  virtual absl::Status Read(delivery::Pipeline* pipeline, Housekeeping* housekeeping,
                            bool* done) = 0;
  // All that was read is acknowledged.
  virtual void OnDelivered() = 0;
};

}  // namespace walduct::slot
