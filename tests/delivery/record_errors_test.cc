// What becomes of records that cannot be published, by errors.*: through the pipeline into a sink
// that refuses what it is told to refuse.
#include "delivery/pipeline/record_errors.h"

#include <gtest/gtest.h>

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "delivery/pipeline/change_text.h"
#include "delivery/pipeline/pipeline.h"
#include "encode/options/converter_options.h"
#include "engine/configuration/record_error_options.h"
#include "names/table_filter.h"
#include "route/options.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/chain_config.h"
#include "transform/chain/chain.h"

namespace walduct::delivery {
namespace {

using encode::MakeTable;
using encode::MakeType;
using encode::Text;
using metrics::RecordErrorOutcome;

struct Sent {
  std::string topic;
  std::string key, value;  // "<null>" for null
  std::map<std::string, std::string> headers;
  sink::Ticket ticket;
};

// Takes what is not too large and whose topic it has no objection to.
class PickySink : public sink::Sink {
 public:
  bool HasCapacity() override { return true; }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override {
    const size_t size = record.key.value_or("").size() + record.value.value_or("").size();
    if (size > largest) return Refusal("record_too_large");
    if (record.key.value_or("").size() > longest_key) return Refusal("record_refused");
    if (record.value && refuses_values) return Refusal("record_refused");
    if (record.topic == refused_topic) return Refusal("topic_name_invalid");
    if (!of_topic.empty() && record.topic != "letters") return Refusal(of_topic);
    if (broken) return absl::PermissionDeniedError("no WRITE on the topic");
    if (full) return absl::ResourceExhaustedError("full");
    Sent one{.topic = std::string(record.topic),
             .key = std::string(record.key.value_or("<null>")),
             .value = std::string(record.value.value_or("<null>")),
             .headers = {},
             .ticket = ticket};
    for (const event::Header& header : record.headers)
      one.headers[std::string(header.name)] = std::string(header.value);
    sent.push_back(one);
    return absl::OkStatus();
  }
  absl::Status Poll(sink::AckHandler&) override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Flush(sink::AckHandler&, absl::Duration) override { return absl::OkStatus(); }

  std::vector<Sent> sent;
  size_t largest = 1 << 20, longest_key = 1 << 20;
  bool refuses_values = false;
  std::string refused_topic;
  std::string of_topic;  // why it takes no record but letters
  bool broken = false;
  bool full = false;

 private:
  static absl::Status Refusal(absl::string_view reason) {
    return Error(absl::StatusCode::kInvalidArgument, reason, "refused", "do something");
  }
};

class NoWait : public RoomWaiter {
 public:
  absl::Status WaitForRoom() override { return room; }
  absl::Status WaitForSchemaId() override { return absl::OkStatus(); }

  absl::Status room;
};

// items(id int4 primary key, amount text, note text), whose amount a chain casts to int32.
class RecordErrorsTest : public encode::EncodeTest {
 protected:
  RecordErrorsTest() {
    table_ = MakeTable("items",
                       {{"id", MakeType("int4"), -1, false},
                        {"amount", MakeType("text")},
                        {"note", MakeType("text")}},
                       {0});
    policy_.tolerate = true;
    policy_.dead_letter_topic = "letters";
    policy_.context_headers = true;
    policy_.value_converter = "org.apache.kafka.connect.json.JsonConverter";
    policy_.transforms["cast"] = "org.apache.kafka.connect.transforms.Cast$Value";
    transforms_ = test::ChainOf(
        test::InOrder({test::OneTransform("u", "io.debezium.transforms.ExtractNewRecordState"),
                       test::OneTransform("cast", "org.apache.kafka.connect.transforms.Cast$Value",
                                          {{"spec", "amount:int32"}})}));
  }

