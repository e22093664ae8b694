#include "transform/outbox/placements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "transform/options/guess.h"
#include "transform/properties/outbox_routing.h"

namespace walduct::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OutboxPlacement, ReadsColumnPlacementAndAlias) {
  const auto placed =
      ParsePlacements(" type:header:eventType , tenant:Envelope,part:partition,", "outbox").value();
  EXPECT_THAT(placed.columns, ElementsAre(PlacedColumn{"type", Placement::kHeader, "eventType"},
                                          PlacedColumn{"tenant", Placement::kEnvelope, "tenant"},
                                          PlacedColumn{"part", Placement::kPartition, "part"}));
  EXPECT_FALSE(placed.guess.has_value());
}

TEST(OutboxPlacement, ReadsAListOfHeaders) {
  const auto placed =
      ParsePlacements("headers:aggregate_type:aggregate_type,aggregate_id:id", "outbox").value();
  EXPECT_THAT(placed.columns,
              ElementsAre(PlacedColumn{"aggregate_type", Placement::kHeader, "aggregate_type"},
                          PlacedColumn{"aggregate_id", Placement::kHeader, "id"}));
  ASSERT_TRUE(placed.guess.has_value());
  EXPECT_EQ(placed.guess->line,
            "transforms.outbox.table.fields.additional.placement="
            "aggregate_type:header,aggregate_id:header:id");
}

TEST(OutboxPlacement, AColumnCalledHeadersIsAColumn) {
  const auto placed = ParsePlacements("headers:header:meta", "outbox").value();
  EXPECT_THAT(placed.columns, ElementsAre(PlacedColumn{"headers", Placement::kHeader, "meta"}));
  EXPECT_FALSE(placed.guess.has_value());
}

TEST(OutboxPlacement, MembersOfAColumnAreHeaders) {
  const auto placed = ParsePlacements("metadata:headers,headers:headers", "outbox").value();
  EXPECT_THAT(placed.columns, ElementsAre(PlacedColumn{"metadata", Placement::kMembers, "metadata"},
                                          PlacedColumn{"headers", Placement::kMembers, "headers"}));
  EXPECT_FALSE(placed.guess.has_value());
}

TEST(OutboxPlacement, TheCorrectedLineNeedsNoGuess) {
  const auto guessed = ParsePlacements("headers:a,b:c,d:partition", "o").value();
  const std::string line = guessed.guess->line.substr(guessed.guess->line.find('=') + 1);
  const auto again = ParsePlacements(line, "o").value();
  EXPECT_EQ(again.columns, guessed.columns);
  EXPECT_FALSE(again.guess.has_value());
}

TEST(OutboxPlacement, RefusesWhatItCannotRead) {
  for (const char* list :
       {"type", "type:body", "type:header:a:b", "type:headers:x", ":header", "a:header,b:c"}) {
    const auto placed = ParsePlacements(list, "outbox");
    EXPECT_EQ(ErrorReason(placed.status()), "outbox_placement") << list;
    EXPECT_THAT(std::string(placed.status().message()),
                HasSubstr("transforms.outbox.table.fields.additional.placement"));
  }
}

TEST(OutboxPrefix, IsTheConnectorsNameAsATopicMayHaveIt) {
  std::string prefix;
  const Guess guess = DeriveTopicPrefix("orders outbox/1", &prefix);
  EXPECT_EQ(prefix, "orders_outbox_1");
  EXPECT_EQ(guess.line, "topic.prefix=orders_outbox_1");
}

TEST(OutboxStrict, NamesEveryLine) {
  const absl::Status refused = RefuseGuesses("outbox table t", {{"a is b", "x=b"}, {"c", "y=d"}});
  EXPECT_EQ(ErrorReason(refused), "outbox_strict");
  EXPECT_EQ(ErrorHint(refused), "x=b\ny=d");
  EXPECT_THAT(std::string(refused.message()), HasSubstr("a is b; write x=b"));
}

}  // namespace
}  // namespace walduct::transform
