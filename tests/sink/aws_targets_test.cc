// What is sent to Kinesis, SQS and SNS, and what their answers say, without any of them.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "sink/aws/fifo_ids.h"
#include "sink/aws/plain_text.h"
#include "sink/kinesis/kinesis_target.h"
#include "sink/sns/sns_target.h"
#include "sink/sqs/sqs_target.h"

namespace walduct::sink {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

event::Record ChangeOf(absl::string_view topic, absl::string_view key, absl::string_view value) {
  event::Record record;
  record.topic = topic;
  record.key = key;
  record.value = value;
  record.id = {.lsn = 0xAB, .number = 4, .of = event::RecordId::Of::kChange};
  return record;
}

class Addressed {
 public:
  Addressed(const AwsTarget& target, const event::Record& record, bool letter = false) {
    message_.letter = letter;
    status_ = target.Address(record, &message_);
    message_.Keep(record, 1);
  }
  const absl::Status& status() const { return status_; }
  const AwsMessage* message() const { return &message_; }

 private:
  AwsMessage message_;
  absl::Status status_;
};

TEST(PlainTextTest, StringsLoseTheirJson) {
  EXPECT_EQ(StringIn(R"("a\"b")"), "a\"b");
  EXPECT_EQ(StringIn(R"({"schema":{"type":"string","optional":true},"payload":"x"})"), "x");
  EXPECT_EQ(StringIn(R"({"schema":{"type":"string","optional":true},"payload":null})"),
            std::nullopt);
  EXPECT_EQ(StringIn(R"({"before":null})"), std::nullopt);
  EXPECT_EQ(StringIn("\"torn"), std::nullopt);
  EXPECT_EQ(TextWithoutJson("null"), "");
  EXPECT_EQ(TextWithoutJson("7"), "7");
  EXPECT_EQ(TextWithoutJson(R"("acme")"), "acme");
  EXPECT_EQ(TextWithoutJson(R"({"schema":{"type":"int32"},"payload":7})"), "7");
  EXPECT_EQ(TextWithoutJson(R"({"schema":{"type":"string"},"payload":null})"), "");
  EXPECT_EQ(TextWithoutJson(R"({"a":1})"), R"({"a":1})");
}

TEST(FifoIdsTest, AChangeHasOneIdAndOthersHaveOthers) {
  const DeduplicationIds ids("one"), same("one"), other("two");
  const event::Record change = ChangeOf("t", "k", "v");
  EXPECT_THAT(ids.Of(change), MatchesRegex("[0-9a-f]{64}"));
  EXPECT_EQ(ids.Of(change), same.Of(change));
  EXPECT_NE(ids.Of(change), other.Of(change));
  event::Record row = change;
  row.id.of = event::RecordId::Of::kRow;
  EXPECT_NE(ids.Of(row), ids.Of(row));
  EXPECT_EQ(GroupOf("Struct{id=1}"), "Struct{id=1}");
  EXPECT_THAT(GroupOf("with space"), MatchesRegex("[0-9a-f]{64}"));
  EXPECT_THAT(GroupOf(std::string(129, 'x')), MatchesRegex("[0-9a-f]{64}"));
}

TEST(KinesisTargetTest, ARequestHasKeysAndData) {
  const KinesisTarget target({.service = {.service = "kinesis", .region = "r"}});
  const Addressed one(target, ChangeOf("s.t", R"({"ü":1})", "v"));
  event::Record tombstone = ChangeOf("s.t", "", "");
  tombstone.key.reset();
  tombstone.value.reset();
  const Addressed two(target, tombstone);
  EXPECT_EQ(target.Write(std::vector{one.message(), two.message()}).body,
            R"({"StreamName":"s.t","Records":[{"Data":"dg==","PartitionKey":"{\"ü\":1}"},)"
            R"({"Data":"","PartitionKey":"default"}]})");
  EXPECT_EQ(one.message()->order, R"({"ü":1})");
  EXPECT_EQ(two.message()->order, "") << "nobody waits for what has no key";
  EXPECT_EQ(ErrorReason(Addressed(target, ChangeOf("a b", "k", "v")).status()),
            "topic_name_invalid");
  EXPECT_EQ(ErrorReason(Addressed(target, ChangeOf("t", std::string(257, 'k'), "v")).status()),
            "record_refused");
  EXPECT_TRUE(Addressed(target, ChangeOf("t", std::string(256, 'k'), "v")).status().ok());
}

