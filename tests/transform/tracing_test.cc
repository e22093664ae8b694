// ActivateTracingSpan: the trace context of a row goes on in headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/chain_config.h"
#include "tests/transform/sample_records.h"
#include "transform/chain/chain.h"
#include "transform/debezium/trace_context.h"

namespace walduct::transform {
namespace {

using event::ChainOutcome;
using event::Node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr char kParent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::unique_ptr<const Chain> Tracing(const std::string& column = "nn") {
  return Chain::Create(test::ChainOf(test::OneTransform("trace", "ActivateTracingSpan",
                                                        {{"tracing.span.context.field", column}})));
}

Node* Context(event::RecordTemplate* record) { return record->value->Find("after")->Find("nn"); }

ChainOutcome RunWith(const std::string& context, std::vector<Node> headers = {}) {
  event::RecordTemplate record = SampleRecords::Make("c");
  record.headers = std::move(headers);
  Node* column = Context(&record);
  *column =
      event::ConstantNode(column->schema, event::Scalar::Text(context), std::string(column->name));
  const auto chain = Tracing();
  ChainOutcome outcome = chain->Start(std::move(record));
  // A question about a constant is answered by its value.
  if (outcome.kind == ChainOutcome::Kind::kQuestion)
    return chain->Resume(outcome, {false, outcome.question.leaf.constant_text});
  return outcome;
}

std::vector<std::pair<std::string, std::string>> Headers(const ChainOutcome& outcome) {
  EXPECT_EQ(outcome.kind, ChainOutcome::Kind::kRecord) << outcome.error;
  std::vector<std::pair<std::string, std::string>> headers;
  for (const Node& header : outcome.record.headers)
    headers.emplace_back(header.name, header.leaf.constant_text);
  return headers;
}

TEST(Tracing, OBX19_TheContextOfTheRowGoesOnInHeaders) {
  EXPECT_THAT(Headers(RunWith(std::string("#Sat Nov 21 10:00:00 CET 2026\ntraceparent=") + kParent +
                              "\ntracestate=vendor\\=1,other\\=2\nunknown=x\n")),
              ElementsAre(Pair("traceparent", kParent), Pair("tracestate", "vendor=1,other=2")));
}

TEST(Tracing, HeadersComeInTheirOwnOrderAndEmptyOnesNotAtAll) {
  EXPECT_THAT(
      Headers(RunWith("X-B3-TraceId=a\nbaggage=user\\=7\nb3=\ntraceparent=p")),
      ElementsAre(Pair("traceparent", "p"), Pair("baggage", "user=7"), Pair("X-B3-TraceId", "a")));
}

TEST(Tracing, AHeaderOfThatNameIsReplaced) {
  const auto text = event::Shared(event::Schema(event::ConnectType::kString));
  EXPECT_THAT(Headers(RunWith("traceparent=new",
                              {event::ConstantNode(text, event::Scalar::Text("old"), "traceparent"),
                               event::ConstantNode(text, event::Scalar::Text("1"), "other")})),
              ElementsAre(Pair("other", "1"), Pair("traceparent", "new")));
}

TEST(Tracing, WithoutAContextNothingIsAdded) {
  EXPECT_THAT(Headers(RunWith("")), IsEmpty());
  EXPECT_THAT(Headers(RunWith("__debezium_unavailable_value")), IsEmpty());
  for (const std::string record : {"tombstone", "d", "heartbeat", "t"}) {
    const ChainOutcome outcome = Tracing()->Start(SampleRecords::Make(record));
    EXPECT_EQ(Headers(outcome).size(), SampleRecords::Make(record).headers.size()) << record;
  }
  const ChainOutcome other = Tracing("no_such_column")->Start(SampleRecords::Make("c"));
  EXPECT_EQ(other.kind, ChainOutcome::Kind::kRecord);
}

TEST(Tracing, ATextThatCannotBeReadIsToldOfAndTheRecordGoesOn) {
  const ChainOutcome outcome = RunWith("traceparent=\\u00zz");
  EXPECT_THAT(Headers(outcome), IsEmpty());
  EXPECT_TRUE(outcome.warned);
  EXPECT_THAT(outcome.notices, ElementsAre(HasSubstr("column nn cannot be read")));
}

TEST(Tracing, AColumnThatIsNoTextIsTheErrorOfTheRecord) {
  const ChainOutcome outcome = Tracing("id")->Start(SampleRecords::Make("c"));
  ASSERT_EQ(outcome.kind, ChainOutcome::Kind::kFailed);
  EXPECT_THAT(std::string(outcome.error.message()), HasSubstr("'id' is not of type STRING"));
}

TEST(Tracing, ARecordIsAskedOnceAndItsHeadersAreFunctions) {
  event::RecordTemplate record = SampleRecords::Make("c");
  Node* column = Context(&record);
  *column = event::InputNode(column->schema, 7, std::string(column->name));
  record.headers.clear();
  const auto chain = Tracing();
  const ChainOutcome asked = chain->Start(std::move(record));
  ASSERT_EQ(asked.kind, ChainOutcome::Kind::kQuestion);
  const ChainOutcome outcome = chain->Resume(asked, {false, "traceparent"});
  ASSERT_EQ(outcome.record.headers.size(), 1u);
  const event::Leaf& leaf = outcome.record.headers[0].leaf;
  const event::Scalar in = event::Scalar::Text("traceparent=abc");
  std::string buffer;
  event::Scalar out;
  ASSERT_TRUE(leaf.function->Apply({&in, 1}, &buffer, &out).ok());
  EXPECT_EQ(out.text, "abc");
}

}  // namespace
}  // namespace walduct::transform
