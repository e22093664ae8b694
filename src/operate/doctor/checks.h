// The checks of a doctor, server by server. Used by doctor.cc only.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/environment.h"
#include "base/lsn.h"
#include "kafka/producer.h"
#include "offset/offset_store.h"
#include "offset/stored_offset.h"
#include "operate/commands/offset_topic_watch.h"
#include "operate/doctor/subject/finding.h"
#include "operate/doctor/subject/subject.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "postgres/server_check.h"
#include "replication/slot.h"
#include "snapshot/mode.h"

namespace walduct::encode {
struct ColumnOptions;
}

namespace walduct::operate {

// A server has that long for all questions about one matter.
inline constexpr absl::Duration kPatience = absl::Seconds(15);

struct KnownPosition {
  bool known = false;  // the store has answered
  std::optional<offset::StoredOffset> stored = {};
  bool erased = false;  // on purpose
};

// What is known so far of a connector that is looked at. What a check finds others go by.
struct Examination {
  const Subject& subject;
  const Environment& environment;
  Findings& findings;
  std::unique_ptr<postgres::Connection> sql = nullptr;          // null: there is none
  std::unique_ptr<postgres::Connection> replication = nullptr;  // the same
  std::unique_ptr<kafka::Producer> producer = nullptr;          // of the sink; the same
  bool kafka_away = false;                                      // the sink's
  std::unique_ptr<offset::OffsetStore> store = nullptr;         // null: nothing is stored, or known
  bool no_offset_topic = false;
  KnownPosition position = {};
  std::optional<postgres::ServerInfo> server = {};
  std::optional<std::vector<postgres::TableName>> captured = {};
  size_t elsewhere = 0;  // captured by other slots of the connector
  std::optional<std::optional<replication::SlotState>> slot = {};
  bool is_read = false;     // by the connector itself, which runs
  bool works = false;       // the connector's own session has its lock: a snapshot, or a start
  bool refused = false;     // by slot or position a start would be
  bool has_waited = false;  // for a session of the connector that may just have been ending
  absl::Status lost_slot = {};
  std::optional<snapshot::StartDecision> decision = {};

  // Somewhere the connector runs, and goes on by the position that it knows.
  bool runs() const { return is_read || subject.runs; }
  // False: a start reads no rows, as far as is known.
  bool reads() const { return !decision || decision->snapshot; }
  // Nothing is left to do, and a start asks no further.
  bool is_done() const { return decision && !decision->snapshot && !decision->stream; }
};

// The answers to StartCheck's questions.
void AskSpill(Examination& examined);
void AskSink(Examination& examined);
// For OffsetTopicWatch; keeps a copy of the subject.
OffsetTopic OffsetTopicOf(const Subject& subject, const Environment& environment);
void AskRegistries(Examination& examined);
void AskOffsetStore(Examination& examined);
void AskServer(Examination& examined);
void AskStoredPosition(Examination& examined);
void AskSlotCount(Examination& examined);
void AskTables(Examination& examined);
void AskPromotion(Examination& examined);
void AskSlot(Examination& examined);
void AskSlotOwner(Examination& examined);
void AskEarlierWriters(Examination& examined);
void AskPosition(Examination& examined);
void AskMasks(Examination& examined);
void AskTransforms(Examination& examined);
// The same of tables that are polled: what stops the connector at the first row is an error.
void AskRouter(Examination& examined);
void AskRights(Examination& examined);
void AskTopics(Examination& examined);
void AskPublication(Examination& examined);

// What a slot that is about to be lost has left, for a finding; hint: what to type at once.
inline constexpr char kKeepSlot[] =
    "at once, while the server's disk has room: ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; "
    "SELECT pg_reload_conf(); then look at what holds the connector up";

// The slot, and who reads it.
absl::Status LookAtSlot(Examination& examined);
// From the store, and the server's history behind it.
absl::Status ReadPosition(Examination& examined);

// Settings, role, clock.
void CheckSettings(postgres::Connection& connection, const Environment& environment,
                   Findings* findings);
// Captured tables: what rows may hold, and what the server does not send.
void CheckRows(Examination& examined);
// What the role may not do besides reads: marks of incremental snapshots, heartbeats, statements of
// database.initial.statements.
void CheckStatements(Examination& examined);
struct ServerNames {
  std::string slot, publication;
  bool publishes_all = false;  // where the publication is still to be made
  std::string signal_table;    // schema.table; empty: none
  bool outbox = false;         // all that is captured is: inserts are all that is wanted
};
void CheckServerTraps(postgres::Connection& connection, const ServerNames& names,
                      Findings* findings);
// schemas: where tables that are still to be made will be captured and read.
void CheckTableTraps(postgres::Connection& connection, const std::vector<Oid>& captured,
                     const std::string& publication, const std::set<std::string>& schemas,
                     Findings* findings);
// Of the captured tables: NULL under NOT NULL, keys that rows can share.
void CheckNulls(postgres::Connection& connection, const std::vector<Oid>& captured,
                const encode::ColumnOptions& columns, bool keep_lost, Findings* findings);
void CheckKeys(postgres::Connection& connection, postgres::Catalog& catalog, const Subject& subject,
               const std::vector<postgres::TableName>& captured, Findings* findings);
// Captured tables that the publication of a slot that is there does not send as the lists say: what
// a connector that runs says of them, by the same words. What is said already is not said again.
void CheckCapture(postgres::Connection& connection, const Subject& subject,
                  const KnownPosition& position, Findings* findings);
// Entries of the include lists that match no table, and of the lists of columns that match no
// column, also where nothing has begun yet. begun: what a column entry may lose was told by a
// start, and it is a notice, as that of `walduct status`.
absl::Status CheckLists(postgres::Connection& connection, const Subject& subject,
                        const KnownPosition& position, bool begun, Findings* findings);
// What slots keep, and what one that is to be made waits for.
void CheckRetained(Examination& examined);
// Of a connector that polls: the slot that it read before, and nobody reads now.
void CheckSlotLeft(Examination& examined);

// walduct.snapshot.new.tables=incremental.
bool ReadsNewTables(const Subject& subject);
// The tables that the stored position knows, beside those that are captured and published now.
void CheckKnownTables(postgres::Connection& connection, const Subject& subject,
                      const KnownPosition& position, Findings* findings);

// The standby that tables are still to be read from, where one is configured.
void AskStandby(Examination& examined);

// Which server the findings are of.
void NameServer(const Subject& subject, Findings* findings);
// A session that gives up, and is who the connector's sessions are.
absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenCaptureSession(
    const Subject& subject, const Environment& environment, postgres::SessionKind kind);
// The same, with the role's own search_path: for SQL that users wrote.
absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenAsUser(const Subject& subject,
                                                                 const Environment& environment);

}  // namespace walduct::operate
