#include "slot/world/capture/capture_options.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "names/table_filter.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"
#include "replication/capture/capture_catalog.h"
#include "replication/capture/idle_entries.h"
#include "replication/options.h"
#include "replication/publication_name.h"
#include "route/options.h"
#include "slot/world/capture/list_problems.h"
#include "slot/world/known/known_tables.h"

namespace walduct::slot {
CaptureWatch::Options CaptureOptionsOf(const names::TableFilterOptions& tables,
                                       const route::RouteOptions& route,
                                       const replication::ReplicationOptions& replication,
                                       absl::Duration interval, CaptureWatch::Open open,
                                       const Environment& environment, std::string heartbeat_query,
                                       std::set<std::string> publications_of_others) {
  constexpr int kIntervals = 30;
  constexpr absl::Duration kApart = absl::Seconds(3);
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
                   .may_be_empty = replication.allow_empty,
                   .inserts = !route.skip_create,
                   .updates = !route.skip_update,
                   .deletes = !route.skip_delete,
                   .truncates = !route.skip_truncate,
                   .signal_table = tables.signal_table,
                   .heartbeat_query = std::move(heartbeat_query),
                   .include_list = replication::OnlyIncludeList(tables),
                   .publications_of_others = std::move(publications_of_others)},
          // Each session is used, but those of a moment ago.
          .interval = follows ? absl::ZeroDuration() : std::min(interval, kApart),
          .repeat = kIntervals * interval,
          .open = std::move(open),
          // To whom those give a key is not asked.
          .keyless_left_out = !route.message_keys,
          .environment = environment};
}

replication::CaptureWish ListWish(const names::TableFilterOptions& tables,
                                  const replication::ReplicationOptions& replication,
                                  const names::Called& called) {
  return {.may_be_empty = replication.allow_empty,
          .called = called,
          .include_list = replication::OnlyIncludeList(tables)};
}

absl::StatusOr<replication::LikelyTables> ReadLikelyTables(
    const names::TableFilterOptions& lists, const replication::ReplicationOptions& replication,
    const offset::StoredOffset* stored, postgres::Connection& connection) {
  if (!lists.table_include) return replication::LikelyTables();
  replication::CaptureMemory memory;
  if (stored != nullptr) RememberStoredNames(KnownTablesIn(stored->members), lists, &memory);
  std::vector<std::string> names;
  const replication::SlotShare& share = replication.share;
  for (const std::string& name :
       share.several() ? share.publications : std::vector{replication.publication_name}) {
    ASSIGN_OR_RETURN(std::string resolved, replication::ResolvePublicationName(connection, name));
    names.push_back(std::move(resolved));
  }
  ASSIGN_OR_RETURN(const replication::CaptureFacts facts,
                   replication::ReadCaptureFacts(connection, names));
  replication::CaptureWish wish;
  wish.filtered =
      replication.publication_autocreate == replication::PublicationAutocreate::kFiltered;
  replication::LikelyTables likely = replication::LikelyOf(facts, wish, memory);
  // Those that are gone have no other finding here.
  likely.came.clear();
  return likely;
}

}  // namespace walduct::slot
