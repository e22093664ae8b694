// FakeDatabase: a database with one table, a log of transactions and one replication slot, and the
// engine's Source over it. Outlives the sources made of it, as a server outlives connections.
//
// Thread-safe: tests commit and disconnect while a connector runs.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "base/wake.h"
#include "event/table_schema.h"
#include "slot/world/source.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::test {

class FakeDatabase {
 public:
  struct Transaction {
    uint64_t begin = 0;
    uint64_t commit = 0;
    uint64_t end = 0;
    uint32_t xid = 0;
    std::vector<std::string> ids;
  };

  // A transaction that inserts rows with these ids; its end.
  Lsn Commit(std::vector<std::string> ids) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Transaction transaction{.begin = end_, .xid = next_xid_++, .ids = std::move(ids)};
    transaction.commit = end_ + 10 * (transaction.ids.size() + 1);
    transaction.end = end_ = transaction.commit + 10;
    log_.push_back(std::move(transaction));
    Wake();
    return Lsn(end_);
  }

  // The stream under way, and only that, fails.
  void Disconnect(absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken_ = std::move(error);
    Wake();
  }
  // Every connection is refused from now on; OK: none is.
  void Refuse(absl::Status error) { Set(&refusal_, std::move(error)); }
  void DropSlot() { Set(&slot_, std::nullopt); }
  // Changes have been read from the slot; it is a standby's copy.
  void UseSlot() { Set(&slot_used_, true); }
  void SyncSlot(bool synced) { Set(&slot_synced_, synced); }
  void SetRecovery(bool in_recovery) { Set(&in_recovery_, in_recovery); }
  // Runs before each connection.
  void OnConnect(std::function<void()> what) { Set(&on_connect_, std::move(what)); }
  // Runs before each look at the database.
  void OnInspect(std::function<void()> what) { Set(&on_inspect_, std::move(what)); }
  // The server is promoted: its WAL goes on from `fork` on the next timeline.
  void Promote(Lsn fork) {
    const std::lock_guard<std::mutex> lock(mutex_);
    timelines_.push_back({.timeline = timeline_++, .end = fork});
    in_recovery_ = false;
  }
  // pg_upgrade has made it of the server that a position with another identifier is of.
  void Upgrade() {
    Set(&traces_, std::optional(replication::UpgradeTraces{.server_version = 180000,
                                                           .wal_segment_bytes = 1 << 30}));
  }
  void Forget() { Set(&traces_, std::optional<replication::UpgradeTraces>()); }
  // The server is restored to an older state.
  void Rewind(Lsn end) { Set(&end_, end.value()); }
  // What the standby of a snapshot lacks, each time it is asked; then nothing.
  void Lag(std::deque<slot::ReplayLag> lags) { Set(&lags_, std::move(lags)); }
  // Signals can be taken.
  void TakeSignals() { Set(&signals_, true); }
  // Its table is known to be captured.
  void KnowCaptured() { Set(&knows_captured_, true); }
  // How many rows a snapshot gives before it blocks; absent: all.
  void LimitSnapshot(std::optional<int> rows) {
    const std::lock_guard<std::mutex> lock(mutex_);
    snapshot_rows_ = rows;
    Wake();
  }

  // What a source is asked for under this name fails from now on; OK: it does not.
  void FailAt(const std::string& what, absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    failures_[what] = std::move(error);
  }
  // What was asked, in order: "check slot", "preview", "check plan", "publication", "slot",
  // "snapshot", "stream", "drop slot", "heartbeat action".
  std::vector<std::string> asked() const { return Get(asked_); }
  // What was last known of the position when a slot of another name was looked for.
  replication::PositionTrace trace() const { return Get(trace_); }

  // The last flush position that was reported.
  Lsn confirmed() const { return Get(confirmed_); }
  Lsn end() const { return Lsn(Get(end_)); }
  bool has_slot() const { return Get(slot_).has_value(); }
  bool streaming() const { return Get(stream_) != nullptr; }
  int connections() const { return Get(connections_); }
  int reports() const { return Get(reports_); }
  // Messages that streams have given.
  int messages() const { return Get(messages_); }

 private:
  friend class FakeSource;
  friend class FakeStream;
  friend class FakeSnapshot;

  template <typename T>
  T Get(const T& member) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return member;
  }
  template <typename T, typename V>
  void Set(T* member, V value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    *member = std::move(value);
  }
  void Wake() {
    if (stream_ != nullptr) stream_->Signal();
  }

  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::vector<Transaction> log_;
  uint64_t end_ = 1000;
  uint32_t next_xid_ = 700;
  std::optional<Lsn> slot_;  // its consistent point
  Lsn confirmed_;
  absl::Status refusal_, broken_;
  std::deque<slot::ReplayLag> lags_;
  std::optional<int> snapshot_rows_;
  bool slot_used_ = false, slot_synced_ = false, in_recovery_ = false, signals_ = false;
  bool knows_captured_ = false;
  uint32_t timeline_ = 1;
  replication::TimelineHistory timelines_;
  std::optional<replication::UpgradeTraces> traces_;
  replication::PositionTrace trace_;
  std::function<void()> on_connect_, on_inspect_;
  walduct::Wake* stream_ = nullptr;  // of the one that streams
  int connections_ = 0, reports_ = 0, messages_ = 0;
  std::vector<std::string> asked_;
  std::map<std::string, absl::Status> failures_;
};

