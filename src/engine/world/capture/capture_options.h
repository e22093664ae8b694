// What a CaptureWatch has to know of a connector.
#pragma once

#include "absl/time/time.h"
#include "engine/world/capture/capture_watch.h"

namespace walduct::postgres {
struct ConnectionOptions;
}
namespace walduct::replication {
struct ReplicationOptions;
}

namespace walduct::engine {

struct ConnectorOptions;

// Without what is borrowed. replication: as it is used. interval: between two sessions that may
// look. session: of the kind that may alter the publication.
CaptureWatch::Options CaptureOptionsOf(const ConnectorOptions& config,
                                       const replication::ReplicationOptions& replication,
                                       absl::Duration interval,
                                       const postgres::ConnectionOptions& session);

}  // namespace walduct::engine
