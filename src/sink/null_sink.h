// NullSink: acknowledges each record and keeps none: sink=file with /dev/null as its file, which
// shows what everything before the sink takes. No line is made of a record that nobody can read.
#pragma once

#include "sink/sink.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

// An open file is the system's null device.
bool IsNullDevice(int fd);

class NullSink final : public Sink {
 public:
  bool HasCapacity() override { return true; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return -1; }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;

 private:
  Unacknowledged written_;
};

}  // namespace walduct::sink