inline constexpr uint32_t kFakeTable = 16384;

// The one table: a text, which is the key.
class FakeTable final : public event::SchemaResolver {
 public:
  absl::Status Ask(const event::RelationDescription&) override { return absl::OkStatus(); }
  absl::StatusOr<event::TableSchemaPtr> Poll() override { return Schema(); }
  static event::TableSchemaPtr Schema() {
    auto type = std::make_shared<event::Type>();
    type->schema = "pg_catalog";
    type->name = "text";
    type->oid = Oid{25};
    auto schema = std::make_shared<event::TableSchema>();
    schema->relation = Oid{kFakeTable};
    schema->schema = "public";
    schema->table = "orders";
    schema->columns.push_back({.name = "id",
                               .type = std::move(type),
                               .typmod = -1,
                               .optional = false,
                               .default_expression = std::nullopt});
    schema->key_columns = {0};
    return schema;
  }
};

class FakeStream final : public replication::WalSource {
 public:
  FakeStream(FakeDatabase& database, Lsn start) : database_(database) {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.stream_ = &wake_;
    database_.broken_ = absl::OkStatus();
    while (next_ < database_.log_.size() && database_.log_[next_].end <= start.value()) ++next_;
  }
  ~FakeStream() override {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.stream_ = nullptr;
  }

  absl::StatusOr<replication::WalFrame> Next() override {
    wake_.Drain();
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    if (!database_.broken_.ok()) return database_.broken_;
    if (frames_.empty() && next_ < database_.log_.size()) Send(database_.log_[next_++]);
    replication::WalFrame frame;
    if (!frames_.empty()) {
      frame.kind = replication::WalFrame::Kind::kData;
      frame.start = Lsn(frames_.front().first);
      payload_ = std::move(frames_.front().second);
      frame.payload = payload_;
      frames_.pop_front();
      ++database_.messages_;
    } else if (std::exchange(reply_wanted_, false)) {
      frame.kind = replication::WalFrame::Kind::kKeepalive;
    }
    frame.wal_end = Lsn(database_.end_);
    return frame;
  }

  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    static_cast<void>(received);
    database_.confirmed_ = std::max(database_.confirmed_, flushed);
    ++database_.reports_;
    reply_wanted_ = reply_wanted_ || reply_requested;
    if (reply_requested) wake_.Signal();
    return absl::OkStatus();
  }

  int ready_fd() const override { return wake_.fd(); }
  void Stop(absl::Duration) override {}

 private:
  void Send(const FakeDatabase::Transaction& transaction) {
    const int64_t time_us = 1'700'000'000'000'000;
    uint64_t lsn = transaction.begin;
    frames_.emplace_back(lsn, BeginBytes(transaction.commit, time_us, transaction.xid));
    if (!std::exchange(announced_, true)) {
      const RelationSpec table{.columns = {{.name = "id", .type = 25, .key = true}}};
      frames_.emplace_back(0, RelationBytes(table));
    }
    for (const std::string& id : transaction.ids)
      frames_.emplace_back(lsn += 10, InsertBytes(kFakeTable, {Text(id)}));
    frames_.emplace_back(transaction.commit,
                         CommitBytes(transaction.commit, transaction.end, time_us));
  }

  FakeDatabase& database_;
  Wake wake_;
  std::deque<std::pair<uint64_t, std::string>> frames_;
  std::string payload_;
  size_t next_ = 0;  // of the log
  bool announced_ = false;
  bool reply_wanted_ = false;
};

class FakeSnapshot final : public slot::TableSnapshot {
 public:
  FakeSnapshot(FakeDatabase& database, snapshot::SnapshotOrigin origin)
      : database_(database), origin_(origin), marker_(origin) {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.stream_ = &wake_;
    for (const FakeDatabase::Transaction& transaction : database_.log_) {
      if (transaction.end > origin.consistent_point.value()) continue;
      ids_.insert(ids_.end(), transaction.ids.begin(), transaction.ids.end());
    }
    marker_.StartTable(FakeTable::Schema());
  }
  ~FakeSnapshot() override {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.stream_ = nullptr;
  }

  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override {
    wake_.Drain();
    const int limit = database_.Get(database_.snapshot_rows_).value_or(1'000'000);
    for (int i = 0; i < max_rows && next_ < ids_.size(); ++i) {
      if (static_cast<int>(next_) >= limit) return Progress::kWouldBlock;
      const event::Value value = event::Value::Text(ids_[next_++]);
      if (absl::Status status = marker_.OnRow({&value, 1}, handler); !status.ok()) return status;
    }
    if (next_ < ids_.size()) return Progress::kRead;
    marker_.EndTable();
    if (absl::Status status = marker_.Finish(handler); !status.ok()) return status;
    return Progress::kDone;
  }
  int ready_fd() const override { return wake_.fd(); }
  const snapshot::SnapshotOrigin& origin() const override { return origin_; }
  absl::Status End() override { return absl::OkStatus(); }

