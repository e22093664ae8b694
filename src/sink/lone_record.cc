#include "sink/lone_record.h"

#include <utility>

namespace walduct::sink {

absl::Status LoneRecord::Write(kafka::Producer& producer, kafka::Message message, Ticket ticket) {
  if (fate_) {
    sent_ = false;
    const absl::Status fate = *std::exchange(fate_, std::nullopt);
    if (fate.ok()) acknowledged_ = ticket;
    return fate;
  }
  if (sent_) return absl::ResourceExhaustedError("a record that was sent alone is on its way");
  if (producer.in_flight_records() != 0)
    return absl::ResourceExhaustedError("a record waits to be sent alone");
  message.alone = true;
  if (absl::Status refused = producer.Produce(message); !refused.ok()) return refused;
  sent_ = true;
  return absl::ResourceExhaustedError("a record that was sent alone is on its way");
}

void LoneRecord::TakeAcknowledged(AckHandler& acks) {
  if (const auto ticket = std::exchange(acknowledged_, std::nullopt))
    acks.OnAcknowledged(*ticket, 1);
}

}  // namespace walduct::sink
