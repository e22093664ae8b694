// The offset store that a connector's configuration asks for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "config/options/options.h"
#include "offset/offset_store.h"

namespace walduct::offset {

// Finds out what can be found out without a broker: FailedPrecondition offset_file_unwritable,
// InvalidArgument for client properties.
absl::StatusOr<std::unique_ptr<OffsetStore>> CreateOffsetStore(
    const config::ConnectorOptions& options, const Environment& environment);

}  // namespace walduct::offset
