#include "offset/kafka_offset_store.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/poller.h"
#include "kafka/options.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "offset/topic/offset_topics.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::offset {
namespace {

constexpr char kTopic[] = "connect-offsets";

class NoDeliveries final : public kafka::DeliveryHandler {
 public:
  void OnDelivered(uint64_t, uint32_t) override {}
};

class KafkaOffsetStoreTest : public testing::Test {
 protected:
  KafkaOffsetStoreTest() { cluster_.CreateTopic(kTopic, 4); }

  std::unique_ptr<OffsetStore> Open(const std::string& connector = "orders-connector",
                                    std::shared_ptr<OffsetTopics> topics = nullptr) const {
    kafka::KafkaOptions kafka;
    kafka.bootstrap_servers = cluster_.bootstrap_servers();
    OffsetOptions options;
    options.topic = kTopic;
    auto store = CreateOffsetStore(options, kafka, {connector, "srv"}, Environment::Real(),
                                   std::move(topics));
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static void Save(OffsetStore& store, uint64_t lsn, const std::string& sink = "") {
    StoredOffset offset;
    offset.position.commit_end = Lsn(lsn);
    offset.sink = sink;
    ASSERT_TRUE(store.StartSave(offset).ok());
    for (int i = 0; i < 300; ++i) {
      if (const auto answer = store.PollSave()) {
        ASSERT_TRUE(answer->ok()) << *answer;
        return;
      }
      Poller::Real().WaitReadable({store.ready_fd()}, absl::Milliseconds(100));
    }
    FAIL() << "not stored";
  }
  static uint64_t LoadedLsn(OffsetStore& store) {
    const auto offset = store.Load();
    EXPECT_TRUE(offset.ok()) << offset.status();
    return offset.ok() && offset->has_value() ? (*offset)->position.commit_end.value() : 0;
  }
  void Produce(absl::string_view key, absl::string_view value) {
    auto producer = kafka::Producer::Create({.bootstrap_servers = cluster_.bootstrap_servers(),
                                             .java = {},
                                             .rules = {},
                                             .environment = Environment::Real()});
    ASSERT_TRUE(producer.ok());
    const auto topic = (*producer)->OpenTopic(kTopic);
    ASSERT_TRUE(topic.ok());
    ASSERT_TRUE((*producer)->Produce({.topic = &*topic, .key = key, .value = value}).ok());
    NoDeliveries none;
    ASSERT_TRUE((*producer)->Flush(none, absl::Seconds(30)).ok());
  }

  kafka::MockCluster cluster_;
};

// As the connectors of a worker do: each sees what any has stored before it asked.
TEST_F(KafkaOffsetStoreTest, StoresThatShareReadingsSeeWhatIsStoredMeanwhile) {
  const auto topics = std::make_shared<OffsetTopics>();
  const auto a = Open("a", topics), b = Open("b", topics);
  EXPECT_EQ(LoadedLsn(*a), 0u);
  Save(*a, 100);
  Save(*b, 200);
  EXPECT_EQ(LoadedLsn(*Open("a", topics)), 100u);
  Save(*a, 101);
  EXPECT_EQ(LoadedLsn(*Open("a", topics)), 101u);
  EXPECT_EQ(LoadedLsn(*Open("b", topics)), 200u);
  ASSERT_TRUE(b->Erase().ok());
  const auto erased = Open("b", topics);
  EXPECT_EQ(LoadedLsn(*erased), 0u);
  EXPECT_TRUE(erased->erased());
  EXPECT_EQ(LoadedLsn(*Open("a")), 101u) << "read alone";
}

TEST_F(KafkaOffsetStoreTest, AnEmptyTopicHasNoOffset) { EXPECT_EQ(LoadedLsn(*Open()), 0u); }

TEST_F(KafkaOffsetStoreTest, TheLastOffsetOfTheConnectorIsLoaded) {
  const auto store = Open();
  Save(*store, 10);
  Save(*Open("other"), 99);
  Save(*store, 11);
  EXPECT_EQ(LoadedLsn(*Open()), 11u);
}

TEST_F(KafkaOffsetStoreTest, RST_18_AnotherSpellingOfTheKeyCountsAndTheNewerOneWins) {
  Produce(R"(["orders-connector", {"server": "srv"}])", R"({"lsn":5})");
  const auto store = Open();
  EXPECT_EQ(LoadedLsn(*store), 5u);
  Save(*store, 6);
  EXPECT_EQ(LoadedLsn(*store), 6u);
}

TEST_F(KafkaOffsetStoreTest, RecordsOfOtherKindsAreIgnored) {
  Produce("session-key", "not json");
  Produce("[1,2", "{}");
  EXPECT_EQ(LoadedLsn(*Open()), 0u);
}

// As that of an incremental snapshot which has thousands of tables to read.
TEST_F(KafkaOffsetStoreTest, APositionMayHaveMegabytes) {
  Save(*Open(), 10, std::string(5u << 20, 'x'));
  EXPECT_EQ(LoadedLsn(*Open()), 10u);
}

TEST_F(KafkaOffsetStoreTest, AnErasedOffsetIsGone) {
  const auto store = Open();
  Save(*store, 10);
  ASSERT_TRUE(store->Erase().ok());
  const auto next = Open();
  EXPECT_FALSE(next->erased());
  EXPECT_EQ(LoadedLsn(*next), 0u);
  EXPECT_TRUE(next->erased());
  Save(*store, 12);
  EXPECT_EQ(LoadedLsn(*Open()), 12u);
}

TEST_F(KafkaOffsetStoreTest, RST_23_AFailedSaveIsReportedAndMayBeTriedAgain) {
  const auto store = Open();
  cluster_.FailNext(kafka::MockCluster::kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ASSERT_TRUE(store->StartSave({}).ok());
  std::optional<absl::Status> answer;
  for (int i = 0; i < 300 && !answer; ++i) {
    answer = store->PollSave();
    Poller::Real().WaitReadable({store->ready_fd()}, absl::Milliseconds(100));
  }
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(absl::IsPermissionDenied(*answer)) << *answer;
  Save(*store, 3);
  EXPECT_EQ(LoadedLsn(*store), 3u);
}

TEST_F(KafkaOffsetStoreTest, ABrokerThatIsAwayIsSaidInTime) {
  OffsetOptions options;
  options.flush_timeout = absl::Milliseconds(300);
  kafka::KafkaOptions kafka;
  kafka.bootstrap_servers = "127.0.0.1:1";
  const auto store =
      KafkaOffsetStore::Create(options, kafka, {"c", "srv"}, Environment::Real(), nullptr);
  ASSERT_TRUE(store.ok());
  const absl::Status status = (*store)->Load().status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(ErrorReason(status), "broker_unavailable");
}

}  // namespace
}  // namespace walduct::offset
