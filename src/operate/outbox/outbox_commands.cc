#include "operate/outbox/outbox_commands.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/options_of.h"
#include "kafka/options.h"
#include "names/table_filter.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "outbox/fence.h"
#include "outbox/options.h"
#include "postgres/open_session.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/publication_name.h"
#include "replication/slot.h"
#include "route/options.h"
#include "slot/world/preview/chain_preview.h"

namespace walduct::operate {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(500);

absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(const engine::ConnectorOptions& options,
                                                           postgres::SessionKind kind,
                                                           const Environment& environment) {
  return postgres::OpenSession(*options.database, "walduct outbox clean", environment, kind);
}

// LSNs of two servers, or of two histories of one, cannot be compared.
absl::Status CheckSameServer(const engine::ConnectorOptions& options,
                             const offset::StoredOffset& stored, const Environment& environment) {
  ASSIGN_OR_RETURN(const auto replication,
                   Open(options, postgres::SessionKind::kReplication, environment));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system,
                   replication::IdentifySystem(*replication));
  const Lsn position = stored.position.commit_end;
  constexpr absl::string_view kCheck = "check database.hostname and the offset store";
  if (!stored.system_identifier.empty() && stored.system_identifier != system.system_identifier) {
    return Error(absl::StatusCode::kFailedPrecondition, "system_mismatch",
                 "nothing removed: the stored position belongs to another server", kCheck);
  }
  if (stored.slot_held) {
    return Error(absl::StatusCode::kFailedPrecondition, "lost_slot_held",
                 absl::StrCat("nothing removed: the slot was lost behind the stored position ",
                              position.ToString(), ", and what was written since was not read"),
                 "decide about the gap first: walduct explain lost_slot_held");
  }
  if ((stored.timeline && *stored.timeline != system.timeline) || stored.seen_behind ||
      position > system.wal_end) {
    return Error(absl::StatusCode::kFailedPrecondition, "position_ahead",
                 absl::StrCat("nothing removed: the stored position ", position.ToString(),
                              " is not part of this server's history; the server's WAL ends at ",
                              system.wal_end.ToString(), " on timeline ", system.timeline),
                 "if the server was restored or promoted, start the connector first");
  }
  return absl::OkStatus();
}

// Without its slot the connector has not read what was written since.
absl::Status CheckSlot(postgres::Connection& connection, const std::string& name) {
  ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(connection, name));
  if (slot && slot->wal_status != "lost" && slot->restart_lsn.valid()) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "slot_lost",
               absl::StrCat("nothing removed: replication slot ", name,
                            slot ? " has lost its WAL" : " does not exist"),
               "check slot.name, and start the connector first");
}

absl::Status CheckPublishesInserts(const engine::ConnectorOptions& options) {
  if (!options.route->skip_create) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, "outbox_not_published",
               "skipped.operations lists 'c': inserts are not published, so rows would be deleted "
               "unpublished",
               "remove 'c' from skipped.operations");
}

absl::Status AwaitAcknowledged(const engine::ConnectorOptions& options, Lsn wanted,
                               const CleanRequest& request) {
  const auto [clock, poller] = request.environment;
  const absl::Duration deadline = clock->Monotonic() + request.wait;
  ASSIGN_OR_RETURN(const auto store, offset::CreateOffsetStore(*options.offset, *options.kafka,
                                                               engine::OffsetIdentityOf(options),
                                                               request.environment));
  bool same_server = false;
  std::string last = "none";
  while (true) {
    ASSIGN_OR_RETURN(const auto stored, store->Load());
    if (stored && stored->position.snapshot != event::SnapshotPhase::kRunning) {
      if (!same_server) RETURN_IF_ERROR(CheckSameServer(options, *stored, request.environment));
      same_server = true;
      if (stored->position.commit_end >= wanted) return absl::OkStatus();
      last = stored->position.commit_end.ToString();
    }
    const absl::Duration left = deadline - clock->Monotonic();
    if (left <= absl::ZeroDuration()) break;
    poller->WaitReadable({}, std::min(left, kPoll));
  }
  return Error(absl::StatusCode::kCancelled, "outbox_not_acknowledged",
               absl::StrCat("nothing removed: the connector's stored position is ", last,
                            ", but the tables may hold rows written up to ", wanted.ToString()),
               "run this while the connector is running, or wait longer with --wait");
}

}  // namespace

absl::StatusOr<outbox::Removed> CleanOutboxOnce(const engine::ConnectorOptions& given,
                                                const CleanRequest& request) {
  engine::ConnectorOptions options = given;
  if (!options.outbox->tables) {
    return Error(absl::StatusCode::kInvalidArgument, "outbox_no_tables",
                 "walduct.outbox.tables is not set", "list the outbox tables as schema.table");
  }
  RETURN_IF_ERROR(CheckPublishesInserts(options));
  if (options.outbox->cleanup == outbox::OutboxCleanup::kNone)
    options.outbox->cleanup = outbox::OutboxCleanup::kDelete;
  RETURN_IF_ERROR(slot::PreviewOnServer(options, request.environment).status());
  ASSIGN_OR_RETURN(const auto connection,
                   Open(options, postgres::SessionKind::kSql, request.environment));
  const names::TableFilter captured(*options.tables);
  ASSIGN_OR_RETURN(
      const std::string publication,
      replication::ResolvePublicationName(*connection, options.replication->publication_name));
  outbox::Cleaner cleaner({.connection = connection.get(),
                           .tables = {options.outbox.get(), &captured, publication},
                           .stopping = nullptr});
  RETURN_IF_ERROR(CheckSlot(*connection, options.replication->slot_name));
  RETURN_IF_ERROR(cleaner.Prepare());
  ASSIGN_OR_RETURN(const outbox::Fence fence, outbox::TakeFence(*connection));
  if (request.dry_run) return cleaner.Count(fence);
  RETURN_IF_ERROR(AwaitAcknowledged(options, fence.wal_end, request));
  outbox::Removed removed;
  RETURN_IF_ERROR(cleaner.Clean(fence, &removed));
  return removed;
}

}  // namespace walduct::operate
