// A row whose schema the registry does not know yet waits, and everything else goes on.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "encode/options/encode_options.h"
#include "slot/duties/stall_watch.h"
#include "tests/slot/duties_fixture.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::slot {
namespace {

class SchemaIdsTest : public DutiesFixture {
 protected:
  SchemaIdsTest() {
    config_.encode->key.kind = config_.encode->value.kind = encode::ConverterKind::kAvro;
    path_ = *delivery::RecordPath::Create({.config = &config_,
                                           .run_id = "1",
                                           .clock = &time_,
                                           .schema_ids = {&ids_, &ids_},
                                           .sink = &sink_,
                                           .tracker = &duties_.tracker(),
                                           .waiter = &duties_.housekeeping(),
                                           .metrics = &metrics_,
                                           .warn_once = &warn_once_});
    housekeeping().AttachStream(&source_, absl::Seconds(5));
    change_.operation = event::Operation::kCreate;
    change_.schema = schema_.get();
    change_.after = row_;
    change_.position.commit_end = Lsn(200);
  }

  absl::Status Publish() { return path_->pipeline().OnChange(change_); }

  test::FakeSchemaIds ids_;
  event::TableSchemaPtr schema_ = test::FakeTable::Schema();
  std::vector<event::Value> row_{schema_->columns.size(), event::Value::Text("7")};
  event::ChangeEvent change_;
};

TEST_F(SchemaIdsTest, ARowWaitsForTheRegistryAndDutiesGoOn) {
  ids_.set_away(true);
  time_.After(absl::Seconds(12), [this] {
    EXPECT_EQ(board_.Read().wait, engine::WaitReason::kSchemaId);
    ids_.set_away(false);
  });
  ASSERT_TRUE(Publish().ok());
  EXPECT_GE(source_.statuses.size(), 3u);
  EXPECT_EQ(sink_.in_flight(), 1u);
  const size_t asked = ids_.asked();
  ASSERT_TRUE(Publish().ok());
  EXPECT_EQ(ids_.asked(), asked) << "the id is known";
}

TEST_F(SchemaIdsTest, AnInterruptionEndsTheWait) {
  ids_.set_away(true);
  GiveAfter(absl::Seconds(3), engine::Command::kStop);
  EXPECT_TRUE(absl::IsCancelled(Publish()));
}

TEST_F(SchemaIdsTest, ARefusalNamesTheRow) {
  ids_.Refuse("srv.public.orders-value");
  const absl::Status refused = Publish();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_NE(refused.message().find("insert into table public.orders"), std::string::npos)
      << refused;
}

TEST_F(SchemaIdsTest, AStallNamesTheRegistry) {
  ids_.set_away(true);
  StallWatch watch({.patience = absl::Seconds(15),
                    .clock = &time_,
                    .board = &board_,
                    .metrics = &metrics_,
                    .sink = &sink_,
                    .tracker = &duties_.tracker(),
                    .checkpointer = &duties_.checkpointer(),
                    .server = {},
                    .schema_ids = {&ids_, &ids_}});
  testing::internal::CaptureStderr();
  for (int second = 0; second < 15 + 3 * 60 + 5; ++second) {
    time_.Advance(absl::Seconds(1));
    watch.Turn({.received = Lsn(), .reads = engine::WaitReason::kSchemaId});
  }
  ASSERT_TRUE(board_.Read().stall.has_value());
  EXPECT_EQ(board_.Read().stall->cause, "the schema registry");
  // A line at once, then one each minute.
  const std::vector<std::string> lines =
      absl::StrSplit(testing::internal::GetCapturedStderr(), "waiting for the schema registry");
  EXPECT_EQ(lines.size() - 1, 4u);
}

}  // namespace
}  // namespace walduct::slot
