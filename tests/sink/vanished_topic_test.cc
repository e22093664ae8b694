#include "sink/vanished_topic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kafka/topic_admin.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::sink {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int16_t kBeforeTopicIds = 9;  // of Metadata

absl::Status Gone() {
  return Error(absl::StatusCode::kUnavailable, "topic_gone", "not known any more", "");
}
absl::Status WithoutPartition() {
  return Error(absl::StatusCode::kFailedPrecondition, "partition_missing", "no partition 2", "");
}
absl::Status OfNoTopic() { return absl::UnavailableError("a transaction failed"); }

class NoWaits final : public Poller {
 public:
  void WaitReadable(std::initializer_list<int>, absl::Duration) override {}
  void WaitWritable(int, absl::Duration) override {}
};

class VanishedTopicTest : public testing::Test {
 protected:
  // Of topic t.
  absl::Status Explain(const TopicFailure& failure, const std::string& id = "") {
    return ExplainVanished(inquirer(), {.name = "t", .id = id, .taken = true}, failure);
  }
  absl::Status ExplainNew(const TopicFailure& failure) {
    return ExplainVanished(inquirer(), {.name = "t"}, failure);
  }
  Inquirer inquirer() {
    return {.client = [this] { return client(); },
            .bootstrap_servers = cluster_.bootstrap_servers(),
            .poller = &poller_};
  }
  kafka::Client* client() {
    if (!client_) {
      auto client =
          kafka::Client::Create(kafka::Client::Role::kProducer, cluster_.bootstrap_servers(), {});
      EXPECT_TRUE(client.ok()) << client.status();
      client_.emplace(*std::move(client));
    }
    return &*client_;
  }

  kafka::MockCluster cluster_;
  NoWaits poller_;
  std::optional<kafka::Client> client_;
};

absl::Status NeverThere() {
  return Error(absl::StatusCode::kFailedPrecondition, "topic_missing", "topic t is not there", "");
}

// Nothing of it was taken, and none of its ids is known.
TEST_F(VanishedTopicTest, ATopicThatWasCreatedOnlyNowIsSentToAgainForAWhile) {
  cluster_.CreateTopic("t", 1);
  int asked = 0;
  const auto may_wait = [&asked] { return ++asked == 1; };
  const TopicFailure failure{.error = NeverThere(), .of_batch = NeverThere(), .may_wait = may_wait};
  const absl::Status told = ExplainNew(failure);
  EXPECT_TRUE(absl::IsUnavailable(told)) << told;
  EXPECT_EQ(ErrorReason(told), "topic_gone");
  EXPECT_THAT(std::string(told.message()), HasSubstr("topic t is there only now"));
  EXPECT_EQ(ErrorReason(ExplainNew(failure)), "topic_missing") << "it has had its time";
}

TEST_F(VanishedTopicTest, ATopicThatNobodyCreatesIsMissing) {
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const TopicFailure failure{
      .error = NeverThere(), .of_batch = NeverThere(), .may_wait = [] { return true; }};
  EXPECT_EQ(ErrorReason(ExplainNew(failure)), "topic_missing") << "no broker says that it creates";
}

// As with brokers that are started: the client was told that there is no such topic.
TEST_F(VanishedTopicTest, WhereNobodyAnswersNothingIsSaidToBeMissing) {
  cluster_.CreateTopic("t", 1);
  client();
  cluster_.SetDown(true);
  const TopicFailure failure{
      .error = NeverThere(), .of_batch = NeverThere(), .may_wait = [] { return false; }};
  const absl::Status told = ExplainNew(failure);
  EXPECT_TRUE(absl::IsUnavailable(told)) << told;
  EXPECT_EQ(ErrorReason(told), "topic_gone");
  const TopicFailure by_id{.error = NeverThere(), .of_batch = NeverThere()};
  EXPECT_EQ(ErrorReason(ExplainVanished(inquirer(), {.name = "t", .id = "id"}, by_id)),
            "topic_gone");
  EXPECT_EQ(ErrorReason(ExplainUnnamed(inquirer(), {{.name = "t"}}, NeverThere()).error),
            "topic_gone");
}

TEST_F(VanishedTopicTest, ATopicThatIsMissingWasDeleted) {
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const absl::Status told = Explain({Gone()});
  EXPECT_EQ(ErrorReason(told), "topic_deleted") << told;
  EXPECT_TRUE(absl::IsUnavailable(told));
  EXPECT_THAT(std::string(told.message()), HasSubstr("topic t was deleted: "));
  EXPECT_THAT(ErrorHint(told), HasSubstr("--create --topic t"));
}

TEST_F(VanishedTopicTest, ATopicThatIsThereWasNot) {
  cluster_.CreateTopic("t", 1);
  EXPECT_EQ(Explain({Gone()}), Gone());
}

