#include "slot/lanes/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "replication/options.h"
#include "tests/support/fake_world.h"

namespace walduct::slot {
namespace {

using engine::ConnectorOptions;
using engine::OffsetIdentityOf;
using testing::ElementsAre;

ConnectorOptions Config(int slots) {
  ConnectorOptions config = test::FakeConfig("orders");
  config.replication->slot_name = "s";
  config.replication->publication_name = "p";
  config.replication->share.count = slots;
  config.heartbeat->interval = absl::Seconds(1);
  config.heartbeat->action_query = "select 1";
  return config;
}

TEST(LanesTest, OfOneSlotTheOptionsAreAsTheyWere) {
  const std::vector<ConnectorOptions> lanes = LanesOf(Config(1));
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].name, "orders");
  EXPECT_EQ(lanes[0].replication->slot_name, "s");
  EXPECT_EQ(lanes[0].tables->share, nullptr);
  EXPECT_EQ(lanes[0].offset->connector, "");
  EXPECT_EQ(OffsetIdentityOf(lanes[0]).connector_name, "orders");
  EXPECT_EQ(OffsetIdentityOf(lanes[0]).slot, 1);
}

TEST(LanesTest, OneSlotMayLookThroughSeveralPublications) {
  ConnectorOptions config = Config(1);
  config.replication->share.publications = {"p", "p_2"};
  EXPECT_THAT(LanesOf(config)[0].replication->share.publications, ElementsAre("p", "p_2"));
}

TEST(LanesTest, AnyLaneOfAnyNumberIsMadeOfTheFirst) {
  const ConnectorOptions one = LanesOf(Config(1))[0], first = LanesOf(Config(3))[0];
  EXPECT_EQ(LaneAmong(one, 3, 4).replication->slot_name, "s_3");
  EXPECT_EQ(LaneAmong(one, 3, 4).replication->publication_name, "p_3");
  EXPECT_EQ(OffsetIdentityOf(LaneAmong(one, 3, 4)).connector_name, "orders");
  EXPECT_EQ(OffsetIdentityOf(LaneAmong(one, 3, 4)).slot, 3);
  const ConnectorOptions again = LaneAmong(first, 1, 1);
  EXPECT_FALSE(again.replication->share.several());
  EXPECT_EQ(again.replication->slot_name, "s");
  EXPECT_EQ(again.tables->share, nullptr);
  EXPECT_EQ(OffsetIdentityOf(again).connector_name, "orders");
}

TEST(LanesTest, TheFirstHasTheNamesOfOneSlot) {
  const std::vector<ConnectorOptions> lanes = LanesOf(Config(3));
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[0].name, "orders");
  EXPECT_EQ(lanes[0].replication->slot_name, "s");
  EXPECT_EQ(lanes[0].replication->publication_name, "p");
  EXPECT_EQ(lanes[2].name, "orders/3");
  EXPECT_EQ(lanes[2].replication->slot_name, "s_3");
  EXPECT_EQ(lanes[2].replication->publication_name, "p_3");
  EXPECT_EQ(lanes[2].replication->share.number, 3);
  EXPECT_EQ(lanes[0].runtime->metric_tags, "");
  EXPECT_EQ(lanes[2].runtime->metric_tags, ", slot=3");
  for (const ConnectorOptions& lane : lanes)
    EXPECT_THAT(lane.replication->share.publications, ElementsAre("p", "p_2", "p_3"));
  EXPECT_NE(lanes[0].tables->share, lanes[1].tables->share);
}

TEST(LanesTest, EachHasItsOffset) {
  const std::vector<ConnectorOptions> lanes = LanesOf(Config(2));
  EXPECT_EQ(OffsetIdentityOf(lanes[1]).connector_name, "orders");
  EXPECT_EQ(OffsetIdentityOf(lanes[1]).slot, 2);
  const ConnectorOptions first = FirstLaneOf(lanes[1]);
  EXPECT_EQ(offset::OffsetKey(OffsetIdentityOf(first)),
            offset::OffsetKey(OffsetIdentityOf(Config(1))));
}

TEST(LanesTest, WhatIsDoneOnceIsTheFirstOnes) {
  const std::vector<ConnectorOptions> lanes = LanesOf(Config(2));
  EXPECT_EQ(lanes[0].heartbeat->interval, absl::Seconds(1));
  EXPECT_TRUE(lanes[0].replication->logical_messages);
  EXPECT_EQ(lanes[1].heartbeat->interval, absl::ZeroDuration());
  EXPECT_EQ(lanes[1].heartbeat->action_query, "");
  EXPECT_FALSE(lanes[1].replication->logical_messages);
}

}  // namespace
}  // namespace walduct::slot
