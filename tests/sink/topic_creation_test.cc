#include "sink/topic_creation.h"

#include <gtest/gtest.h>

#include "java/regex/regex_list.h"
#include "sink/kafka_sink_options.h"

namespace walduct::sink {
namespace {

TopicCreationGroup Group(const std::string& name, int partitions) {
  TopicCreationGroup group;
  group.name = name;
  group.partitions = partitions;
  return group;
}

std::shared_ptr<const java::RegexList> List(absl::string_view text) {
  return java::RegexList::OfChecked(text);
}

class TopicCreationTest : public testing::Test {
 protected:
  TopicCreationTest() {
    groups_ = {Group("orders", 1), Group("wide", 2), Group("default", 3)};
    groups_[0].include = List(R"(srv\.public\.orders.*)");
    groups_[0].exclude = List(R"(.*_old)");
    groups_[0].replication_factor = 2;
    groups_[0].configs = {{"cleanup.policy", "compact"}};
    groups_[1].include = List(R"(srv\..*)");
  }
  int PartitionsOf(absl::string_view topic) const { return PlanTopic(topic, groups_).partitions; }

  std::vector<TopicCreationGroup> groups_;
};

TEST_F(TopicCreationTest, TheFirstGroupThatMatchesDecides) {
  const kafka::NewTopic topic = PlanTopic("srv.public.orders", groups_);
  EXPECT_EQ(topic.name, "srv.public.orders");
  EXPECT_EQ(topic.partitions, 1);
  EXPECT_EQ(topic.replication_factor, 2);
  EXPECT_EQ(topic.configs.at("cleanup.policy"), "compact");
}

TEST_F(TopicCreationTest, ExcludeWinsOverInclude) {
  EXPECT_EQ(PartitionsOf("srv.public.orders_old"), 2);
}

TEST_F(TopicCreationTest, TheDefaultGroupTakesTheRest) { EXPECT_EQ(PartitionsOf("other"), 3); }

}  // namespace
}  // namespace walduct::sink
