#include "slot/world/advice/outbox_checks.h"

#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "outbox/options.h"
#include "replication/publication/publication.h"
#include "replication/publication_name.h"

namespace walduct::slot {

bool OutboxChecks::enabled() const {
  return parts_.options->cleanup != outbox::OutboxCleanup::kNone;
}

outbox::TablesQuery OutboxChecks::Query() const {
  return {parts_.options, parts_.captured, publication_, parts_.memory};
}

absl::Status OutboxChecks::BeforePublication(postgres::Connection& sql,
                                             const std::string& publication) {
  if (!enabled()) return absl::OkStatus();
  ASSIGN_OR_RETURN(publication_, replication::ResolvePublicationName(sql, publication));
  newly_published_ =
      ErrorReason(outbox::FindLeaves(sql, Query()).status()) == "outbox_not_published";
  return absl::OkStatus();
}

absl::Status OutboxChecks::AfterPublication(postgres::Connection& sql, bool first_start,
                                            bool rows_read) {
  if (!enabled()) return absl::OkStatus();
  if ((first_start || newly_published_) && !rows_read)
    RETURN_IF_ERROR(outbox::CheckNoHistory(sql, Query()));
  ASSIGN_OR_RETURN(server_, outbox::MarkServer(sql));
  if (parts_.memory->beginning.empty()) parts_.memory->beginning = server_.next_xid;
  absl::Status usable = outbox::FindLeaves(sql, Query()).status();
  if (usable.ok() || first_start) return usable;
  // The thread says so too, at each start of its own.
  log::Warn("outbox housekeeping is currently not possible: " + std::string(usable.message()),
            {{"reason", ErrorReason(usable)}, {"hint", ErrorHint(usable)}});
  return absl::OkStatus();
}

absl::Status OutboxChecks::CheckNoHistory(postgres::Connection& on_snapshot) {
  return enabled() ? outbox::CheckNoHistory(on_snapshot, Query()) : absl::OkStatus();
}

std::unique_ptr<outbox::CleanupThread> OutboxChecks::StartCleanup() {
  if (!enabled()) return nullptr;
  return std::make_unique<outbox::CleanupThread>(
      outbox::CleanupThread::Options{.connector = parts_.connector,
                                     .outbox = parts_.options,
                                     .database = parts_.database,
                                     .captured = parts_.captured,
                                     .metrics = parts_.metrics,
                                     .publication = publication_,
                                     .server_started = server_.started,
                                     .memory = parts_.memory,
                                     .environment = parts_.environment});
}

}  // namespace walduct::slot
