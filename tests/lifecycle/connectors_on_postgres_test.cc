// Connectors on a real PostgreSQL, commanded by another thread; the sink and the offset store are
// fakes, which can be looked into while they run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "slot/world/postgres_source.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"
#include "tests/support/postgres_server.h"

namespace walduct::slot {
namespace {

using test::Await;
using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::ElementsAre;

constexpr absl::Duration kPatience = absl::Seconds(60);

// Each connector has a broker and offsets of its own, by its name.
class PostgresWorld final : public World {
 public:
  struct Targets {
    test::FakeBroker broker;
    test::FakeOffsets offsets;
  };

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return 1; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       sink::Refusals*) override {
    return std::make_unique<test::BrokerSink>(targets.at(config.name).broker);
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) override {
    return std::make_unique<test::OffsetsStore>(targets.at(config.name).offsets);
  }
  std::unique_ptr<Source> MakeSource(const SourceOptions& options) override {
    return std::make_unique<PostgresSource>(options, environment_);
  }

  std::map<std::string, Targets> targets;  // filled before connectors run

 private:
  const Environment environment_ = Environment::Real();
};

class ConnectorsOnPostgres : public ::testing::Test {
 protected:
  ConnectorsOnPostgres() { MustQuery(*sql_, "CREATE TABLE public.orders(id text PRIMARY KEY)"); }
  ~ConnectorsOnPostgres() override {
    for (const engine::ConnectorStatus& status : set_.Statuses())
      EXPECT_TRUE(set_.Remove(status.name).ok());
    MustQuery(*sql_,
              "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
              "WHERE database = current_database()");
  }

  // Runs one until it streams.
  engine::Connector& Stream(const std::string& name) {
    engine::ConnectorOptions config = test::FakeConfig(name);
    *config.database = database_;
    config.replication->slot_name = config.replication->publication_name =
        absl::StrCat(name, "_", database_.dbname);
    config.replication->publication_autocreate = replication::PublicationAutocreate::kFiltered;
    config.runtime->shutdown_timeout = absl::Seconds(5);
    world_.targets.try_emplace(name);
    EXPECT_TRUE(set_.Add({.config = std::move(config)}).ok());
    EXPECT_TRUE(AwaitStreaming(name));
    return *set_.Find(name);
  }
  bool AwaitStreaming(const std::string& name) {
    return Await([&] { return StatusOf(name).activity == engine::Activity::kStreaming; },
                 kPatience);
  }
  bool AwaitState(const std::string& name, engine::ConnectorState state) {
    return Await([&] { return StatusOf(name).state == state; }, kPatience);
  }
  engine::ConnectorStatus StatusOf(const std::string& name) { return set_.Find(name)->status(); }

  void Insert(int id) {
    MustQuery(*sql_, absl::StrCat("INSERT INTO public.orders VALUES ('", id, "')"));
  }
  std::vector<std::string> KeysOf(const std::string& name) {
    return world_.targets.at(name).broker.keys();
  }
  bool AwaitRows(const std::string& name, size_t count) {
    return Await([&] { return KeysOf(name).size() >= count; }, kPatience);
  }
  std::string ActiveSlots() {
    return MustQuery(*sql_,
                     "SELECT count(*) FROM pg_replication_slots "
                     "WHERE active AND database = current_database()");
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
  PostgresWorld world_;
  engine::ConnectorSet set_{world_};
};

TEST_F(ConnectorsOnPostgres, APauseFreesTheSlotAndAResumeMissesNothing) {
  engine::Connector& orders = Stream("orders");
  Insert(1);
  ASSERT_TRUE(AwaitRows("orders", 1));
  orders.Pause();
  ASSERT_TRUE(AwaitState("orders", engine::ConnectorState::kPaused));
  ASSERT_TRUE(Await([&] { return ActiveSlots() == "0"; }, kPatience));
  Insert(2);
  orders.Resume();
  ASSERT_TRUE(AwaitRows("orders", 2));
  orders.Restart();
  ASSERT_TRUE(Await([&] { return orders.metrics().connected.value() == 0; }, kPatience));
  ASSERT_TRUE(AwaitStreaming("orders"));
  Insert(3);
  ASSERT_TRUE(AwaitRows("orders", 3));
  EXPECT_THAT(KeysOf("orders"), ElementsAre(R"({"id":"1"})", R"({"id":"2"})", R"({"id":"3"})"));
}

TEST_F(ConnectorsOnPostgres, EachRowComesOnceWhateverIsCommanded) {
  engine::Connector& orders = Stream("orders");
  constexpr int kRows = 2000;
  std::atomic<bool> written{false};
  std::thread writer([&] {
    for (int id = 1; id <= kRows; ++id) Insert(id);
    written = true;
  });
  int cycles = 0;
  while (!written || cycles < 3) {
    ++cycles;
    orders.Pause();
    EXPECT_TRUE(AwaitState("orders", engine::ConnectorState::kPaused));
    orders.Resume();
    EXPECT_TRUE(AwaitStreaming("orders"));
    orders.Restart();
    EXPECT_TRUE(
        Await([&] { return StatusOf("orders").state != engine::ConnectorState::kRestarting; }));
    EXPECT_TRUE(AwaitStreaming("orders"));
  }
  writer.join();
  ASSERT_TRUE(AwaitRows("orders", kRows));
  std::vector<std::string> expected;
  for (int id = 1; id <= kRows; ++id) expected.push_back(absl::StrCat("{\"id\":\"", id, "\"}"));
  EXPECT_EQ(KeysOf("orders"), expected);
}

TEST_F(ConnectorsOnPostgres, OneWhoseSlotIsGoneFailsAloneAndIsRestartedOnceItsOffsetIs) {
  Stream("orders");
  engine::Connector& payments = Stream("payments");
  Insert(1);
  ASSERT_TRUE(AwaitRows("orders", 1) && AwaitRows("payments", 1));
  payments.Pause();
  ASSERT_TRUE(AwaitState("payments", engine::ConnectorState::kPaused));
  const std::string slot = absl::StrCat("payments_", database_.dbname);
  ASSERT_TRUE(Await([&] { return ActiveSlots() == "1"; }, kPatience));
  MustQuery(*sql_, absl::StrCat("SELECT pg_drop_replication_slot('", slot, "')"));
  payments.Resume();
  ASSERT_TRUE(AwaitState("payments", engine::ConnectorState::kFailed));
  EXPECT_EQ(payments.status().exit_code, engine::kExitDataSafety);
  EXPECT_EQ(payments.status().last_error->reason, "position_lost");
  Insert(2);
  ASSERT_TRUE(AwaitRows("orders", 2)) << "the other one goes on";
  world_.targets.at("payments").offsets.Forget(/*on_purpose=*/true);
  payments.Restart();
  ASSERT_TRUE(AwaitStreaming("payments"));
  EXPECT_EQ(KeysOf("payments").size(), 3u) << "a new snapshot";
}

}  // namespace
}  // namespace walduct::slot
