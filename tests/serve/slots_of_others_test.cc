#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/connector_set.h"
#include "loader/load_connector.h"
#include "serve/worker/worker.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"
#include "tests/serve/test_loader.h"
#include "tests/support/fake_world.h"

namespace walduct::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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
  // But not on a server with another port, or of another host.
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db2:6432"), IsEmpty());
  Put("refused", {{"slot.name", "dbz_r"}, {"database.port", "${file:/nowhere:port}"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:6432"), ElementsAre("dbz_r"));
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db2:6432"), IsEmpty());
  Put("refused", {{"slot.name", "${file:/nowhere:slot}"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), IsEmpty()) << "it names none";
  Put("refused", {{"snapshot.mode", "nonsense"}, {"walduct.outbox.source", "poll"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), IsEmpty()) << "it reads none";
}

// What else is refused does not keep its address from being read.
TEST_F(SlotsOfOthersTest, AReferenceThatCanBeReadIsResolved) {
  setenv("WALDUCT_TEST_HOST", "db3", 1);
  setenv("WALDUCT_TEST_SLOT", "dbz_e", 1);
  Put("refused", {{"slot.name", "${env:WALDUCT_TEST_SLOT}"},
                  {"database.hostname", "${env:WALDUCT_TEST_HOST}"},
                  {"snapshot.mode", "nonsense"}});
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db3:5432"), ElementsAre("dbz_e"));
  EXPECT_THAT(worker_.SlotsOfOthers("own", "db:5432"), IsEmpty());
}

// Of one that was deleted: its slot is its own where the other is on another server.
TEST_F(SlotsOfOthersTest, ThatOfAnotherServerIsNoReasonToLeaveASlot) {
  const auto said_of_deleted = [&](const std::string& name) {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(worker_.Delete(name).ok());
    return testing::internal::GetCapturedStderr();
  };
  Put("refused", {{"slot.name", "dbz"}, {"snapshot.mode", "nonsense"}});
  Put("own", {{"slot.name", "dbz"}, {"database.hostname", "db2"}});
  EXPECT_THAT(said_of_deleted("own"), HasSubstr("SELECT pg_drop_replication_slot('dbz')"));
  Put("own", {{"slot.name", "dbz"}});
  EXPECT_THAT(said_of_deleted("own"), HasSubstr("connector refused would lose"));
}

// Also where it is not what this process was given: the copy of a unit, a pipe.
TEST(ConnectorLoader, HintsCallTheWorkersFileAsPeopleFindIt) {
  config::LoadRequest request;
  request.worker_path = "/dev/fd/63";
  request.texts = {{*request.worker_path, "group.id=g\n"}};
  const auto called = [&request] {
    return ConnectorLoader(request, "http://h:8083", Environment::Real())
        .Read({{"name", "a"},
               {"topic.prefix", "a"},
               {"database.hostname", "db"},
               {"database.user", "cdc"},
               {"database.dbname", "shop"}})
        .options.runtime->called.worker_file;
  };
  EXPECT_EQ(called(), "");
  request.worker_called = "/etc/walduct/worker.properties";
  EXPECT_EQ(called(), "/etc/walduct/worker.properties");
}

}  // namespace
}  // namespace walduct::serve
