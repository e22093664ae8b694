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

struct OffsetOptions;

// Finds out what can be found out without a broker: FailedPrecondition offset_file_unwritable,
// InvalidArgument for client properties.
absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(const OffsetOptions& options,
                                                               const kafka::KafkaOptions& kafka,
                                                               OffsetIdentity identity,
                                                               const Environment& environment);

}  // namespace walduct::offset
