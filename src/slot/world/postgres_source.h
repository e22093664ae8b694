// PostgresSource: the real Source, over libpq: one SQL session, one replication session, and a
// session of its own for what runs beside them. Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "event/wanted_columns.h"
#include "incremental/chunks/held_commits.h"
#include "names/table_filter.h"
#include "postgres/background_statement.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "postgres/describe/schema_query.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "replication/slots/other_slot.h"
#include "slot/world/advice/outbox_checks.h"
#include "slot/world/capture/capture_watch.h"
#include "slot/world/capture/start_coverage.h"
#include "slot/world/reads/table_columns.h"
#include "slot/world/slots/slot_tables.h"
#include "slot/world/source.h"
#include "slot/world/standby/snapshot_standby.h"
#include "slot/world/tail.h"
#include "slot/world/watch/server_view.h"
#include "slot/world/watch/server_watch.h"
#include "slot/world/watch/slot_xmin.h"
#include "slot/world/world.h"
#include "snapshot/plan.h"
#include "snapshot/transaction.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

class PostgresSource final : public Source {
 public:
  PostgresSource(const SourceOptions& options, const Environment& environment);

  absl::Status Connect() override;
  absl::StatusOr<SourceFacts> Inspect() override;
  absl::StatusOr<replication::TimelineHistory> Timelines() override;
  absl::StatusOr<std::optional<replication::UpgradeTraces>> UpgradeTraces() override;
  absl::Status CheckSlot() override;
  absl::Status CheckSlotName(const replication::PositionTrace& trace) override {
    const replication::ReplicationOptions& own = replication_options_;
    if (!own.takes_up_a_slot()) return absl::OkStatus();
    replication::SlotReaders readers = options_.slot_readers;
    readers.at_position_only = own.holds_lost_slot;
    readers.waits = !std::exchange(has_waited_, true);
    return replication::CheckSlotName(*sql_, own.slot_name, own.share, trace, readers);
  }
  absl::StatusOr<std::vector<KnownColumns>> WatchedColumns(
      const ColumnCover& cover, const std::vector<KnownColumns>& known) override {
    return ReadWatchedColumns(*sql_, *catalog_, facts_.captured, cover, known);
  }
  absl::Status PreviewTransforms() override;
  void ForeseeSchemas(const event::SchemaIdSources& ids) override;
  absl::Status CheckPlan(const SourcePlan& plan) override;
  absl::Status PreparePublication(const SourcePlan& plan) override;
  absl::StatusOr<Lsn> CreateSlot(const SourcePlan& plan,
                                 const postgres::StopCheck& stopping) override;
  absl::StatusOr<std::optional<ReplayLag>> LagOfRows() override;
  absl::StatusOr<std::unique_ptr<TableSnapshot>> OpenSnapshot(Lsn start) override;
  void KeepReadRecord(snapshot::ReadRecord* record) override { read_record_ = record; }
  absl::StatusOr<Lsn> CurrentLsn() override { return snapshot::ReadCurrentLsn(*sql_); }
  absl::StatusOr<OpenedStream> OpenStream(const event::Position& start) override;
  event::SchemaResolver& schemas() override { return *schemas_; }
  absl::Status DropSlot() override {
    return replication::DropSlot(*sql_, replication_options_.slot_name);
  }
  absl::Status CheckSlotHeld() override;
  absl::Status CheckSlotSession() override {
    return replication_ == nullptr || !locked_ ? absl::OkStatus() : replication_->CheckAlive();
  }
  absl::Status CheckSession() override;
  ServerView View() override { return watch_ == nullptr ? ServerView() : watch_->view(); }
  std::optional<uint64_t> Xmin() override {
    return xmin_ == nullptr ? std::nullopt : std::optional(xmin_->value());
  }
  void AskForGone(const std::vector<replication::ToldRelation>& relations) override {
    watch_->AskForGone(relations);
  }
  std::optional<replication::GoneRelations> TakeGone() override { return watch_->TakeGone(); }
  std::optional<CapturedNow> TakeCaptured() override { return captured_now_->Take(); }
  void JudgedCaptured() override {
    captured_now_->Judged();
    const bool waits = capture_watch_ != nullptr && capture_watch_->keeps();
    if (waits || captured_now_->has_news()) AskForCaptured(/*again=*/false);
  }
  bool AskForCaptured(bool again) override {
    if (capture_watch_ == nullptr) return false;
    capture_watch_->Hurry(again);
    watch_->Hurry();
    return true;
  }
  void KnowSeen(const std::string& seen) override { captured_now_->SetSeen(seen); }
  bool TellLacking(const replication::CaptureFinding& finding) override {
    if (capture_watch_ != nullptr) captured_now_->Lacks(finding);
    return capture_watch_ != nullptr;
  }
  // What is mended is not shown until the next look in turn.
  void TellRead(const std::string& table) override {
    if (captured_now_->WasRead(table)) AskForCaptured(/*again=*/false);
  }
  absl::Status ExplainEnd(const absl::Status& error) override;
  // `tail` leaves nothing behind.
  std::optional<std::vector<postgres::TableName>> SignalTables() const override {
    return options_.mode == engine::RunMode::kTail ? std::nullopt : std::optional(facts_.captured);
  }
  // Of several slots nobody knows here which one brings a table that was made since.
  bool Captures(const incremental::TableId& table) const override {
    return !replication_options_.share.several() && filter_.Includes(table.schema, table.table);
  }
  std::unique_ptr<incremental::SignalInbox> OpenSignals() override;
  std::unique_ptr<incremental::ChunkSource> OpenChunks(const incremental::RecordKeyOf&) override;
  absl::StatusOr<Blocking> OpenBlocking(const incremental::BlockingSnapshot& asked) override;
  void RequestHeartbeatAction() override;
  std::unique_ptr<outbox::CleanupThread> StartOutboxCleanup() override {
    return outbox_.StartCleanup();
  }