  Pipeline& pipeline() {
    if (pipeline_ != nullptr) return *pipeline_;
    chain_ = transform::Chain::Create(transforms_);
    encoder_ = *encode::RecordEncoder::Create(options_, clock_, "run", chain_.get());
    route::RouteOptions options;
    options.topic_prefix = "srv";
    router_ = std::make_unique<route::Router>(options, filter_);
    errors_ = std::make_unique<RecordErrors>(RecordErrors::Options{.policy = &policy_,
                                                                   .connector = "shop",
                                                                   .called = {.who = "shop"},
                                                                   .encode = &options_,
                                                                   .run_id = "run",
                                                                   .clock = &clock_,
                                                                   .metrics = &metrics_});
    pipeline_ = std::make_unique<Pipeline>(Pipeline::Parts{.router = router_.get(),
                                                           .encoder = encoder_.get(),
                                                           .sink = &sink_,
                                                           .tracker = &tracker_,
                                                           .waiter = &waiter_,
                                                           .errors = errors_.get(),
                                                           .metrics = &metrics_,
                                                           .clock = &clock_});
    return *pipeline_;
  }

  absl::Status InsertItem(const std::string& id, const std::string& amount,
                          const std::string& note = "n") {
    const std::vector<event::Value> row = {Text(id), Text(amount), Text(note)};
    event::ChangeEvent change = Change(*table_, event::Operation::kCreate);
    change.after = row;
    change.position.commit_end = Lsn(2393226040);
    change.position.ordinal = ++ordinal_;
    return pipeline().OnChange(change);
  }

  uint64_t Outcome(RecordErrorOutcome outcome) { return metrics_.RecordErrors(outcome).value(); }

  std::shared_ptr<event::TableSchema> table_;
  engine::RecordErrorOptions policy_;
  transform::ChainSpec transforms_;
  const names::TableFilter filter_{names::TableFilterOptions()};
  PickySink sink_;
  NoWait waiter_;
  AckTracker tracker_;
  metrics::ConnectorMetrics metrics_;
  std::unique_ptr<const transform::Chain> chain_;
  std::unique_ptr<route::Router> router_;
  std::unique_ptr<RecordErrors> errors_;
  std::unique_ptr<Pipeline> pipeline_;
  uint64_t ordinal_ = 0;
};

TEST_F(RecordErrorsTest, FAIL11_NoneStopsWithRowKeyPositionAndTheWayOut) {
  policy_.tolerate = false;
  const absl::Status status = InsertItem("7", "many");
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (const char* part : {"table public.items", "key id=7", "LSN 0/8EA5BB38", "transaction 204126",
                           "transform 'cast'"})
    EXPECT_TRUE(absl::StrContains(status.message(), part)) << status.message();
  for (const char* part :
       {"predicate", "errors.tolerance=all", "errors.deadletterqueue.topic.name"})
    EXPECT_TRUE(absl::StrContains(ErrorHint(status), part)) << ErrorHint(status);
  EXPECT_TRUE(sink_.sent.empty());
}

// Of a full sink that refuses one record while the next waits for room: who skips what the error
// names would leave out another one.
TEST_F(RecordErrorsTest, WhatEndsAWaitIsNoVerdictOnTheRecordThatWaits) {
  sink_.full = true;
  waiter_.room = Error(absl::StatusCode::kInvalidArgument, "record_refused", "of another record",
                       "walduct skip shop --lsn 0/1:1");
  for (const bool tolerate : {true, false}) {
    policy_.tolerate = tolerate;
    EXPECT_EQ(InsertItem("7", "1"), waiter_.room);
    EXPECT_EQ(ErrorHint(InsertItem("8", "1")), "walduct skip shop --lsn 0/1:1");
  }
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 0u);
  EXPECT_TRUE(sink_.sent.empty());
}

TEST_F(RecordErrorsTest, DeadLetterIsTheRecordBeforeTheTransforms) {
  ASSERT_TRUE(InsertItem("7", "many").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  const Sent& letter = sink_.sent[0];
  EXPECT_EQ(letter.topic, "letters");
  EXPECT_EQ(letter.key, R"({"id":7})");
  EXPECT_TRUE(
      absl::StrContains(letter.value, R"("after":{"id":7,"amount":"many","note":"n"},"source":{)"))
      << letter.value;
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 1u);
}

TEST_F(RecordErrorsTest, ContextHeadersAreConnects) {
  ASSERT_TRUE(InsertItem("7", "many").ok());
  std::map<std::string, std::string> context;
  for (const auto& [name, value] : sink_.sent.at(0).headers) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, "__connect.errors.")) context[std::string(rest)] = value;
  }
  EXPECT_EQ(context["topic"], "srv.public.items");
  EXPECT_EQ(context["connector.name"], "shop");
  EXPECT_EQ(context["task.id"], "0");
  EXPECT_EQ(context["stage"], "TRANSFORMATION");
  EXPECT_EQ(context["class.name"], "org.apache.kafka.connect.transforms.Cast$Value");
  EXPECT_EQ(context["exception.class.name"], "org.apache.kafka.connect.errors.DataException");
  EXPECT_TRUE(absl::StrContains(context["exception.message"], "key id=7"));
  EXPECT_EQ(context.size(), 7u);
  // Those of the record itself stay.
  EXPECT_EQ(sink_.sent[0].headers.count("__debezium.context.taskId"), 1u);
}

