// RefusedRecords: what becomes of a record that a target has taken into its hands and refuses,
// while others around it are durable: by the same policies as RecordErrors, but the row is not at
// hand any more. The record is; it becomes the dead letter as it was sent. Data thread only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "delivery/pipeline/record_errors.h"
#include "delivery/pipeline/verdict.h"
#include "delivery/settling/destination_meter.h"
#include "event/record.h"
#include "sink/sink.h"

namespace walduct::delivery {

class RefusedRecords {
 public:
  // Borrowed. sink: dead letters go there. destinations: null: they are not counted.
  RefusedRecords(RecordErrors::Options options, sink::Sink* sink,
                 DestinationMeter* destinations = nullptr)
      : options_(std::move(options)), sink_(*sink), destinations_(destinations) {}

  // See sink::AckHandler::OnRefused. A letter that is refused stops the connector, whatever the
  // policies. *settled: nothing stands in its place that the sink would acknowledge.
  absl::Status Take(const event::Record& record, sink::Ticket ticket, const absl::Status& why,
                    bool* settled);

 private:
  bool IsLetter(const event::Record& record) const;
  absl::Status WriteLetter(const event::Record& record, sink::Ticket ticket,
                           const absl::Status& why);
  void Count(const event::Record& record, const absl::Status& why, Verdict verdict);

  const RecordErrors::Options options_;
  sink::Sink& sink_;
  DestinationMeter* const destinations_;
  std::vector<event::Header> headers_;
  SkippedRecords skipped_;
};

}  // namespace walduct::delivery
