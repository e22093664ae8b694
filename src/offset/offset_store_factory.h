// The offset store that the options ask for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"

namespace walduct::kafka {
struct KafkaOptions;
}  // namespace walduct::kafka

namespace walduct::offset {

class OffsetTopics;
struct OffsetOptions;

// Finds out what can be found out without a broker: FailedPrecondition offset_file_unwritable,
// InvalidArgument for client properties. topics: shared by the stores of a process; null: none.
absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(
    const OffsetOptions& options, const kafka::KafkaOptions& kafka, OffsetIdentity identity,
    const Environment& environment, std::shared_ptr<OffsetTopics> topics = nullptr);

}  // namespace walduct::offset
