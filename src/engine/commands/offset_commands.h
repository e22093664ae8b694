// What `walduct offsets` does: the stored position of a stopped connector, as the body of Connect's
// /connectors/{name}/offsets. Blocking; for the command line.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/environment.h"

namespace walduct::engine {

struct ConnectorOptions;

// {"offsets":[…]}; an empty list when nothing is stored.
absl::StatusOr<std::string> ReadOffsets(const ConnectorOptions& options,
                                        const Environment& environment);

// Stores (or, for "offset": null, forgets) the offset of this connector's partition.
// FailedPrecondition connector_running while the slot is in use. An unreachable database does not
// matter: then nobody can be streaming from us either.
absl::Status WriteOffsets(const ConnectorOptions& options, absl::string_view rest_body,
                          const Environment& environment);

}  // namespace walduct::engine
