#include "operate/commands/server_identity.h"

#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "poll/position/position_sql.h"
#include "poll/position/server_now.h"
#include "postgres/open_session.h"

namespace walduct::operate {

absl::StatusOr<std::optional<replication::SlotState>> SlotOf(
    postgres::Connection& sql, const engine::ConnectorOptions& connector) {
  if (!engine::ReadsSlot(connector)) return std::nullopt;
  return replication::InspectSlot(sql, engine::NamesOf(connector).slot);
}

absl::StatusOr<replication::SystemIdentity> IdentityOf(postgres::Connection& sql,
                                                       const engine::ConnectorOptions& connector,
                                                       const Environment& environment) {
  if (!engine::ReadsSlot(connector)) {
    ASSIGN_OR_RETURN(const postgres::Result answer, sql.Query(postgres::OneRow(5), poll::NowSql()));
    ASSIGN_OR_RETURN(const poll::ServerNow now, poll::ReadNow(answer));
    return replication::SystemIdentity{.system_identifier = now.system_identifier,
                                       .timeline = now.timeline,
                                       .wal_end = now.written};
  }
  ASSIGN_OR_RETURN(const auto replication,
                   postgres::OpenSession(engine::DatabaseOf(connector), "walduct offsets",
                                         environment, postgres::SessionKind::kReplication));
  return replication::IdentifySystem(*replication);
}

}  // namespace walduct::operate
