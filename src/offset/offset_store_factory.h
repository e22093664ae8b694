// The offset store that the options ask for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "kafka/options.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"
#include "offset/options.h"

namespace walduct::offset {

// Finds out what can be found out without a broker: FailedPrecondition offset_file_unwritable,
// InvalidArgument for client properties.
absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(const OffsetOptions& options,
                                                               const kafka::KafkaOptions& kafka,
                                                               OffsetIdentity identity,
                                                               const Environment& environment);

}  // namespace walduct::offset