 private:
  const engine::ConnectorOptions& config() const { return *options_.config; }
  postgres::ConnectionOptions Session(postgres::SessionKind kind, absl::string_view what) const;
  using OpenSession = std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(
      const postgres::StopCheck&)>;
  // Opens such a session later, from any thread. as_user: with the role's own search_path, for SQL
  // that users wrote.
  OpenSession Opener(absl::string_view what, bool as_user = false) const;
  // The same, now.
  absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenAsUser() const;
  // Of what reads tables beside, and no longer than this.
  std::function<absl::Status(const absl::Status&)> LockExplainer() {
    return
        [this](const absl::Status& error) { return WithLock(error, View(), *environment_.clock); };
  }
  std::vector<postgres::TableName> SnapshotTables() const;
  event::WantedColumns WantedColumns() const;
  SlotTablesQuery TablesQuery();
  absl::StatusOr<std::unique_ptr<SnapshotStandby>> OpenStandby();
  void StartWatch();
  // What `tail` reads is its own, and what is handed over is narrower than the lists on purpose.
  bool LooksAfterCaptured() const {
    const bool own =
        options_.mode == engine::RunMode::kTail || replication_options_.share.hands_over;
    return !own && options_.capture != nullptr;
  }
  CaptureWatch::Options CaptureOptions() const;
  void RememberCaptured();
  void WatchCapture();
  absl::Duration WatchInterval() const;
  absl::Status StartXmin();
  absl::Status LookAtTypes();
  bool ReadsOutboxRows(const SourcePlan& plan) const;
  absl::Status CheckNoOutboxHistory();
  absl::Status AdviseOnSignals();

  const SourceOptions options_;
  const Environment environment_;
  // Of several hosts, once connected, the one: all sessions of an attempt see one server.
  postgres::DatabaseOptions database_;
  replication::ReplicationOptions replication_options_;  // `tail` has a publication of its own
  names::TableFilter filter_;
  OutboxChecks outbox_;
  std::unique_ptr<postgres::Connection> sql_;
  std::unique_ptr<postgres::Connection> replication_;
  std::unique_ptr<postgres::Catalog> catalog_;
  std::unique_ptr<postgres::SchemaQuery> schemas_;     // uses sql_
  std::unique_ptr<TailPublication> tail_publication_;  // uses sql_
  std::unique_ptr<postgres::BackgroundStatement> heartbeat_action_;
  // Whoever looks at the catalog beside the stream puts it there.
  const std::shared_ptr<CapturedBox> captured_now_ = std::make_shared<CapturedBox>();
  StartCoverage coverage_;
  std::shared_ptr<CaptureWatch> capture_watch_;  // null: nobody looks after what is captured
  std::unique_ptr<ServerWatch> watch_;
  std::unique_ptr<SlotXmin> xmin_;
  SourceFacts facts_;
  std::vector<Oid> types_;                    // of users, and money, that captured tables have
  Lsn types_as_of_;                           // the end of the WAL when they were looked for
  incremental::HeldCommits held_;             // of blocking snapshots
  int stream_pid_ = 0;                        // the server's process of replication_
  bool streams_ = false;                      // it reads the slot
  bool locked_ = false;                       // it has the lock of the slot
  bool has_waited_ = false;                   // for a session that may just be ending
  std::vector<std::string> event_tables_;     // "schema.table" whose rows become events
  std::string exported_snapshot_;             // of the slot that was created
  std::unique_ptr<SnapshotStandby> standby_;  // until the rows are read there
  snapshot::ReadRecord* read_record_ = nullptr;
};

}  // namespace walduct::slot
