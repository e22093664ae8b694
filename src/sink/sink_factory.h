// The sink that a connector's configuration asks for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "sink/sink.h"

namespace walduct::kafka {
struct KafkaOptions;
}  // namespace walduct::kafka

namespace walduct::sink {

class Refusals;
struct SinkOptions;

// InvalidArgument for client properties that cannot work; FailedPrecondition output_unwritable.
// Reaches for no broker yet: that is PrepareTopics'. refusals: borrowed; see Refusals.
absl::StatusOr<std::unique_ptr<Sink>> CreateSink(const SinkOptions& options,
                                                 const kafka::KafkaOptions& kafka,
                                                 const Environment& environment,
                                                 Refusals* refusals = nullptr);

}  // namespace walduct::sink