TEST(KinesisTargetTest, EachRecordHasItsAnswer) {
  const KinesisTarget target({.service = {.service = "kinesis", .region = "r"}});
  const auto results = target.Read(
      R"({"FailedRecordCount":1,"Records":[{"SequenceNumber":"1","ShardId":"s"},)"
      R"({"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow"}]})",
      2);
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ(ErrorReason((*results)[1]), "aws_throttled");
  const auto odd = target.Read(
      R"({"Records":[{"ErrorCode":"Unheard"},{"ErrorMessage":"no code"},{"ErrorCode":null}]})", 3);
  ASSERT_TRUE(odd.ok());
  for (const absl::Status& one : *odd) EXPECT_EQ(ErrorReason(one), "aws_not_taken");
  EXPECT_TRUE(absl::IsUnavailable(target.Read(R"({"Records":[]})", 2).status()));
  EXPECT_TRUE(absl::IsUnavailable(target.Read("<html>", 2).status()));
}

TEST(SqsTargetTest, AFifoQueueGetsGroupsAndIds) {
  SqsTarget::Options options{.service = {.service = "sqs", .region = "r"}};
  options.queue = "http://q/events";
  options.letter_queue = "http://q/dead.fifo";
  const event::Record change = ChangeOf("t", "k", "a\"b");
  const SqsTarget plain(options);
  const Addressed standard(plain, change);
  EXPECT_EQ(plain.Write(std::vector{standard.message()}).body,
            R"({"QueueUrl":"http://q/events","Entries":[{"Id":"0","MessageBody":"a\"b"}]})");
  EXPECT_EQ(standard.message()->order, "");
  EXPECT_EQ(Addressed(plain, change, true).message()->destination, "http://q/dead.fifo");
  options.queue += ".fifo";
  const SqsTarget fifo(options);
  const Addressed ordered(fifo, change);
  EXPECT_THAT(fifo.Write(std::vector{ordered.message()}).body,
              HasSubstr(absl::StrCat(R"("MessageGroupId":"cdc-group","MessageDeduplicationId":")",
                                     ordered.message()->id)));
  options.group_by_key = true;
  EXPECT_EQ(Addressed(SqsTarget(options), change).message()->order, "k");
  EXPECT_EQ(ErrorReason(Addressed(fifo, ChangeOf("t", "k", "\xff")).status()), "record_refused");
}

// A tombstone that is refused for its empty body would be refused as a letter, too.
TEST(AwsTargetsTest, ALetterIsNeverEmpty) {
  event::Record tombstone = ChangeOf("arn:aws:sns:r:1:t", "k", "");
  tombstone.value.reset();
  const SqsTarget sqs({.service = {.service = "sqs", .region = "r"}});
  EXPECT_EQ(Addressed(sqs, tombstone).message()->sent(), "");
  EXPECT_EQ(Addressed(sqs, tombstone, true).message()->sent(), "null");
  EXPECT_EQ(Addressed(sqs, ChangeOf("t", "k", "v"), true).message()->sent(), "v");
  SnsTarget::Options options;
  options.service = {.service = "sns", .region = "r"};
  const SnsTarget sns(options);
  EXPECT_EQ(Addressed(sns, tombstone).message()->sent(), "");
  EXPECT_EQ(Addressed(sns, tombstone, true).message()->sent(), "null");
}

TEST(SqsTargetTest, EachMessageHasItsAnswer) {
  const SqsTarget target({.service = {.service = "sqs", .region = "r"}});
  const auto results =
      target.Read(R"({"Failed":[{"Id":"1","Code":"InternalError","SenderFault":false}],)"
                  R"("Successful":[{"Id":"0"},{"Id":"7"}]})",
                  3);
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ(ErrorReason((*results)[1]), "aws_not_taken");
  EXPECT_TRUE(absl::IsUnavailable((*results)[2])) << "what nobody speaks of is sent again";
}

TEST(SqsTargetTest, WhatFailedIsNotTakenWhateverItsCode) {
  const SqsTarget target({.service = {.service = "sqs", .region = "r"}});
  const auto results = target.Read(
      R"({"Failed":[{"Id":"0","Code":"","SenderFault":false},{"Id":"1","SenderFault":true},)"
      R"({"Id":"2","Code":"Unheard","SenderFault":false},)"
      R"({"Id":"3","Code":"Unheard","SenderFault":true},{"Id":"4","Code":"Unheard"},{"Id":"5"},)"
      R"({"Id":"6","Code":"KmsThrottled","SenderFault":true}]})",
      7);
  ASSERT_TRUE(results.ok());
  std::vector<std::string> reasons;
  for (const absl::Status& one : *results) reasons.push_back(ErrorReason(one));
  EXPECT_THAT(reasons,
              ElementsAre("aws_not_taken", "record_refused", "aws_not_taken", "record_refused",
                          "record_refused", "aws_not_taken", "aws_throttled"));
}

