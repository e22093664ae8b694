#include "operate/commands/server_identity.h"

#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/source_type.h"
#include "poll/position/position_sql.h"
#include "poll/position/server_now.h"
#include "postgres/open_session.h"
#include "replication/options.h"

namespace walduct::operate {

bool Polls(const engine::ConnectorOptions& options) {
  return options.source != nullptr && !options.source->by_slot;
}

absl::StatusOr<std::optional<replication::SlotState>> SlotOf(
    postgres::Connection& sql, const engine::ConnectorOptions& options) {
  if (Polls(options)) return std::nullopt;
  return replication::InspectSlot(sql, options.replication->slot_name);
}

absl::StatusOr<replication::SystemIdentity> IdentityOf(postgres::Connection& sql,
                                                       const engine::ConnectorOptions& options,
                                                       const Environment& environment) {
  if (Polls(options)) {
    ASSIGN_OR_RETURN(const postgres::Result answer, sql.Query(postgres::OneRow(5), poll::NowSql()));
    ASSIGN_OR_RETURN(const poll::ServerNow now, poll::ReadNow(answer));
    return replication::SystemIdentity{.system_identifier = now.system_identifier,
                                       .timeline = now.timeline,
                                       .wal_end = now.written};
  }
  ASSIGN_OR_RETURN(const auto replication,
                   postgres::OpenSession(*options.database, "walduct offsets", environment,
                                         postgres::SessionKind::kReplication));
  return replication::IdentifySystem(*replication);
}

}  // namespace walduct::operate
