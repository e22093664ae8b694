// Which rows of a chunk the stream has told of, by old rows of each kind.
#include "incremental/window.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::incremental {
namespace {

using event::OldRow;
using event::Operation;
using event::Value;
using testing::ElementsAre;
using testing::IsEmpty;

using Texts = std::vector<const char*>;  // null: not sent, or NULL

// Tables with the columns id, code, v.
class WindowTest : public testing::Test {
 protected:
  // identity: the columns whose old values are always sent. key: of the records.
  void Load(const std::vector<bool>& identity, const std::vector<uint16_t>& key,
            const std::vector<Texts>& rows, bool partitioned = true) {
    auto schema = std::make_shared<event::TableSchema>();
    for (size_t i = 0; i < identity.size(); ++i) {
      event::Column& column = schema->columns.emplace_back();
      column.name = absl::StrCat("c", i);
      column.old_value_sent = identity[i];
    }
    schema->partitioned = partitioned;
    schema_ = schema;
    key_.columns = key;
    Chunk chunk;
    chunk.schema = schema_;
    chunk.record_key = key;
    chunk.storage = key.empty() ? "files" : "";
    for (const Texts& row : rows) {
      ChunkRow& read = chunk.rows.emplace_back();
      for (const char* text : row) read.Add(text == nullptr, text == nullptr ? "" : text);
      chunk.places.push_back(absl::StrCat("(0,", chunk.rows.size(), ")"));
    }
    chunk_ = std::move(chunk);
  }
  void Open() {
    window_.Reset();
    window_.Open({});
  }
  void Read() { window_.Load(*chunk_); }

  std::vector<Value> Row(const Texts& texts) {
    std::vector<Value> row;
    for (const char* text : texts)
      row.push_back(text == nullptr ? Value{nullptr, 0, event::ValueKind::kAbsent}
                                    : Value::Text(text));
    return row;
  }
  void Tell(Operation operation, const Texts& before, OldRow kind, const Texts& after = {}) {
    const std::vector<Value> old_row = Row(before), new_row = Row(after);
    event::ChangeEvent change;
    change.operation = operation;
    change.schema = schema_.get();
    change.old_row = kind;
    change.xid = teller_.xid;
    change.position.transaction_final_lsn = teller_.commit;
    if (!before.empty()) change.before = old_row;
    if (!after.empty()) change.after = new_row;
    event::Emission emission;
    emission.change = &change;
    emission.key_rule = &key_;
    emission.key =
        operation == Operation::kDelete ? event::KeySource::kBefore : event::KeySource::kAfter;
    if (key_.columns.empty()) emission.key = event::KeySource::kNone;
    window_.Remove(change, emission);
  }
  std::vector<std::string> Left() {
    std::vector<std::string> left;
    std::vector<Value> values;
    EXPECT_TRUE(window_
                    .ForEachLeft([&](const ChunkRow& row) {
                      row.View(&values);
                      left.emplace_back(values[0].text());
                      return absl::OkStatus();
                    })
                    .ok());
    return left;
  }

  // The chunk is read without watermarks: transactions 10 and from 20 on are not in it, nor is what
  // was committed behind 0/1000.
  void LoadUnmarked(const std::vector<Texts>& rows) {
    Load({true, false, false}, {0}, rows);
    chunk_->running = {10};
    chunk_->next_xid = 20;
    chunk_->taken_at = Lsn(0x1000);
  }
  void TellUpdate(const char* id, const Teller& teller) {
    teller_ = teller;
    Tell(Operation::kUpdate, {}, OldRow::kWhole, {id, "a", "x"});
  }