 private:
  FakeDatabase& database_;
  const snapshot::SnapshotOrigin origin_;
  snapshot::RowMarker marker_;
  Wake wake_;
  std::vector<std::string> ids_;
  size_t next_ = 0;
};

class FakeSource final : public slot::Source {
 public:
  explicit FakeSource(FakeDatabase& database) : database_(database) {}

  absl::Status Connect() override {
    if (const auto before = database_.Get(database_.on_connect_)) before();
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    if (!database_.refusal_.ok()) return database_.refusal_;
    ++database_.connections_;
    return absl::OkStatus();
  }
  std::optional<std::vector<postgres::TableName>> SignalTables() const override {
    if (database_.Get(database_.knows_captured_))
      return std::vector<postgres::TableName>{
          {.relation = Oid{kFakeTable}, .schema = "public", .table = "orders"}};
    if (!database_.Get(database_.signals_)) return std::nullopt;
    return std::vector<postgres::TableName>();
  }
  absl::StatusOr<slot::SourceFacts> Inspect() override {
    if (const auto before = database_.Get(database_.on_inspect_)) before();
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    slot::SourceFacts facts;
    facts.system = {.system_identifier = "7000",
                    .timeline = database_.timeline_,
                    .wal_end = Lsn(database_.end_)};
    facts.in_recovery = database_.in_recovery_;
    facts.captured = {{.relation = Oid{kFakeTable}, .schema = "public", .table = "orders"}};
    if (database_.slot_) {
      facts.slot.emplace();
      facts.slot->restart_lsn = *database_.slot_;
      facts.slot->confirmed_flush_lsn = std::max(*database_.slot_, database_.confirmed_);
      facts.slot->used = database_.slot_used_;
      facts.slot->synced = database_.slot_synced_;
    }
    return facts;
  }
  absl::StatusOr<replication::TimelineHistory> Timelines() override {
    return database_.Get(database_.timelines_);
  }
  absl::StatusOr<std::optional<replication::UpgradeTraces>> UpgradeTraces() override {
    return database_.Get(database_.traces_);
  }
  absl::Status CheckSlot() override { return Log("check slot"); }
  absl::Status CheckSlotName(const replication::PositionTrace& trace) override {
    {
      const std::lock_guard<std::mutex> lock(database_.mutex_);
      database_.trace_ = trace;
    }
    return Log("slot name");
  }
  absl::Status PreviewTransforms() override { return Log("preview"); }
  absl::Status CheckPlan(const slot::SourcePlan&) override { return Log("check plan"); }
  absl::Status PreparePublication(const slot::SourcePlan&) override { return Log("publication"); }
  absl::StatusOr<Lsn> CreateSlot(const slot::SourcePlan&,
                                 const postgres::StopCheck& stopping) override {
    if (absl::Status logged = Log("slot"); !logged.ok()) return logged;
    if (stopping()) return absl::CancelledError("stopped");
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.slot_ = database_.confirmed_ = Lsn(database_.end_);
    return *database_.slot_;
  }
  absl::StatusOr<std::optional<slot::ReplayLag>> LagOfRows() override {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    if (absl::Status& failure = database_.failures_["lag"]; !failure.ok()) return failure;
    if (database_.lags_.empty()) return std::nullopt;
    slot::ReplayLag lag = std::move(database_.lags_.front());
    database_.lags_.pop_front();
    return lag;
  }
  absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> OpenSnapshot(Lsn start) override {
    if (absl::Status logged = Log("snapshot"); !logged.ok()) return logged;
    return std::make_unique<FakeSnapshot>(
        database_,
        snapshot::SnapshotOrigin{.consistent_point = start.valid() ? start : database_.end(),
                                 .xid = 600,
                                 .time_us = 1'700'000'000'000'000});
  }
  absl::StatusOr<Lsn> CurrentLsn() override { return database_.end(); }
  absl::StatusOr<slot::OpenedStream> OpenStream(const event::Position& start) override {
    if (absl::Status logged = Log("stream"); !logged.ok()) return logged;
    return slot::OpenedStream{.stream = std::make_unique<FakeStream>(database_, start.commit_end),
                              .status_interval = absl::Seconds(10)};
  }
  event::SchemaResolver& schemas() override { return table_; }
  absl::Status DropSlot() override {
    database_.DropSlot();
    return Log("drop slot");
  }
  void RequestHeartbeatAction() override { static_cast<void>(Log("heartbeat action")); }

 private:
  absl::Status Log(const std::string& what) {
    const std::lock_guard<std::mutex> lock(database_.mutex_);
    database_.asked_.push_back(what);
    return database_.failures_[what];
  }

  FakeDatabase& database_;
  FakeTable table_;
};

}  // namespace walduct::test
