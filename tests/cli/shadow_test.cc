#include "cli/migration/shadow.h"

#include "engine/configuration/connector_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

using Properties = std::vector<std::pair<std::string, std::string>>;

loader::LoadResult Live(Properties more = {}) {
  config::LoadRequest request;
  request.connector_values = {
      {"name", "shop"},
      {"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
      {"plugin.name", "pgoutput"},
      {"database.hostname", "db"},
      {"database.user", "cdc"},
      {"database.password", "secret"},
      {"database.dbname", "shop"},
      {"topic.prefix", "shop"},
      {"slot.name", "live"},
      {"bootstrap.servers", "kafka:9092"}};
  for (auto& property : more) request.connector_values->push_back(std::move(property));
  loader::LoadResult live = loader::LoadConnector(request);
  EXPECT_THAT(live.errors, testing::IsEmpty());
  return live;
}

TEST(Shadow, HasANameASlotAndAPositionOfItsOwn) {
  const auto shadow = ShadowProperties(Live(), {.directory = "/x"});
  ASSERT_TRUE(shadow.ok());
  EXPECT_THAT(*shadow, Contains(Pair("name", "shop-shadow")));
  EXPECT_THAT(*shadow, Contains(Pair("slot.name", "live_shadow")));
  EXPECT_THAT(*shadow, Contains(Pair("offset.storage.file.filename", "/x/offsets.dat")));
  EXPECT_THAT(*shadow, Contains(Pair("publication.autocreate.mode", "disabled")));
  EXPECT_THAT(*shadow, Contains(Pair("slot.drop.on.stop", "true")));
  EXPECT_THAT(*shadow, Contains(Pair("sink.file.path", "/x/records.jsonl")));
  EXPECT_THAT(*shadow, Contains(Pair("snapshot.mode", "no_data")));
}

TEST(Shadow, DoesNotActOnTheDatabase) {
  const auto shadow =
      ShadowProperties(Live({{"heartbeat.interval.ms", "1000"},
                             {"heartbeat.action.query", "insert into beats values (1)"},
                             {"exactly.once.support", "required"},
                             {"offset.storage.topic", "offsets"}}),
                       {.directory = "/x"});
  ASSERT_TRUE(shadow.ok());
  EXPECT_THAT(*shadow, Contains(Pair("heartbeat.action.query", "")));
  EXPECT_THAT(*shadow, Contains(Pair("walduct.outbox.cleanup", "none")));
  EXPECT_THAT(*shadow, Contains(Pair("exactly.once.support", "requested")));
}

// Nearly every file says initial, and the live connector is past that.
TEST(Shadow, TakesASnapshotOnlyWhereTheCommandAsksForOne) {
  const auto live = Live({{"snapshot.mode", "initial"}});
  const auto shadow = ShadowProperties(live, {.directory = "/x"});
  ASSERT_TRUE(shadow.ok());
  EXPECT_THAT(*shadow, Contains(Pair("snapshot.mode", "no_data")));
  const auto asked = ShadowProperties(live, {.directory = "/x", .own_snapshot = true});
  ASSERT_TRUE(asked.ok());
  EXPECT_THAT(*asked, Not(Contains(Key("snapshot.mode"))));
}

TEST(Shadow, RenamesTopicsLast) {
  const auto shadow = ShadowProperties(
      Live({{"transforms", "unwrap"},
            {"transforms.unwrap.type", "io.debezium.transforms.ExtractNewRecordState"},
            {"errors.tolerance", "all"},
            {"errors.deadletterqueue.topic.name", "letters"}}),
      {.directory = "/x", .topic_prefix = "try."});
  ASSERT_TRUE(shadow.ok());
  EXPECT_THAT(*shadow, Contains(Pair("transforms", "unwrap,walduct_shadow")));
  EXPECT_THAT(*shadow, Contains(Pair("transforms.walduct_shadow.replacement", "try.$1")));
  EXPECT_THAT(*shadow, Contains(Pair("errors.deadletterqueue.topic.name", "try.letters")));
}

TEST(Shadow, RefusesASlotNameThatIsTooLong) {
  const auto shadow =
      ShadowProperties(Live({{"slot.name", std::string(60, 'a')}}), {.directory = "/x"});
  EXPECT_THAT(std::string(shadow.status().message()), HasSubstr("63 characters"));
}

}  // namespace
}  // namespace walduct::cli
