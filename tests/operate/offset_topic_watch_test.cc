// One request for all topics that the same clients reach, and none once it is to end.
#include "operate/commands/offset_topic_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/error.h"

namespace walduct::operate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

absl::Status Deleted(const std::string& topic) {
  return Error(absl::StatusCode::kFailedPrecondition, "offset_topic_not_compacted", topic, "");
}

// One that is not compacted among others that are.
TEST(OffsetTopicWatch, AsksForTopicsOfTheSameClientsAtOnce) {
  std::vector<std::vector<std::string>> asked;
  absl::Notification done;
  const auto look = [&](const std::vector<std::string>& topics) {
    if (done.HasBeenNotified()) return std::vector<absl::Status>();
    asked.push_back(topics);
    std::vector<absl::Status> all(topics.size());
    if (topics.size() > 1) all[1] = Deleted(topics[1]);
    return all;
  };
  OffsetTopicWatch watch;
  const auto add = [&](const std::string& brokers, const std::string& topic) {
    watch.Add(
        {.clients = {brokers, {{"sasl.jaas.config", "secret"}}}, .topic = topic, .look = look});
  };
  for (const char* const topic : {"b", "a", "b"}) add("one:9092", topic);
  add("two:9092", "c");
  add("one:9092", "");
  watch.Start(absl::Milliseconds(1));
  while (watch.trouble().ok()) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(watch.trouble().message(), "b");
  done.Notify();
  ASSERT_GE(asked.size(), 2u);
  EXPECT_THAT(asked[0], ElementsAre("a", "b"));
  EXPECT_THAT(asked[1], ElementsAre("c"));
}

// A broker that does not answer is waited for once, not once for each.
TEST(OffsetTopicWatch, AsksNothingMoreOnceItIsToEnd) {
  absl::Notification asked, ends;
  std::atomic<int> looks = 0;
  std::thread releases;
  {
    OffsetTopicWatch watch;
    for (const char* const brokers : {"one:9092", "two:9092", "three:9092"}) {
      watch.Add({.clients = {brokers, {}}, .topic = "t", .look = [&](const auto&) {
                   if (++looks == 1) asked.Notify();
                   ends.WaitForNotification();
                   return std::vector<absl::Status>();
                 }});
    }
    watch.Start(absl::Milliseconds(1));
    asked.WaitForNotification();
    // Its end is asked for by the destructor, and waits for the first answer.
    releases = std::thread([&ends] {
      absl::SleepFor(absl::Milliseconds(100));
      ends.Notify();
    });
  }
  releases.join();
  EXPECT_EQ(looks, 1);
}

TEST(OffsetTopicWatch, OthersAreToldByWhoStoresThere) {
  std::atomic<int> looks = 0;
  OffsetTopicWatch watch;
  watch.Add({.clients = {"one:9092", {}}, .topic = "t", .look = [&](const auto&) {
               ++looks;
               return std::vector<absl::Status>{absl::UnavailableError("away")};
             }});
  watch.Start(absl::Milliseconds(1));
  while (looks < 2) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_THAT(std::string(watch.trouble().message()), IsEmpty());
}

}  // namespace
}  // namespace walduct::operate
