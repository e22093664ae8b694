// LoneRecord: a record that travels with no other in flight, so that its fate is its own. Written
// by asking again and again: ResourceExhausted while what is before it, or it itself, is on its
// way; then what became of it. The caller asks with the same record until there is an answer.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "kafka/producer.h"
#include "sink/sink.h"

namespace walduct::sink {

class LoneRecord {
 public:
  // OK: durable; it counts as written under ticket, and TakeAcknowledged has it.
  absl::Status Write(kafka::Producer& producer, kafka::Message message, Ticket ticket);
  // Its fate.
  void OnFate(const absl::Status& fate) { fate_ = fate; }
  void TakeAcknowledged(AckHandler& acks);
  // One is on its way, or its writer has not been told of its fate.
  bool sent() const { return sent_; }

 private:
  bool sent_ = false;
  std::optional<absl::Status> fate_;
  std::optional<Ticket> acknowledged_;
};

}  // namespace walduct::sink
