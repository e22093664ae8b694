// Tables without a key, read by the blocks of their files.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/incremental/snapshots_fixture.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KeylessTest : public SnapshotsTest {
 protected:
  KeylessTest() {
    options_.reads_by_place = true;
    event::TableSchema heap = Table("big", 2);
    heap.key_columns.clear();
    heap_ = std::make_shared<event::TableSchema>(heap);
  }

  // Rows in block 0, numbered from 1.
  Chunk Heap(const std::vector<std::string>& ids, const std::string& end) {
    Chunk chunk = Rows(ids);
    chunk.schema = heap_;
    chunk.record_key.clear();
    chunk.shown.clear();
    chunk.by_place = true;
    chunk.storage = storage_;
    chunk.maximum = Key{"(9,0)"};
    chunk.end = Key{end};
    for (size_t i = 0; i < ids.size(); ++i)
      chunk.places.push_back(absl::StrCat("(0,", i + 1, ") 700"));
    return chunk;
  }
  // What was there, as a delete tells it.
  void Delete(const std::string& id) {
    const event::Value value = event::Value::Text(id);
    event::ChangeEvent change;
    change.operation = event::Operation::kDelete;
    change.schema = heap_.get();
    change.before = event::RowView(&value, 1);
    event::Emission emission;
    emission.change = &change;
    emission.key = event::KeySource::kNone;
    ASSERT_TRUE(snapshots_->OnChange(change, {&emission, 1}).ok());
  }
  // From the answer of the opening watermark to what the closing one publishes.
  void Play(Chunk chunk, const std::vector<std::string>& deleted = {}) {
    Answer();
    const std::string window = absl::StrCat("w", ids_);
    Opened(window);
    AnswerRead(std::move(chunk));
    Answer();
    for (const std::string& id : deleted) Delete(id);
    Closed(window);
  }

  event::TableSchemaPtr heap_;
  std::string storage_ = "files";
};

TEST_F(KeylessTest, BlocksAreWalkedAndStored) {
  Execute();
  Play(Heap({"1", "1", "2"}, "(3,0)"));
  EXPECT_THAT(published_, ElementsAre("1", "1", "2"));
  EXPECT_EQ(told_.back(), "s1 IN_PROGRESS (3,0)");
  EXPECT_EQ(State().at("walduct_incremental_snapshot"),
            R"x("{\"places\":{\"storage\":\"files\",\"end\":\"(9,0)\",\"read\":\"(3,0)\"}}")x");
  // Debezium has no key for it.
  EXPECT_EQ(State().at("incremental_snapshot_primary_key"), "\"aced000570\"");
  EXPECT_EQ(State().at("incremental_snapshot_maximum_key"), "\"aced000570\"");
  EXPECT_EQ(metrics::ShareText(metrics_.incremental.Read().share()), "33.3 by blocks");
  const OffsetMembers stored = State();
  Restart();
  Begun();
  ASSERT_TRUE(snapshots_->Resume(stored).ok());
  EXPECT_EQ(metrics::ShareText(metrics_.incremental.Read().share()), "33.3 by blocks");
  Answer();
  EXPECT_THAT(Begun(), testing::EndsWith("read public.big after (3,0) to (9,0) of files"));
  AnswerRead(Heap({}, "(9,0)"));
  EXPECT_THAT(State(), IsEmpty());
}

// Whether it is the row that was deleted or one like it tells its place, looked at again.
TEST_F(KeylessTest, ARowLikeOneThatTheStreamTellsOfIsLookedAtAgain) {
  Execute();
  Play(Heap({"1", "2", "1", "3"}, "(3,0)"), {"1"});
  EXPECT_THAT(published_, ElementsAre("2", "3"));
  EXPECT_EQ(State().at("walduct_incremental_snapshot"),
            R"x("{\"places\":{\"storage\":\"files\",\"end\":\"(9,0)\"}}")x");
  Begun();
  Answer();
  EXPECT_EQ(Begun(), "read public.big to (9,0) of files at (0,1) 700,(0,3) 700 before (3,0)");
  const std::string window = absl::StrCat("w", ids_);
  Opened(window);
  Chunk there = Heap({"1"}, "(3,0)");
  AnswerRead(std::move(there));
  Answer();
  Closed(window);
  EXPECT_THAT(published_, ElementsAre("2", "3", "1"));
  EXPECT_THAT(told_, ElementsAre("s1 STARTED", "s1 IN_PROGRESS (3,0)"));
  Answer();
  EXPECT_THAT(Begun(), testing::EndsWith("read public.big after (3,0) to (9,0) of files"));
}

TEST_F(KeylessTest, AChangeBeforeTheChunkCameIsOneOfThem) {
  Execute();
  Answer();
  Opened("w1");
  Delete("2");
  AnswerRead(Heap({"1", "2"}, "(3,0)"));
  Answer();
  Closed("w1");
  EXPECT_THAT(published_, ElementsAre("1"));
  // None of them is there: the chunk is over all the same.
  Play(Heap({}, "(3,0)"));
  EXPECT_THAT(published_, ElementsAre("1"));
  Begun();
  Answer();
  EXPECT_EQ(Begun(), "read public.big after (3,0) to (9,0) of files");
}

// Also where the window is given up before it is published: rows stand elsewhere.
TEST_F(KeylessTest, FilesThatWereWrittenAnewAreReadFromTheirBeginning) {
  Execute();
  Play(Heap({"1", "2"}, "(3,0)"), {"2"});
  storage_ = "others";
  Answer();
  Chunk anew = Heap({"2"}, "(1,0)");
  anew.anew = true;
  anew.next_xid = 5;
  snapshots_->OnCommit(0);
  AnswerRead(std::move(anew));
  EXPECT_EQ(State().at("walduct_incremental_snapshot"),
            R"x("{\"places\":{\"storage\":\"others\",\"end\":\"(9,0)\"}}")x");
  Answer(absl::UnavailableError("gone"));
  clock_.Advance(absl::Seconds(60));
  ASSERT_TRUE(snapshots_->Turn().ok());
  Begun();
  Answer();
  EXPECT_EQ(Begun(), "read public.big to (9,0) of others");
}

TEST_F(KeylessTest, ATruncateEmptiesIt) {
  Execute();
  Answer();
  Opened("w1");
  AnswerRead(Heap({"1"}, "(3,0)"));
  Answer();
  Delete("1");
  event::ChangeEvent truncate;
  truncate.operation = event::Operation::kTruncate;
  truncate.schema = heap_.get();
  ASSERT_TRUE(snapshots_->OnChange(truncate, {}).ok());
  Closed("w1");
  EXPECT_THAT(published_, IsEmpty());
  Begun();
  Answer();
  EXPECT_EQ(Begun(), "read public.big after (3,0) to (9,0) of files");
}

}  // namespace
}  // namespace walduct::incremental