  Window window_;
  Teller teller_;
  event::TableSchemaPtr schema_;
  event::KeyRule key_;
  std::optional<Chunk> chunk_;
};

// A root without a key over partitions that have one: what was deleted is told by that key alone,
// and of an update that leaves it alone no old row comes.
TEST_F(WindowTest, RowsWithoutAKeyAreDoubtedByWhatPartitionsSend) {
  for (const bool read_first : {true, false}) {
    Load({true, false, false}, {}, {{"1", "a", "x"}, {"2", "b", "y"}, {"3", "c", nullptr}});
    Open();
    if (read_first) Read();
    Tell(Operation::kDelete, {"1", nullptr, nullptr}, OldRow::kUnsure);
    Tell(Operation::kUpdate, {}, OldRow::kWhole, {"3", "c", "z"});
    Tell(Operation::kCreate, {}, OldRow::kWhole, {"2", "b", "y"});
    if (!read_first) Read();
    EXPECT_THAT(Left(), ElementsAre("2"));
    EXPECT_THAT(window_.Doubted(), ElementsAre("(0,1)", "(0,3)"));
    EXPECT_FALSE(window_.IsDoubtful());
  }
}

TEST_F(WindowTest, WholeRowsAreDoubtedByAllTheyHold) {
  Load({true, true, true}, {}, {{"1", "a", "x"}, {"1", "a", "y"}});
  Open();
  Read();
  Tell(Operation::kDelete, {"1", "a", "y"}, OldRow::kWhole);
  EXPECT_THAT(Left(), ElementsAre("1"));
  EXPECT_THAT(window_.Doubted(), ElementsAre("(0,2)"));
}

// Partitions with nothing in common: any row may be meant.
TEST_F(WindowTest, WhereNothingIsSentOfAllEveryRowIsDoubted) {
  Load({false, false, false}, {}, {{"1", "a", "x"}, {"2", "b", "y"}});
  Open();
  Read();
  Tell(Operation::kDelete, {nullptr, "b", nullptr}, OldRow::kUnsure);
  EXPECT_THAT(Left(), IsEmpty());
  EXPECT_EQ(window_.Doubted().size(), 2u);
}

// The replica identity of an ordinary table is an index without the key of its records.
TEST_F(WindowTest, ADeletedRowIsFoundByItsIdentity) {
  for (const bool read_first : {true, false}) {
    Load({false, true, false}, {0}, {{"1", "a", "x"}, {"2", "b", "y"}}, /*partitioned=*/false);
    Open();
    if (read_first) Read();
    Tell(Operation::kDelete, {nullptr, "a", nullptr}, OldRow::kKey);
    if (!read_first) Read();
    EXPECT_THAT(Left(), ElementsAre("2"));
    EXPECT_FALSE(window_.IsDoubtful());
  }
}

// Of partitions the same may be in several: which was meant is not known.
TEST_F(WindowTest, OfPartitionsItMayBeAnother) {
  Load({false, true, false}, {0}, {{"1", "a", "x"}, {"2", "b", "y"}});
  Open();
  Read();
  Tell(Operation::kDelete, {nullptr, "other", nullptr}, OldRow::kUnsure);
  EXPECT_FALSE(window_.IsDoubtful());
  EXPECT_THAT(Left(), ElementsAre("1", "2"));
  Tell(Operation::kDelete, {nullptr, "a", nullptr}, OldRow::kUnsure);
  EXPECT_TRUE(window_.IsDoubtful());
  EXPECT_TRUE(window_.unclear());
  Open();
  EXPECT_FALSE(window_.unclear());
}

TEST_F(WindowTest, AKeyThatWasSentIsTheKey) {
  Load({true, false, false}, {0}, {{"1", "a", "x"}, {"2", "b", "y"}});
  Open();
  Read();
  Tell(Operation::kDelete, {"1", nullptr, nullptr}, OldRow::kUnsure);
  EXPECT_THAT(Left(), ElementsAre("2"));
  EXPECT_FALSE(window_.IsDoubtful());
}

constexpr Teller kShown = {15, Lsn(0x900)}, kRunning = {10, Lsn(0x910)}, kLater = {20, Lsn(0x920)},
                 kBehind = {15, Lsn(0x1000)}, kUnknown = {15, Lsn()};

// The row may be newer than a change that the chunk shows: the stream need not tell what came
// between.
TEST_F(WindowTest, WithoutWatermarksOnlyWhatTheChunkDoesNotShowCounts) {
  for (const bool before : {true, false}) {
    LoadUnmarked(
        {{"1", "a", "v"}, {"2", "b", "v"}, {"3", "c", "v"}, {"4", "d", "v"}, {"5", "e", "v"}});
    Open();
    if (!before) Read();
    TellUpdate("1", kShown);
    TellUpdate("2", kRunning);
    TellUpdate("3", kLater);
    TellUpdate("4", kBehind);
    TellUpdate("5", kUnknown);
    if (before) Read();
    EXPECT_THAT(Left(), ElementsAre("1")) << before;
  }
}

TEST_F(WindowTest, TheLastOneThatTellsOfARowCounts) {
  LoadUnmarked({{"1", "a", "v"}, {"2", "b", "v"}});
  Open();
  TellUpdate("1", kShown);
  TellUpdate("1", kBehind);
  TellUpdate("2", kShown);
  Read();
  EXPECT_THAT(Left(), ElementsAre("2"));
}

TEST_F(WindowTest, RowsBehindATruncateThatTheChunkShowsAreLeft) {
  for (const Teller& teller : {kShown, kRunning}) {
    for (const bool before : {true, false}) {
      LoadUnmarked({{"1", "a", "v"}});
      Open();
      if (!before) Read();
      event::ChangeEvent truncate;
      truncate.xid = teller.xid;
      truncate.position.transaction_final_lsn = teller.commit;
      window_.RemoveAll(truncate);
      if (before) Read();
      EXPECT_EQ(Left().size(), teller.xid == kShown.xid ? 1 : 0);
    }
  }
}

TEST_F(WindowTest, AnOldRowWithoutTheKeyCountsLikeAnyOther) {
  for (const Teller& teller : {kShown, kRunning}) {
    for (const bool before : {true, false}) {
      LoadUnmarked({{"1", "a", "v"}});
      Open();
      if (!before) Read();
      teller_ = teller;
      key_.columns = {1};
      Tell(Operation::kDelete, {"1", nullptr, nullptr}, OldRow::kKey);
      if (before) Read();
      EXPECT_EQ(Left().size(), teller.xid == kShown.xid ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace walduct::incremental
