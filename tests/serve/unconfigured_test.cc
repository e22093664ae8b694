#include "serve/topics/unconfigured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "serve/topics/topic_formats.h"
#include "tests/serve/memory_topics.h"

namespace walduct::serve {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void Put(test::MemoryTopics* topics, InternalTopic topic, const std::string& key,
         std::optional<std::string> value) {
  ASSERT_TRUE(topics->Write(topic, {{.key = key, .value = std::move(value)}}).ok());
}

std::vector<std::string> NamesOf(test::MemoryTopics* topics) {
  const auto names = Unconfigured(*topics);
  EXPECT_TRUE(names.ok()) << names.status();
  return names.value_or(std::vector<std::string>());
}

TEST(Unconfigured, ThoseThatHavePositionsAlone) {
  test::MemoryTopics topics;
  EXPECT_THAT(NamesOf(&topics), IsEmpty()) << "as installed";
  Put(&topics, InternalTopic::kConfigs, std::string(kSessionKey), "{}");
  Put(&topics, InternalTopic::kOffsets, R"(["b",{"server":"p"}])", R"({"lsn":1})");
  Put(&topics, InternalTopic::kOffsets, R"(["a",{"server":"q"}])", R"({"lsn":1})");
  Put(&topics, InternalTopic::kOffsets, R"(["a",{"server":"q","walduct_slot":"2"}])", "{}");
  Put(&topics, InternalTopic::kOffsets, "other", "{}");
  Put(&topics, InternalTopic::kOffsets, "[1,2]", "{}");
  EXPECT_THAT(NamesOf(&topics), ElementsAre("a", "b"));
  Put(&topics, InternalTopic::kOffsets, R"(["b",{"server":"p"}])", std::nullopt);
  EXPECT_THAT(NamesOf(&topics), ElementsAre("a")) << "its position is erased";
}

TEST(Unconfigured, NotThoseThatAreKnownToBeDeleted) {
  test::MemoryTopics topics;
  Put(&topics, InternalTopic::kOffsets, R"(["a",{"server":"p"}])", R"({"lsn":1})");
  Put(&topics, InternalTopic::kConfigs, ConnectorKey("a"), std::nullopt);
  EXPECT_THAT(NamesOf(&topics), IsEmpty());
}

TEST(Unconfigured, TheErrorNamesWhatMayBeMisspelt) {
  WorkerOptions options;
  options.configs.name = "conect-configs";
  options.offsets.name = "connect-offsets";
  const absl::Status told = UnconfiguredError({"a", "b"}, options, {"connect-configs"});
  EXPECT_EQ(ErrorReason(told), "connectors_missing");
  EXPECT_THAT(std::string(told.message()),
              AllOf(HasSubstr("the topic conect-configs (config.storage.topic)"),
                    HasSubstr("connect-offsets (offset.storage.topic) has positions of a, b:")));
  EXPECT_THAT(ErrorHint(told), HasSubstr("is misspelt (there is connect-configs), or"));
  EXPECT_THAT(ErrorHint(told), HasSubstr("as after walduct offsets import: create them,"));
  EXPECT_THAT(ErrorHint(UnconfiguredError({"a"}, options, {})), Not(HasSubstr("there is")));
  const std::vector<std::string> many(12, "x");
  EXPECT_THAT(std::string(UnconfiguredError(many, options, {}).message()),
              HasSubstr(", x and 2 more:"));
}

}  // namespace
}  // namespace walduct::serve