// A partition is missing of a topic that is there, though nobody answers for it.
TEST_F(VanishedTopicTest, ATopicWithFewerPartitionsWasCreatedAnewWhateverIsAnswered) {
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const absl::Status told = Explain({WithoutPartition()});
  EXPECT_EQ(ErrorReason(told), "topic_deleted") << told;
  EXPECT_THAT(std::string(told.message()), HasSubstr("was deleted and created anew"));
  EXPECT_THAT(ErrorHint(told), Not(HasSubstr("--create")));
}

// Brokers that have not heard of its deletion yet.
TEST_F(VanishedTopicTest, ATopicThatIsThereByItsIdIsNotCreatedAnew) {
  cluster_.CreateTopic("t", 1);
  kafka::TopicAdmin admin(client(), nullptr);
  const std::string name = "t";
  admin.StartExists({name}, absl::Seconds(5));
  const std::vector<kafka::TopicAnswer> answers = admin.Poll(absl::Seconds(5));
  ASSERT_EQ(answers.size(), 1u);
  ASSERT_FALSE(answers.front().id.empty());
  const absl::Status told = Explain({WithoutPartition()}, answers.front().id);
  EXPECT_EQ(ErrorReason(told), "topic_deleted") << told;
  EXPECT_THAT(std::string(told.message()), HasSubstr("topic t was deleted: "));
  EXPECT_THAT(ErrorHint(told), HasSubstr("--create --topic t"));
}

TEST_F(VanishedTopicTest, AnotherIdIsOfAnotherTopic) {
  cluster_.CreateTopic("t", 1);
  const absl::Status told = Explain({Gone()}, "another");
  EXPECT_EQ(ErrorReason(told), "topic_deleted") << told;
  EXPECT_THAT(std::string(told.message()), HasSubstr("was deleted and created anew"));
}

// As a broker that is not upgraded yet answers.
TEST_F(VanishedTopicTest, AnAnswerWithoutIdSaysNothingOfIt) {
  cluster_.CreateTopic("t", 1);
  cluster_.LimitVersion(kafka::MockCluster::kMetadata, kBeforeTopicIds);
  EXPECT_EQ(Explain({Gone()}, "another"), Gone());
}

TEST_F(VanishedTopicTest, WhatACallHeardOfFirstDoesNotHideIt) {
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  EXPECT_EQ(ErrorReason(Explain({OfNoTopic(), Gone()})), "topic_deleted");
  EXPECT_EQ(Explain({OfNoTopic()}), OfNoTopic());
}

// As of AddPartitionsToTxn: all that the transaction may have written to are asked for.
TEST_F(VanishedTopicTest, ACallThatNamesNoTopicIsOfThoseThatAreGone) {
  const absl::Status unnamed =
      Error(absl::StatusCode::kFailedPrecondition, "topic_missing", "a transaction failed", "");
  cluster_.SetTopicError("a", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  cluster_.CreateTopic("b", 1);
  cluster_.SetTopicError("c", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const TopicBefore a{.name = "a", .taken = true}, b{.name = "b", .taken = true},
      c{.name = "c", .id = "id"}, new_c{.name = "c"};
  const Unnamed both = ExplainUnnamed(inquirer(), {a, b, c}, unnamed);
  EXPECT_EQ(ErrorReason(both.error), "topic_deleted") << both.error;
  EXPECT_TRUE(absl::IsUnavailable(both.error));
  EXPECT_THAT(std::string(both.error.message()), HasSubstr("topic a was deleted, and so were"));
  EXPECT_THAT(both.deleted, testing::ElementsAre("a", "c"));
  const Unnamed never = ExplainUnnamed(inquirer(), {b, new_c}, unnamed);
  EXPECT_EQ(ErrorReason(never.error), "topic_missing") << never.error;
  EXPECT_THAT(std::string(never.error.message()), HasSubstr("topic c is not there"));
  EXPECT_THAT(ErrorHint(never.error), HasSubstr("--create --topic c"));
  EXPECT_THAT(never.deleted, testing::IsEmpty());
  EXPECT_EQ(ExplainUnnamed(inquirer(), {b}, unnamed).error, unnamed);
  EXPECT_EQ(ExplainUnnamed(inquirer(), {a}, OfNoTopic()).error, OfNoTopic());
}

TEST_F(VanishedTopicTest, ALossIsToldUnlessAnotherProcessHasTakenOver) {
  const absl::Status lost = Error(absl::StatusCode::kUnavailable, "topic_deleted", "lost", "");
  EXPECT_EQ(Explain({OfNoTopic(), lost}), lost);
  const absl::Status fenced = Error(absl::StatusCode::kFailedPrecondition, "fenced", "out", "");
  EXPECT_EQ(Explain({fenced, lost}), fenced);
}

}  // namespace
}  // namespace walduct::sink
