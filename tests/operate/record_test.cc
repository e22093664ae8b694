#include "operate/commands/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "absl/strings/str_cat.h"
#include "replication/recording/recording.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::operate {
namespace {

using test::Await;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RecordTest : public ::testing::Test {
 protected:
  RecordTest() { std::filesystem::remove(path_); }
  ~RecordTest() override { std::filesystem::remove(path_); }

  // Does what is given once the stream is open.
  absl::Status Record(const RecordLimits& limits, const std::function<void()>& meanwhile) {
    std::thread other([&] {
      if (Await([&] { return database_.streaming(); })) meanwhile();
    });
    const absl::Status status = RecordStream(
        {.config = &config_, .path = path_, .limits = limits, .world = &world_, .stop = &stop_},
        &recorded_);
    other.join();
    return status;
  }

  // The kinds of the messages in the file: "BRIIC".
  std::string Kinds() {
    std::ifstream file(path_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const absl::StatusOr<replication::Recording> read = replication::ReadRecording(bytes);
    EXPECT_TRUE(read.ok()) << read.status();
    std::string kinds;
    if (!read.ok()) return kinds;
    for (const replication::RecordedMessage& message : read->messages)
      kinds.push_back(message.payload.front());
    return kinds;
  }

  // Tests run beside each other.
  const std::string path_ =
      absl::StrCat(testing::TempDir(), "walduct_record_test.",
                   testing::UnitTest::GetInstance()->current_test_info()->name());
  engine::ConnectorOptions config_ = test::FakeConfig();
  test::FakeWorld world_;
  test::FakeDatabase& database_ = world_.database;
  engine::StopSignal stop_;
  Recorded recorded_;
};

TEST_F(RecordTest, EndsBehindTheTransactionThatMakesItSoMany) {
  database_.Commit({"before"});
  ASSERT_TRUE(Record({.changes = 3}, [&] {
                database_.Commit({"1", "2"});
                database_.Commit({"3", "4"});
                database_.Commit({"5"});
              }).ok());
  EXPECT_EQ(Kinds(), "BRIICBIIC");
  EXPECT_EQ(recorded_.changes, 4u);
  EXPECT_EQ(recorded_.transactions, 2u);
  EXPECT_FALSE(recorded_.cut);
}

TEST_F(RecordTest, AskForASlotOfItsOwnAndNoSnapshot) {
  ASSERT_TRUE(Record({.changes = 1}, [&] { database_.Commit({"1"}); }).ok());
  EXPECT_THAT(database_.asked(), Contains("slot"));
  EXPECT_THAT(database_.asked(), Not(Contains("snapshot")));
  EXPECT_THAT(world_.broker.records(), IsEmpty());
}

TEST_F(RecordTest, EndsWhenItIsStopped) {
  ASSERT_TRUE(Record({}, [&] { stop_.Request(); }).ok());
  EXPECT_EQ(Kinds(), "");
  EXPECT_TRUE(recorded_.begun);
}

TEST_F(RecordTest, EndsWhenItsTimeIsOver) {
  ASSERT_TRUE(Record({.time = absl::Milliseconds(20)}, [] {}).ok());
  EXPECT_EQ(recorded_.changes, 0u);
}

TEST_F(RecordTest, EndsAtTheMessageThatMakesItSoLarge) {
  ASSERT_TRUE(Record({.bytes = 1}, [&] { database_.Commit({"1"}); }).ok());
  EXPECT_EQ(Kinds(), "B");
  EXPECT_TRUE(recorded_.cut);
  EXPECT_EQ(recorded_.transactions, 0u);
}

TEST_F(RecordTest, KeepsWhatHasComeWhenTheStreamBreaks) {
  const absl::Status status = Record({}, [&] {
    database_.Commit({"1"});
    EXPECT_TRUE(Await([&] { return database_.messages() == 4; }));
    database_.Disconnect(absl::UnavailableError("gone"));
  });
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(Kinds(), "BRIC");
  EXPECT_EQ(recorded_.transactions, 1u);
}

TEST_F(RecordTest, AFileThatIsThereIsSeenBeforeTheDatabase) {
  std::ofstream(path_) << "of somebody";
  const absl::Status status = RecordStream(
      {.config = &config_, .path = path_, .world = &world_, .stop = &stop_}, &recorded_);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_FALSE(recorded_.begun);
  EXPECT_EQ(database_.connections(), 0);
}

TEST_F(RecordTest, NoFileWhereTheDatabaseRefuses) {
  database_.Refuse(absl::PermissionDeniedError("no"));
  const absl::Status status = RecordStream(
      {.config = &config_, .path = path_, .world = &world_, .stop = &stop_}, &recorded_);
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace walduct::operate
