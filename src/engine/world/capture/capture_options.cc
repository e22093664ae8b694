#include "engine/world/capture/capture_options.h"

#include <utility>
#include <vector>

#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "route/options.h"

namespace walduct::engine {

CaptureWatch::Options CaptureOptionsOf(const ConnectorOptions& config,
                                       const replication::ReplicationOptions& replication,
                                       absl::Duration interval,
                                       const postgres::ConnectionOptions& session) {
  constexpr int kRepeat = 30;
  const replication::SlotShare& share = replication.share;
  const bool filtered =
      replication.publication_autocreate == replication::PublicationAutocreate::kFiltered;
  const bool follows = filtered && replication.publication_follow;
  return {.publications =
              share.several() ? share.publications : std::vector{replication.publication_name},
          .tables = *config.tables,
          .share = share,
          .wish = {.lists_given = config.tables->lists_anything(),
                   .filtered = filtered,
                   .follows = follows,
                   .inserts = !config.route->skip_create,
                   .updates = !config.route->skip_update,
                   .deletes = !config.route->skip_delete,
                   .truncates = !config.route->skip_truncate,
                   .signal_table = config.tables->signal_table},
          // Each second session is used; to follow, each.
          .interval = follows ? absl::ZeroDuration() : interval * 1.5,
          .repeat = kRepeat * interval,
          .open =
              [session](const postgres::StopCheck& stopping) {
                postgres::ConnectionOptions options = session;
                options.stopping = stopping;
                return postgres::Connection::Open(std::move(options));
              },
          .environment = session.environment};
}

}  // namespace walduct::engine
