#include "engine/world/capture/capture_options.h"

#include <utility>
#include <vector>

#include "names/table_filter.h"
#include "replication/options.h"
#include "route/options.h"

namespace walduct::engine {

CaptureWatch::Options CaptureOptionsOf(const names::TableFilterOptions& tables,
                                       const route::RouteOptions& route,
                                       const replication::ReplicationOptions& replication,
                                       absl::Duration interval, CaptureWatch::Open open,
                                       const Environment& environment) {
  constexpr int kRepeat = 30;
  const replication::SlotShare& share = replication.share;
  const bool filtered =
      replication.publication_autocreate == replication::PublicationAutocreate::kFiltered;
  const bool follows = filtered && replication.publication_follow;
  return {.publications =
              share.several() ? share.publications : std::vector{replication.publication_name},
          .tables = tables,
          .share = share,
          .wish = {.lists_given = tables.lists_anything(),
                   .filtered = filtered,
                   .follows = follows,
                   .inserts = !route.skip_create,
                   .updates = !route.skip_update,
                   .deletes = !route.skip_delete,
                   .truncates = !route.skip_truncate,
                   .signal_table = tables.signal_table},
          // Each second session is used; to follow, each.
          .interval = follows ? absl::ZeroDuration() : interval * 1.5,
          .repeat = kRepeat * interval,
          .open = std::move(open),
          .environment = environment};
}

}  // namespace walduct::engine