TEST_F(RecordErrorsTest, ContextHeadersAreOffUnlessAskedFor) {
  policy_.context_headers = false;
  ASSERT_TRUE(InsertItem("7", "many").ok());
  for (const auto& [name, value] : sink_.sent.at(0).headers)
    EXPECT_FALSE(absl::StartsWith(name, "__connect.")) << name;
}

TEST_F(RecordErrorsTest, PositionWaitsForTheLetter) {
  ASSERT_TRUE(InsertItem("1", "5").ok());
  ASSERT_TRUE(InsertItem("2", "many").ok());
  ASSERT_TRUE(InsertItem("3", "6").ok());
  ASSERT_EQ(sink_.sent.size(), 3u);
  EXPECT_EQ(sink_.sent[1].topic, "letters");
  tracker_.OnAcknowledged(sink_.sent[0].ticket, 1);
  tracker_.OnAcknowledged(sink_.sent[2].ticket, 1);
  EXPECT_FALSE(tracker_.idle());
  tracker_.OnAcknowledged(sink_.sent[1].ticket, 1);
  ASSERT_TRUE(tracker_.idle());
  EXPECT_EQ(tracker_.safe()->ordinal, 3u);
}

TEST_F(RecordErrorsTest, WithoutATopicItIsLoggedAndCounted) {
  policy_.dead_letter_topic.clear();
  testing::internal::CaptureStderr();
  ASSERT_TRUE(InsertItem("7", "many").ok());
  const std::string log = testing::internal::GetCapturedStderr();
  for (const char* part : {"record not published", "id=7", "0/8EA5BB38", "public.items", "204126"})
    EXPECT_TRUE(absl::StrContains(log, part)) << log;
  EXPECT_FALSE(absl::StrContains(log, R"("note")")) << log;
  EXPECT_EQ(Outcome(RecordErrorOutcome::kLogged), 1u);
  EXPECT_TRUE(sink_.sent.empty());
  EXPECT_EQ(tracker_.safe()->ordinal, 1u);
}

TEST_F(RecordErrorsTest, RecordsAreLoggedOnlyOnRequest) {
  policy_.log = true;
  policy_.log_records = true;
  testing::internal::CaptureStderr();
  ASSERT_TRUE(InsertItem("7", "many").ok());
  EXPECT_TRUE(absl::StrContains(testing::internal::GetCapturedStderr(), "note"));
  EXPECT_EQ(sink_.sent.size(), 1u);
}

