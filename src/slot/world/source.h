// Source: the database of a connector as a start and a session need it: what it is like, what is
// created on it, the rows of a snapshot, the stream. Seam for tests and simulation; the real one is
// PostgresSource.
//
// One Source serves one attempt and is thrown away with it. Thread-safety: the data thread only.
// Errors are those of ARCHITECTURE.md's table, ready for the operator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "event/position.h"
#include "event/schema_ids.h"
#include "event/table_schema.h"
#include "incremental/blocking_snapshot.h"
#include "incremental/channels/signal_inbox.h"
#include "incremental/chunks/chunk_source.h"
#include "outbox/cleanup_thread.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/coverage.h"
#include "replication/gone_relations.h"
#include "replication/slot.h"
#include "replication/slots/other_slot.h"
#include "replication/upgrade_traces.h"
#include "replication/wal_source.h"
#include "slot/masks/known_columns.h"
#include "slot/world/capture/captured_now.h"
#include "slot/world/standby/standby_verdict.h"
#include "slot/world/watch/server_view.h"
#include "snapshot/mode.h"
#include "snapshot/read_record.h"
#include "snapshot/row_marker.h"
#include "snapshot/row_source.h"

namespace walduct::slot {

class ColumnCover;

struct SourceFacts {
  replication::SystemIdentity system;
  std::string database;
  bool in_recovery = false;
  absl::Status decodes;           // why the server cannot decode at all: an old standby
  uint64_t next_xid = 0;          // the next transaction's id
  absl::Duration sender_timeout;  // until it gives up a peer that is silent; zero: never
  std::optional<replication::SlotState> slot;  // absent: it has to be created
  std::vector<postgres::TableName> captured;
  size_t elsewhere = 0;  // tables that are captured by the connector's other slots
  // Of none that is captured: the publication is there, and takes tables that are created later.
  bool tables_come = false;
};

// What a start is going to do, as far as it matters to what is created.
struct SourcePlan {
  snapshot::StartDecision decision;
  bool first_start = false;  // no position is stored
  bool holds = false;        // a lost slot is made anew, and not read from
  Oid publication{};         // that the stored position was read by; 0: not known
  std::string seen = {};     // when it was stored; see replication::Coverage
};

// The tables of a snapshot on their one view of the database. Ends with the object.
class TableSnapshot : public snapshot::RowSource {
 public:
  // consistent_point: where the stream goes on.
  virtual const snapshot::SnapshotOrigin& origin() const = 0;
  // All rows are read: the view of the database is given up.
  virtual absl::Status End() = 0;
};

struct OpenedStream {
  std::unique_ptr<replication::WalSource> stream;
  absl::Duration status_interval;  // at least so often the server must hear from us
  bool confirms = true;            // false: somebody else moves the slot
  std::optional<replication::Coverage> coverage = {};  // of what is captured; absent: not known
};

class Source {
 public:
  virtual ~Source() = default;

  // Connects, and keeps other instances from the slot as long as this source is there. To be called
  // first, and before the offset is loaded: whoever had the slot may have stored one until then.
  //   Aborted slot_in_use, Unavailable slot_held  another instance has it
  virtual absl::Status Connect() = 0;
  // Looks; creates nothing. May be repeated.
  virtual absl::StatusOr<SourceFacts> Inspect() = 0;
  // The timelines before the present one.
  virtual absl::StatusOr<replication::TimelineHistory> Timelines() {
    return replication::TimelineHistory();
  }
  // Whether pg_upgrade may have made the server; absent: not known.
  virtual absl::StatusOr<std::optional<replication::UpgradeTraces>> UpgradeTraces() {
    return std::nullopt;
  }
  // Whether the slot can be streamed from.
  virtual absl::Status CheckSlot() = 0;
  // Of one that is not there: see replication::CheckSlotName.
  virtual absl::Status CheckSlotName(const replication::PositionTrace&) { return absl::OkStatus(); }
  // The columns of captured tables, of those that are watched, or that are among `known`.
  virtual absl::StatusOr<std::vector<KnownColumns>> WatchedColumns(
      const ColumnCover&, const std::vector<KnownColumns>& /*known*/) {
    return std::vector<KnownColumns>();
  }
  // Warns of what the transforms will make of the tables.
  virtual absl::Status PreviewTransforms() = 0;
  // Tells registries which schemas the records to come will have. See SchemaIds::Foresee.
  virtual void ForeseeSchemas(const event::SchemaIdSources&) {}
  // Whether the plan lacks a right or a free slot.
  virtual absl::Status CheckPlan(const SourcePlan& plan) = 0;
  // What has to be there before the slot: replica identities that were asked for, the publication.
  virtual absl::Status PreparePublication(const SourcePlan& plan) = 0;
  // The slot's consistent point. Cancelled once `stopping` says so; no slot is then left.
  virtual absl::StatusOr<Lsn> CreateSlot(const SourcePlan& plan,
                                         const postgres::StopCheck& stopping) = 0;

