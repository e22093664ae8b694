// The checks of a doctor, server by server. Used by doctor.cc only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/environment.h"
#include "base/lsn.h"
#include "engine/doctor/finding.h"
#include "engine/doctor/subject.h"
#include "offset/stored_offset.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::encode {
struct ColumnOptions;
}

namespace walduct::engine {

// A server has that long for all questions about one matter.
inline constexpr absl::Duration kPatience = absl::Seconds(15);

struct KnownPosition {
  bool known = false;  // the store has answered
  std::optional<offset::StoredOffset> stored = {};
};

// Brokers, topics, rights on them, the offset store.
KnownPosition CheckKafka(const Subject& subject, const Environment& environment,
                         const std::vector<std::string>& topics, Findings* findings);
void CheckRegistries(const Subject& subject, Findings* findings);

// Settings, role, clock.
void CheckSettings(postgres::Connection& connection, const Environment& environment,
                   Findings* findings);
// Tables without rights, without identity, outside of the publication. The topics that are known
// beforehand.
std::vector<std::string> CheckTables(postgres::Connection& connection, const Subject& subject,
                                     const Environment& environment, Findings* findings);
// What the role may not do that a connector does: reads, marks of incremental snapshots,
// heartbeats.
void CheckRights(postgres::Connection& connection, const Subject& subject,
                 const Environment& environment, const std::vector<postgres::TableName>& captured,
                 Findings* findings);
struct ServerNames {
  std::string slot, publication;
  bool publishes_all = false;  // where the publication is still to be made
  std::string signal_table;    // schema.table; empty: none
};
void CheckServerTraps(postgres::Connection& connection, const ServerNames& names,
                      Findings* findings);
void CheckTableTraps(postgres::Connection& connection, const std::vector<Oid>& captured,
                     const std::string& publication, Findings* findings);
// Of the captured tables: NULL under NOT NULL, keys that rows can share.
void CheckNulls(postgres::Connection& connection, const std::vector<Oid>& captured,
                const encode::ColumnOptions& columns, bool keep_lost, Findings* findings);
void CheckKeys(postgres::Connection& connection, postgres::Catalog& catalog, const Subject& subject,
               const std::vector<postgres::TableName>& captured, Findings* findings);
// Captured tables that the publication of a slot that is there does not send as the lists say: what
// a connector that runs says of them, by the same words. What is said already is not said again.
void CheckCapture(postgres::Connection& connection, const Subject& subject, Findings* findings);
// Our slot, the others of the server, and the stored position beside them.
void CheckSlots(postgres::Connection& connection, const Subject& subject,
                const KnownPosition& position, const Environment& environment, Findings* findings);

// The tables that the stored position knows, beside those that are captured and published now.
void CheckKnownTables(postgres::Connection& connection, const Subject& subject,
                      const KnownPosition& position, Findings* findings);

// Columns that were hidden when the position was stored, beside those that are now.
void CheckMasks(postgres::Connection& connection, const Subject& subject,
                const KnownPosition& position, Findings* findings);

// The standby that tables are still to be read from, where one is configured.
void CheckStandby(postgres::Connection& server, const Subject& subject,
                  const KnownPosition& position, const Environment& environment,
                  Findings* findings);

// Which server the findings are of.
void NameServer(const Subject& subject, Findings* findings);
// A session that gives up, and is who the connector's sessions are.
absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenToLook(const Subject& subject,
                                                                 const Environment& environment,
                                                                 postgres::SessionKind kind);
// The same, with the role's own search_path: for SQL that users wrote.
absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenAsUser(const Subject& subject,
                                                                 const Environment& environment);

}  // namespace walduct::engine