TEST_F(RecordErrorsTest, LetterThatIsTooLargeLosesItsValueAndGetsItsHeaders) {
  policy_.context_headers = false;
  transforms_ = {};
  sink_.largest = 100;
  ASSERT_TRUE(InsertItem("7", "5", std::string(200, 'x')).ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  Sent& letter = sink_.sent[0];
  EXPECT_EQ(letter.key, R"({"id":7})");
  EXPECT_EQ(letter.value, "<null>");
  EXPECT_EQ(letter.headers["__connect.errors.stage"], "KAFKA_PRODUCE");
  EXPECT_EQ(letter.headers["__connect.errors.class.name"],
            "org.apache.kafka.connect.runtime.WorkerSourceTask");
  EXPECT_EQ(letter.headers["__connect.errors.exception.class.name"],
            "org.apache.kafka.common.errors.RecordTooLargeException");
}

TEST_F(RecordErrorsTest, LetterWhoseKeyIsRefusedKeepsItsValue) {
  policy_.context_headers = false;
  transforms_ = {};
  sink_.longest_key = 5;
  ASSERT_TRUE(InsertItem("7", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  Sent& letter = sink_.sent[0];
  EXPECT_EQ(letter.key, "<null>");
  EXPECT_TRUE(absl::StrContains(letter.value, R"("id":7)")) << letter.value;
  EXPECT_EQ(letter.headers["__connect.errors.stage"], "KAFKA_PRODUCE");
}

TEST_F(RecordErrorsTest, LetterWhoseValueIsRefusedKeepsItsKey) {
  transforms_ = {};
  sink_.refuses_values = true;
  ASSERT_TRUE(InsertItem("7", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  EXPECT_EQ(sink_.sent[0].key, R"({"id":7})");
  EXPECT_EQ(sink_.sent[0].value, "<null>");
  sink_.longest_key = 5;
  ASSERT_TRUE(InsertItem("8", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 2u);
  EXPECT_EQ(sink_.sent[1].key, "<null>");
  EXPECT_EQ(sink_.sent[1].value, "<null>");
}

// A transform quotes the value that it cannot cast.
TEST_F(RecordErrorsTest, HeadersOfALetterAreOfOneLine) {
  ASSERT_TRUE(InsertItem("7", "ma\nny").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  for (const auto& [name, value] : sink_.sent[0].headers)
    EXPECT_FALSE(absl::StrContains(value, "\n")) << name << ": " << value;
  EXPECT_EQ(AsHeader("a\tb\x7f\xc3\xa4"), "a b \xc3\xa4");
}

TEST_F(RecordErrorsTest, TopicThatKafkaRefusesIsOfTheRecord) {
  transforms_ = {};
  sink_.refused_topic = "srv.public.items";
  ASSERT_TRUE(InsertItem("7", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  EXPECT_EQ(sink_.sent[0].topic, "letters");
  EXPECT_TRUE(absl::StrContains(sink_.sent[0].value, R"("id":7)"));
}

TEST_F(RecordErrorsTest, LetterThatKafkaRefusesStops) {
  sink_.refused_topic = "letters";
  const absl::Status status = InsertItem("7", "many");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), "dead letter")) << status;
}

TEST_F(RecordErrorsTest, WhatIsNotOfOneRecordStopsWhateverTheTolerance) {
  sink_.broken = true;
  EXPECT_EQ(InsertItem("7", "5").code(), absl::StatusCode::kPermissionDenied);
  sink_.broken = false;
  EXPECT_EQ(InsertItem("not a number", "5").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 0u);
}

TEST_F(RecordErrorsTest, SNK06_APolicyForEachCauseGoesBeforeTheTolerance) {
  using Policy = engine::RecordErrorOptions::Policy;
  policy_.too_large = Policy::kStop;
  policy_.topic_missing = Policy::kDeadLetter;
  policy_.topic_denied = Policy::kSkip;
  sink_.of_topic = "record_too_large";
  const absl::Status stopped = InsertItem("7", "5");
  EXPECT_EQ(ErrorReason(stopped), "record_too_large");
  EXPECT_TRUE(absl::StrContains(stopped.message(), "key id=7, LSN 0/8EA5BB38")) << stopped;
  sink_.of_topic = "topic_missing";
  ASSERT_TRUE(InsertItem("8", "5").ok());
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 1u);
  sink_.of_topic = "topic_authorization_failed";
  ASSERT_TRUE(InsertItem("9", "5").ok());
  EXPECT_EQ(Outcome(RecordErrorOutcome::kSkipped), 1u);
  sink_.of_topic = "record_refused";
  ASSERT_TRUE(InsertItem("10", "5").ok());
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 2u) << "as errors.tolerance says";
  EXPECT_EQ(sink_.sent.size(), 2u);
}

TEST_F(RecordErrorsTest, SNK06_ThePlaceholderStandsForTheLargestValuesUntilTheRecordFits) {
  policy_.tolerate = false;
  policy_.too_large = engine::RecordErrorOptions::Policy::kPlaceholder;
  sink_.largest = 300;
  ASSERT_TRUE(InsertItem("7", "5", std::string(1000, 'n')).ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  EXPECT_EQ(sink_.sent[0].topic, "srv.public.items");
  EXPECT_EQ(sink_.sent[0].key, R"({"id":7})");
  EXPECT_EQ(sink_.sent[0].value, R"({"id":7,"amount":5,"note":"__debezium_unavailable_value"})");
  EXPECT_EQ(Outcome(RecordErrorOutcome::kPlaceholder), 1u);
  sink_.largest = 20;
  EXPECT_EQ(ErrorReason(InsertItem("8", "5", std::string(1000, 'n'))), "record_too_large")
      << "nothing is left to make smaller";
}

TEST_F(RecordErrorsTest, ByteArrayConverterGetsLettersInJson) {
  options_.value.kind = encode::ConverterKind::kByteArray;
  transforms_ = {};
  ASSERT_TRUE(InsertItem("7", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  EXPECT_TRUE(absl::StartsWith(sink_.sent[0].value, R"({"before":null,"after":{"id":7,)"));
  EXPECT_EQ(sink_.sent[0].headers["__connect.errors.stage"], "VALUE_CONVERTER");
}

TEST_F(RecordErrorsTest, HeaderThatIsNoBytesIsTheHeaderConvertersError) {
  options_.header = encode::ConverterOptions{.kind = encode::ConverterKind::kByteArray};
  policy_.header_converter = "org.apache.kafka.connect.converters.ByteArrayConverter";
  transforms_ = {};
  ASSERT_TRUE(InsertItem("7", "5").ok());
  ASSERT_EQ(sink_.sent.size(), 1u);
  EXPECT_TRUE(absl::StartsWith(sink_.sent[0].value, R"({"before":null,"after":{"id":7,)"));
  EXPECT_EQ(sink_.sent[0].headers["__debezium.context.taskId"], "0");
  EXPECT_EQ(sink_.sent[0].headers["__connect.errors.stage"], "HEADER_CONVERTER");
  EXPECT_EQ(sink_.sent[0].headers["__connect.errors.class.name"], policy_.header_converter);
}

TEST_F(RecordErrorsTest, WordsForRows) {
  const std::vector<event::Value> row = {Text("7"), encode::Null(), Text("n")};
  event::ChangeEvent change = Change(*table_, event::Operation::kDelete);
  change.before = row;
  event::Emission emission = Emit(change);
  EXPECT_EQ(DescribeRecord(emission),
            "delete from table public.items, key id=7, LSN 0/8EA5BB38, transaction 204126");
  emission.value = event::PublishedValue::kTombstone;
  EXPECT_EQ(DescribeRecord(emission),
            "tombstone of table public.items, key id=7, LSN 0/8EA5BB38, transaction 204126");
  const event::KeyRule rule{.columns = {2, 1}, .extra_field = "", .extra_value = ""};
  emission.key_rule = &rule;
  EXPECT_EQ(KeyOf(emission), "note=n, amount=null");
  table_->key_columns.clear();
  emission.key_rule = nullptr;
  EXPECT_EQ(KeyOf(emission), "none");
}

TEST_F(RecordErrorsTest, LongKeysAreCutBetweenCharacters) {
  const std::string longest = std::string(99, 'a') + "äb";
  const std::vector<event::Value> row = {Text(longest), Text("5"), Text("n")};
  event::ChangeEvent change = Change(*table_, event::Operation::kCreate);
  change.after = row;
  EXPECT_EQ(KeyOf(Emit(change)), "id=" + std::string(99, 'a') + "…");
}

}  // namespace
}  // namespace walduct::delivery
