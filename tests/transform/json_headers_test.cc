// The placement `headers` of the EventRouter: each member of a JSON object is a header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/chain_config.h"
#include "tests/transform/outbox_records.h"
#include "transform/chain/chain.h"

namespace walduct::transform {
namespace {

using event::ChainOutcome;
using event::Node;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

ChainOutcome Routed(const std::string& payload) {
  const auto chain = Chain::Create(test::ChainOf(
      test::OneTransform("outbox", "io.debezium.transforms.outbox.EventRouter",
                         {{"table.fields.additional.placement", "payload:headers"}})));
  ChainOutcome outcome = chain->Start(OutboxRecords::Make("json " + payload));
  // A question about a constant is answered by its value.
  while (outcome.kind == ChainOutcome::Kind::kQuestion)
    outcome = chain->Resume(outcome, {false, outcome.question.leaf.constant_text});
  return outcome;
}

// Those behind the router's own.
std::vector<std::pair<std::string, std::string>> Members(const std::string& payload) {
  const ChainOutcome outcome = Routed(payload);
  EXPECT_EQ(outcome.kind, ChainOutcome::Kind::kRecord) << outcome.error;
  std::vector<std::pair<std::string, std::string>> headers;
  for (const Node& header : outcome.record.headers)
    if (header.name != "id" && header.name != "__debezium.context.taskId")
      headers.emplace_back(header.name, header.leaf.constant_text);
  return headers;
}

TEST(JsonHeaders, EachMemberIsOne) {
  EXPECT_THAT(Members(R"({"trace": "t-1", "try": 2, "big": 1.50, "yes": true, "a\tb": "c"})"),
              ElementsAre(Pair("trace", "t-1"), Pair("try", "2"), Pair("big", "1.50"),
                          Pair("yes", "true")));
  EXPECT_THAT(Members(R"({"o": {"a": "b\"c", "n": null}, "l": [1, "x", []], "e": {}})"),
              ElementsAre(Pair("o", R"({"a":"b\"c","n":null})"), Pair("l", R"([1,"x",[]])"),
                          Pair("e", "{}")));
}

TEST(JsonHeaders, WhatIsNullOrThereAlreadyIsNone) {
  EXPECT_THAT(Members(R"({"x": null, "id": "another"})"), IsEmpty());
  EXPECT_THAT(Members("null"), IsEmpty());
  EXPECT_THAT(Members("{}"), IsEmpty());
}

TEST(JsonHeaders, WhatIsNoObjectIsPublishedWithout) {
  for (const char* const text : {"[1]", "7", "\"text\"", "{\"a\":", "no json"})
    EXPECT_THAT(Members(text), IsEmpty()) << text;
}

}  // namespace
}  // namespace walduct::transform
