#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/status/status.h"
#include "cli/recover/replay_command.h"
#include "config/load_report.h"

namespace walduct::cli {
namespace {

using testing::HasSubstr;
using Properties = std::map<std::string, std::string>;

config::LoadReport Live(const Properties& properties) {
  config::LoadReport live;
  live.properties.push_back({"name", "shop", config::PropertyStatus::kHonoured, ""});
  live.properties.push_back({"topic.prefix", "shop", config::PropertyStatus::kHonoured, ""});
  for (const auto& [name, value] : properties)
    live.properties.push_back({name, value, config::PropertyStatus::kHonoured, ""});
  return live;
}

std::string Refusal(const Properties& live, const std::vector<std::string>& given = {}) {
  return std::string(ReplayProperties(Live(live), "replayed", "/state", given).status().message());
}

Properties Of(const Properties& live, const std::vector<std::string>& given = {}) {
  const auto properties = ReplayProperties(Live(live), "replayed", "/state", given);
  EXPECT_TRUE(properties.ok()) << properties.status();
  return properties.ok() ? Properties(properties->begin(), properties->end()) : Properties();
}

// One queue has the records of all topics.
TEST(ReplayProperties, APlaceOfTheLiveConnectorIsNamedAnew) {
  const Properties queue = {{"sink", "sqs"}, {"sink.sqs.queue.url", "https://sqs/1/live"}};
  EXPECT_THAT(Refusal(queue), HasSubstr("-o sink.sqs.queue.url=VALUE"));
  EXPECT_EQ(Refusal(queue, {"sink.sqs.queue.url=https://sqs/1/other"}), "");
  Properties letters = queue;
  letters["walduct.sink.sqs.deadletter.queue.url"] = "https://sqs/1/dead";
  EXPECT_THAT(Refusal(letters, {"sink.sqs.queue.url=https://sqs/1/other"}),
              HasSubstr("-o walduct.sink.sqs.deadletter.queue.url=VALUE"));
  Properties topic = {{"sink", "sns"}, {"sink.sns.topic.arn", "arn:aws:sns:eu-central-1:1:live"}};
  EXPECT_THAT(Refusal(topic), HasSubstr("-o sink.sns.topic.arn=VALUE"));
  // Topics of their own.
  topic["sink.sns.topic.arn.prefix"] = "arn:aws:sns:eu-central-1:1:";
  EXPECT_EQ(Refusal(topic), "");
  EXPECT_EQ(Refusal({{"sink", "kafka"}, {"sink.sqs.queue.url", "https://sqs/1/live"}}), "");
}

// topic.replacement need not have the prefix.
TEST(ReplayProperties, TopicsThatAStrategyNamesHaveAPartOfTheirOwn) {
  const Properties routed =
      Of({{"topic.regex", "(.*)\\.public\\.orders_.*"}, {"topic.replacement", "orders"}});
  EXPECT_EQ(routed.at("transforms"), "walduct_replay");
  EXPECT_EQ(routed.at("transforms.walduct_replay.regex"), "(?!replayed\\.)(.*)");
  EXPECT_EQ(routed.at("transforms.walduct_replay.replacement"), "replayed.$1");
  EXPECT_EQ(Of({{"transforms", "a,b"}}).at("transforms"), "a,b,walduct_replay");
  EXPECT_EQ(Of({}).count("transforms"), 0);
  const Properties named = {{"topic.regex", "shop\\.public\\.(.*)"}};
  EXPECT_THAT(Refusal(named), HasSubstr("-o topic.regex=VALUE"));
  EXPECT_EQ(Refusal(named, {"topic.regex=replayed\\.public\\.(.*)"}), "");
}

}  // namespace
}  // namespace walduct::cli