  // Where the rows are read from a standby: what it still lacks, to be asked for until it is
  // absent, before OpenSnapshot.
  virtual absl::StatusOr<std::optional<ReplayLag>> LagOfRows() { return std::nullopt; }
  // start: where the stream will begin; 0/0: where the rows end. After CreateSlot the rows are
  // those of its exported snapshot.
  virtual absl::StatusOr<std::unique_ptr<TableSnapshot>> OpenSnapshot(Lsn start) = 0;
  // Borrowed by the snapshot to come: what it goes on from, and where it says what it has read.
  virtual void KeepReadRecord(snapshot::ReadRecord*) {}
  virtual absl::StatusOr<Lsn> CurrentLsn() = 0;
  // At most once; not to be called before a TableSnapshot has ended. Unavailable slot_moved: the
  // slot stands beyond start by now, so that what lies between would not be sent.
  virtual absl::StatusOr<OpenedStream> OpenStream(const event::Position& start) = 0;
  // Describes the relations of the stream. Lives as long as the source.
  virtual event::SchemaResolver& schemas() = 0;
  // After the stream has stopped.
  virtual absl::Status DropSlot() = 0;
  // Asks the server, within a second, whether the slot is still this source's.
  //   FailedPrecondition slot_taken_over  another session has it
  //   Unavailable slot_released           nobody has, or the server does not answer
  virtual absl::Status CheckSlotHeld() { return absl::OkStatus(); }
  // Before there is a stream: whether the session that keeps others from the slot is still there,
  // as far as the server has said. Never waits.
  virtual absl::Status CheckSlotSession() { return absl::OkStatus(); }

  // Whether the session beside the stream is still there, as far as the server has said. Never
  // waits.
  virtual absl::Status CheckSession() { return absl::OkStatus(); }
  // What the last look at the server has shown.
  virtual ServerView View() { return {}; }
  // Why the stream has ended with this error, where the database knows more of it. Waits shortly.
  virtual absl::Status ExplainEnd(const absl::Status& error) { return error; }

  // catalog_xmin of the slot as it was read last, once there is a stream; absent: not wanted.
  virtual std::optional<uint64_t> Xmin() { return std::nullopt; }

  // The tables that signals may name; absent: no signal is taken.
  virtual std::optional<std::vector<postgres::TableName>> SignalTables() const {
    return std::nullopt;
  }
  // Whether the lists take this table, which may have been made since the start.
  virtual bool Captures(const incremental::TableId&) const { return false; }
  // Signals from outside the database; null: none are wanted.
  virtual std::unique_ptr<incremental::SignalInbox> OpenSignals() { return nullptr; }
  // Who reads chunks of them beside the stream; lives no longer than the source. record_key: see
  // incremental::ChunkThread.
  virtual std::unique_ptr<incremental::ChunkSource> OpenChunks(const incremental::RecordKeyOf&) {
    return nullptr;
  }

  // The tables of a blocking snapshot, in a view of their own; the stream is open. What is wrong
  // with one of them is told in `refused`.
  struct Blocking {
    std::unique_ptr<TableSnapshot> tables;  // null: refused
    incremental::TransactionView view;
    std::string refused_table = {};
    absl::Status refused = {};
  };
  virtual absl::StatusOr<Blocking> OpenBlocking(const incremental::BlockingSnapshot&) {
    return absl::UnimplementedError("no blocking snapshots");
  }

  // Asks the catalog, elsewhere, which of these are gone; one whose transaction is not shown yet is
  // not. TakeGone gives the answer, once; advice: it may never come.
  virtual void AskForGone(const std::vector<replication::ToldRelation>&) {}
  virtual std::optional<replication::GoneRelations> TakeGone() { return std::nullopt; }

  // What is captured by now, where somebody has looked since the last call; the stream is open.
  virtual std::optional<CapturedNow> TakeCaptured() { return std::nullopt; }
  // TellLacking has told what is lacking by it.
  virtual void JudgedCaptured() {}

  // Somebody is to look soon. again: TakeCaptured gives what is found, though nothing has changed
  // since the last look. False: nobody does.
  virtual bool AskForCaptured(bool /*again*/) { return false; }
  // What looks at the catalog from then on are to tell the difference to (replication::Coverage).
  virtual void KnowSeen(const std::string& /*seen*/) {}
  // Rows of a table are missing until it is read: to be shown, and told again and again. False:
  // nobody does.
  virtual bool TellLacking(const replication::CaptureFinding& /*finding*/) { return false; }
  virtual void TellRead(const std::string& /*table*/) {}

  // heartbeat.action.query, elsewhere: never waits for it.
  virtual void RequestHeartbeatAction() {}
  // Housekeeping of outbox tables; null: none is wanted.
  virtual std::unique_ptr<outbox::CleanupThread> StartOutboxCleanup() { return nullptr; }
};

}  // namespace walduct::slot
