#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/configuration/connector_options.h"
#include "engine/lifecycle/connector_set.h"
#include "serve/worker/worker.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"
#include "tests/serve/test_loader.h"
#include "tests/support/fake_world.h"

namespace walduct::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Nothing runs: what is wanted alone is asked.
class SlotsOfOthersTest : public testing::Test {
 protected:
  void Put(const std::string& name, const ConfigMap& more) {
    ConfigMap config = {{"connector.class", std::string(kPostgresClass)},
                        {"topic.prefix", name},
                        {"database.hostname", "db"},
                        {"database.user", "cdc"},
                        {"database.dbname", "shop"},
                        {"bootstrap.servers", "kafka:9092"}};
    for (const auto& [key, value] : more) PutValue(&config, key, value);
    ASSERT_TRUE(worker_.PutConfig(name, config, /*expects=*/false).ok());
  }

  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  test::MemoryTopics topics_;
  test::TestAssignment assignment_;
  test::TestLoader loader_;
  Worker worker_{{.topics = &topics_,
                  .assignment = &assignment_,
                  .connectors = &connectors_,
                  .environment = Environment::Real(),
                  .group = "g",
                  .worker_id = "here:8083",
                  .version = "3.6.1.Final",
                  .loader = &loader_}};
};

TEST_F(SlotsOfOthersTest, AreThoseOfAllThatAreWanted) {
  Put("own", {{"slot.name", "own"}});
  Put("b", {{"slot.name", "dbz_b"}});
  Put("elsewhere", {{"slot.name", "other"}, {"database.hostname", "db2"}});
  Put("unnamed", {});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), ElementsAre("dbz_b", "debezium"));
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db2:5432"), ElementsAre("other"));
}

TEST_F(SlotsOfOthersTest, PublicationsAreThoseThatConfigurationsName) {
  Put("own", {{"publication.name", "mine"}});
  Put("named", {{"publication.name", "Shop_pub"}, {"snapshot.mode", "nonsense"}});
  Put("refers", {{"database.dbname", "${file:/nowhere:db}"}});
  Put("elsewhere", {{"database.dbname", "other"}, {"publication.name", "other_pub"}});
  EXPECT_THAT(worker_.PublicationsOfOthers("own", "shop"),
              ElementsAre("Shop_pub", "dbz_publication", "shop_pub"));
}

TEST_F(SlotsOfOthersTest, OneThatCannotBeLoadedHasWhatItsTextNames) {
  Put("refused", {{"slot.name", "dbz_r"}, {"snapshot.mode", "nonsense"}, {"walduct.slots", "2"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), ElementsAre("dbz_r", "dbz_r_2"));
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db2:5432"), IsEmpty());
  // Where it is nobody can tell.
  Put("refused", {{"slot.name", "dbz_r"},
                  {"snapshot.mode", "nonsense"},
                  {"database.hostname", "${file:/nowhere:host}"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db2:5432"), ElementsAre("dbz_r"));
  Put("refused", {{"slot.name", "${file:/nowhere:slot}"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), IsEmpty()) << "it names none";
  Put("refused", {{"snapshot.mode", "nonsense"}, {"walduct.outbox.source", "poll"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), IsEmpty()) << "it reads none";
}

}  // namespace
}  // namespace walduct::serve
