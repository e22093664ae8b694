#include "serve/worker/statuses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/topics/topic_formats.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"

namespace walduct::test {
namespace {

using testing::UnorderedElementsAre;

TEST(Statuses, WhatIsToldWhileTheTopicIsReadCounts) {
  MemoryTopics topics;
  TestAssignment assignment;
  const serve::WorkerParts parts{.topics = &topics,
                                 .assignment = &assignment,
                                 .connectors = nullptr,
                                 .environment = Environment::Real(),
                                 .group = "g",
                                 .worker_id = "here:1",
                                 .version = "1"};
  serve::Deployments deployments(parts);
  serve::Runner runner(parts, deployments);
  serve::Statuses statuses(parts, deployments, runner);
  const auto tell = [&](const char* topic) {
    statuses.Follow(serve::TopicStatusKey("a", topic),
                    serve::TopicStatusValue("a", topic, absl::UnixEpoch()));
  };
  auto contents = statuses.Read();
  ASSERT_TRUE(contents.ok());
  tell("orders");
  statuses.Take(*contents);
  EXPECT_THAT(statuses.TopicsOf("a"), UnorderedElementsAre("orders"));
  // Once it is read what it says counts again.
  contents = statuses.Read();
  ASSERT_TRUE(contents.ok());
  statuses.Take(*contents);
  EXPECT_THAT(statuses.TopicsOf("a"), UnorderedElementsAre());
}

}  // namespace
}  // namespace walduct::test
