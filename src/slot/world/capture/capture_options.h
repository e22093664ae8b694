// What a CaptureWatch has to know of a connector.
#pragma once

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "replication/capture/idle_entries.h"
#include "slot/world/capture/capture_watch.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::offset {
struct StoredOffset;
}
namespace walduct::postgres {
class Connection;
}
namespace walduct::replication {
struct ReplicationOptions;
}

namespace walduct::route {
struct RouteOptions;
}

namespace walduct::slot {

// Without what is borrowed. replication: as it is used. interval: between two sessions that may
// look. open: a session that may alter the publication. heartbeat_query: heartbeat.action.query.
// publications_of_others: by which other connectors of this process read.
CaptureWatch::Options CaptureOptionsOf(const names::TableFilterOptions& tables,
                                       const route::RouteOptions& route,
                                       const replication::ReplicationOptions& replication,
                                       absl::Duration interval, CaptureWatch::Open open,
                                       const Environment& environment, std::string heartbeat_query,
                                       std::set<std::string> publications_of_others);

// What alone concerns the entries of the lists.
replication::CaptureWish ListWish(const names::TableFilterOptions& tables,
                                  const replication::ReplicationOptions& replication,
                                  const names::Called& called);

// As far as it is known beside a connector. stored: the position; null: not known.
absl::StatusOr<replication::LikelyTables> ReadLikelyTables(
    const names::TableFilterOptions& lists, const replication::ReplicationOptions& replication,
    const offset::StoredOffset* stored, postgres::Connection& connection);

}  // namespace walduct::slot