TEST(SnsTargetTest, WhatFailedIsNotTakenWhateverItsCode) {
  const SnsTarget target({.service = {.service = "sns", .region = "r"}});
  const auto results = target.Read(
      "<R><Failed><member><Id>0</Id><Code></Code></member>"
      "<member><Id>1</Id><Code>Unheard</Code><SenderFault>false</SenderFault></member>"
      "<member><Id>2</Id><Code>Unheard</Code><SenderFault>true</SenderFault></member></Failed>"
      "<Successful><member><Id>3</Id><MessageId>m</MessageId></member></Successful></R>",
      4);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(ErrorReason((*results)[0]), "aws_not_taken");
  EXPECT_EQ(ErrorReason((*results)[1]), "aws_not_taken");
  EXPECT_EQ(ErrorReason((*results)[2]), "record_refused");
  EXPECT_TRUE((*results)[3].ok());
}

TEST(SnsTargetTest, StringsAreTextAndHeadersAttributes) {
  SnsTarget::Options options{.service = {.service = "sns", .region = "r"}};
  options.prefix = "arn:aws:sns:r:1:";
  options.group_header = "type";
  const event::Header headers[] = {{"type", R"("Order Paid")"}, {"id", R"("7")"}};
  event::Record record = ChangeOf("events", "k", R"("{\"id\": 7}")");
  record.headers = headers;
  const SnsTarget target(options);
  const Addressed sent(target, record);
  const std::string body = target.Write(std::vector{sent.message()}).body;
  EXPECT_THAT(body, HasSubstr("Action=PublishBatch&Version=2010-03-31&TopicArn="
                              "arn%3Aaws%3Asns%3Ar%3A1%3Aevents&"));
  EXPECT_THAT(body, HasSubstr("member.1.Id=0&"));
  EXPECT_THAT(body, HasSubstr("member.1.Message=%7B%22id%22%3A%207%7D&"));
  EXPECT_THAT(body, HasSubstr("entry.1.Name=type&PublishBatchRequestEntries.member.1."
                              "MessageAttributes.entry.1.Value.DataType=String&"));
  EXPECT_THAT(body, EndsWith("entry.2.Value.StringValue=7"));
  EXPECT_THAT(body, Not(HasSubstr("MessageGroupId")));
  record.topic = "events.fifo";
  EXPECT_EQ(Addressed(target, record).message()->order, GroupOf("Order Paid"));
  record.topic = "arn:aws:sns:r:1:other.fifo";
  record.headers = {};
  EXPECT_EQ(Addressed(target, record).message()->order, "k");
  EXPECT_EQ(Addressed(target, record).message()->destination, record.topic);
}

TEST(SnsTargetTest, ANullHeaderHasNoPlaceUnlessItIsLeftOut) {
  SnsTarget::Options options{.service = {.service = "sns", .region = "r"}};
  options.topic = "arn:aws:sns:r:1:events";
  const event::Header headers[] = {{"tenant", "null"}, {"a", "1"}};
  event::Record record = ChangeOf("t", "k", "{}");
  record.headers = headers;
  const absl::Status refused = Addressed(SnsTarget(options), record).status();
  EXPECT_EQ(ErrorReason(refused), "record_refused");
  EXPECT_THAT(refused.message(), HasSubstr("'tenant'"));
  EXPECT_TRUE(Addressed(SnsTarget(options), record, true).status().ok()) << "a letter is written";
  options.skips_null_headers = true;
  const SnsTarget lenient(options);
  const Addressed sent(lenient, record);
  ASSERT_TRUE(sent.status().ok());
  const std::string body = lenient.Write(std::vector{sent.message()}).body;
  EXPECT_THAT(body, Not(HasSubstr("tenant")));
  EXPECT_THAT(body, HasSubstr("entry.1.Name=a&"));
}

TEST(SnsTargetTest, EachMessageHasItsAnswer) {
  const SnsTarget target({.service = {.service = "sns", .region = "r"}});
  const auto results = target.Read(
      "<R><Successful><member><MessageId>x</MessageId><Id>0</Id></member></Successful>"
      "<Failed><member><Id>1</Id><Code>InternalError</Code><Message>no</Message></member></Failed>"
      "</R>",
      3);
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ(ErrorReason((*results)[1]), "aws_not_taken");
  EXPECT_TRUE(absl::IsUnavailable((*results)[2]));
}

}  // namespace
}  // namespace walduct::sink
