#include "slot/phases/dropped_relations.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "names/table_filter.h"
#include "tests/support/fake_database.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {
namespace {

constexpr uint32_t kFirst = 20000;
constexpr size_t kMany = DroppedRelations::kLeast;

class DroppedRelationsTest : public testing::Test {
 protected:
  // A transaction with a row of each, which ends at `end`. `announced`: with its Relation message.
  absl::Status Commit(uint64_t end, uint32_t first, size_t count, bool announced = true) {
    std::vector<std::string> messages = {test::BeginBytes(end - 10, 0, 700)};
    for (uint32_t oid = first; oid < first + count; ++oid) {
      const test::RelationSpec spec = {
          .oid = oid, .table = absl::StrCat("t", oid), .columns = {{"id", 25, true}}};
      if (announced) messages.push_back(test::RelationBytes(spec));
      messages.push_back(test::InsertBytes(oid, {test::Text("1")}));
    }
    messages.push_back(test::CommitBytes(end - 10, end, 0));
    for (const std::string& message : messages)
      if (absl::Status status = assembler_.OnMessage(Lsn(end - 50), message); !status.ok())
        return status;
    return absl::OkStatus();
  }
  void Answer(std::vector<Oid> gone, uint64_t end) {
    answer_ = {.gone = std::move(gone), .end = Lsn(end)};
    dropped_.Turn();
  }
  size_t known() const { return assembler_.known_relations(); }

  test::SimulatedTime time_;
  test::FakeTable catalog_;
  const names::TableFilter filter_{names::TableFilterOptions{}};
  DelayedSchemaResolver resolver_{
      {.catalog = &catalog_, .captured = &filter_, .clock = &time_, .delay = absl::ZeroDuration()}};
  test::RecordingHandler handler_;
  pgoutput::Assembler assembler_{resolver_, handler_, {}};
  std::vector<std::vector<replication::ToldRelation>> asked_;
  std::optional<replication::GoneRelations> answer_;
  DroppedRelations dropped_{{.ask = [this](auto told) { asked_.push_back(std::move(told)); },
                             .take = [this] { return std::exchange(answer_, std::nullopt); },
                             .assembler = &assembler_,
                             .resolver = &resolver_}};
};

TEST_F(DroppedRelationsTest, AFewAreNotAskedAbout) {
  ASSERT_TRUE(Commit(1000, kFirst, kMany - 1).ok());
  dropped_.Turn();
  EXPECT_TRUE(asked_.empty());
}

TEST_F(DroppedRelationsTest, ThoseThatAreGoneAreForgottenOnceTheStreamHasPassedTheAnswer) {
  ASSERT_TRUE(Commit(1000, kFirst, kMany).ok());
  dropped_.Turn();
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].size(), kMany);
  EXPECT_EQ(asked_[0][0].transaction, 700u);
  Answer({Oid{kFirst}, Oid{kFirst + 1}}, 3000);
  ASSERT_TRUE(Commit(2000, kFirst, 2, /*announced=*/false).ok()) << "rows from before the drop";
  dropped_.Turn();
  EXPECT_EQ(known(), kMany);
  assembler_.AdvanceTo(Lsn(3000));
  dropped_.Turn();
  EXPECT_EQ(known(), kMany - 2);
  ASSERT_TRUE(Commit(4000, kFirst + 2, kMany - 2, /*announced=*/false).ok()) << "the others";
  dropped_.Turn();
  EXPECT_EQ(asked_.size(), 1u) << "not again at once";
}

// The server may give its OID to another table.
TEST_F(DroppedRelationsTest, OneThatIsAnnouncedAgainMeanwhileStays) {
  ASSERT_TRUE(Commit(1000, kFirst, kMany).ok());
  dropped_.Turn();
  Answer({Oid{kFirst}, Oid{kFirst + 1}}, 3000);
  ASSERT_TRUE(Commit(2000, kFirst, 1).ok());
  assembler_.AdvanceTo(Lsn(3000));
  dropped_.Turn();
  EXPECT_EQ(known(), kMany - 1);
  EXPECT_TRUE(Commit(4000, kFirst, 1, /*announced=*/false).ok());
  EXPECT_FALSE(Commit(5000, kFirst + 1, 1, /*announced=*/false).ok());
}

TEST_F(DroppedRelationsTest, AnAnswerIsWaitedFor) {
  ASSERT_TRUE(Commit(1000, kFirst, kMany).ok());
  for (int i = 0; i < 3; ++i) dropped_.Turn();
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(DroppedRelationsTest, MemoryIsBoundedByThoseThatAreThere) {
  uint64_t end = 1000;
  size_t most = 0;
  for (uint32_t oid = kFirst; oid < kFirst + 10000; ++oid, end += 100) {
    ASSERT_TRUE(Commit(end, oid, 1).ok());
    dropped_.Turn();
    if (!asked_.empty()) {
      std::vector<Oid> gone;
      for (const replication::ToldRelation& told : asked_[0])
        if (told.relation != Oid{kFirst}) gone.push_back(told.relation);
      asked_.clear();
      Answer(std::move(gone), end);
    }
    most = std::max(most, known());
  }
  EXPECT_LE(most, 2 * kMany + 2);
}

}  // namespace
}  // namespace walduct::slot
