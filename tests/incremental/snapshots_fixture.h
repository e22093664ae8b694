// SnapshotsTest: incremental snapshots with a stream and chunks made by hand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "incremental/incremental_snapshots.h"
#include "incremental/options/incremental_options.h"
#include "tests/incremental/fake_chunk_source.h"
#include "tests/incremental/fake_inbox.h"
#include "tests/support/simulated_time.h"

namespace walduct::incremental {

class SnapshotsTest : public testing::Test, public Output {
 protected:
  SnapshotsTest() {
    options_.signal_schema = "public";
    options_.signal_table = "sig";
    options_.source_channel = true;
    signals_ = Table("sig", 1);
    signals_.columns.resize(3, signals_.columns[0]);
    big_ = std::make_shared<event::TableSchema>(Table("big", 2));
    Restart();
  }

  static event::TableSchema Table(const std::string& name, uint32_t oid) {
    event::TableSchema table;
    table.relation = Oid{oid};
    table.schema = "public";
    table.table = name;
    event::Type type;
    type.name = "int4";
    event::Column& id = table.columns.emplace_back();
    id.name = "id";
    id.type = std::make_shared<event::Type>(type);
    table.key_columns = {0};
    return table;
  }

  void Restart() {
    snapshots_ = std::make_unique<IncrementalSnapshots>(IncrementalSnapshots::Parts{
        .options = &options_,
        .connector_name = "srv",
        .output = this,
        .open_source = [this] { return std::make_unique<FakeChunkSource>(&desk_); },
        .inbox = std::make_unique<FakeInbox>(&inbox_),
        .new_id = [this] { return absl::StrCat("w", ++ids_); },
        .captured = {{"public", "big"}, {"public", "b1"}, {"public", "sig"}},
        .captures = [](const TableId& table) { return table.table == "made_since"; },
        .keeps_pause = keeps_pause_,
        .clock = &clock_,
        .metrics = &metrics_});
  }

  absl::Status PublishRead(const event::ChangeEvent& row) override {
    EXPECT_EQ(row.operation, event::Operation::kRead);
    EXPECT_EQ(row.snapshot, event::SnapshotMarker::kIncremental);
    published_.push_back(std::string((*row.after)[0].text()));
    if (unpublishable_ == published_.back()) ++left_out_;
    return absl::OkStatus();
  }
  absl::Status Notify(const event::Notification& notification) override {
    std::string text = absl::StrCat(notification.id, " ", notification.type);
    for (const auto& [name, value] : notification.details) {
      if (name == "status" || name == "last_processed_key" || name == "total_rows_scanned" ||
          name == "rows_left_out" || (name == "data_collections" && notification.type == "ABORTED"))
        absl::StrAppend(&text, " ", value);
    }
    told_.push_back(text);
    return absl::OkStatus();
  }
  void WasReadWhole(Oid table, const TransactionView& first) override {
    whole_.push_back(absl::StrCat(ToInteger(table), " ", first.oldest));
  }
  uint64_t RowsLeftOut() const override { return left_out_; }
  uint64_t Keep(OffsetMembers members) override {
    states_[++mark_] = std::move(members);
    return mark_;
  }
  uint64_t StoredMark() const override { return stored_; }
  void StoreSoon() override { ++asked_to_store_; }

  void Row(const std::vector<std::string>& texts, event::Operation operation) {
    std::vector<event::Value> values;
    for (const std::string& text : texts) values.push_back(event::Value::Text(text));
    event::ChangeEvent change;
    change.operation = operation;
    change.schema = &signals_;
    if (operation == event::Operation::kDelete) {
      change.before = values;
    } else {
      change.after = values;
    }
    ASSERT_TRUE(snapshots_->OnChange(change, {}).ok());
  }
  void Signal(const std::string& type, const std::string& data = "{}",
              const std::string& id = "s1") {
    Row({id, type, data}, event::Operation::kCreate);
  }
  void Execute(const std::string& tables = "\"public.big\"", const std::string& id = "s1") {
    Signal("execute-snapshot", absl::StrCat("{\"data-collections\": [", tables, "]}"), id);
  }
  void Opened(const std::string& window) { Signal("snapshot-window-open", "{}", window + "-open"); }
  void Closed(const std::string& window) {
    Signal("snapshot-window-close", "{}", window + "-close");
  }

  // A change of `big`.
  void Change(const std::string& id, event::Operation operation = event::Operation::kUpdate) {
    const event::Value value = event::Value::Text(id);
    event::ChangeEvent change;
    change.operation = operation;
    change.schema = big_.get();
    change.after = event::RowView(&value, 1);
    event::KeyRule key;
    key.columns = {0};
    event::Emission emission;
    emission.change = &change;
    emission.key_rule = &key;
    ASSERT_TRUE(snapshots_->OnChange(change, {&emission, 1}).ok());
  }

  void Answer(absl::Status status = absl::OkStatus()) {
    desk_.answer = ChunkSource::Answer{.status = status};
    ASSERT_TRUE(snapshots_->Turn().ok());
  }
  Chunk Rows(const std::vector<std::string>& ids, const std::string& maximum = "10") {
    Chunk chunk;
    chunk.schema = big_;
    chunk.record_key = chunk.shown = {0};
    chunk.maximum = Key{maximum};
    for (const std::string& id : ids) chunk.rows.emplace_back().Add(false, id);
    if (!ids.empty()) chunk.end = Key{ids.back()};
    return chunk;
  }
  void AnswerRead(Chunk chunk) {
    desk_.answer = ChunkSource::Answer{.status = {}, .chunk = std::move(chunk)};
    ASSERT_TRUE(snapshots_->Turn().ok());
  }
  std::string Begun() { return absl::StrJoin(std::exchange(desk_.begun, {}), "; "); }
  OffsetMembers State() { return states_[mark_]; }

  IncrementalOptions options_;
  bool keeps_pause_ = false;
  event::TableSchema signals_;
  event::TableSchemaPtr big_;
  test::SimulatedTime clock_;
  metrics::ConnectorMetrics metrics_;
  FakeChunkSource::Desk desk_;
  int ids_ = 0;
  uint64_t mark_ = 0, stored_ = 0;
  std::map<uint64_t, OffsetMembers> states_;  // by mark
  int asked_to_store_ = 0;
  std::string unpublishable_;  // the row of that id
  uint64_t left_out_ = 0;
  FakeInbox::Desk inbox_;
  std::vector<std::string> published_, told_, whole_;  // whole_: see WasReadWhole
  std::unique_ptr<IncrementalSnapshots> snapshots_;
};

}  // namespace walduct::incremental
