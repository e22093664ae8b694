#include "base/aside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/support/await.h"

namespace walduct {
namespace {

TEST(AsideTest, WhatItAnswersIsHandedOn) {
  const Environment real = Environment::Real();
  EXPECT_TRUE(RunAside([] { return absl::OkStatus(); }, real, NeverStops).ok());
  EXPECT_EQ(RunAside([] { return absl::DataLossError("x"); }, real, NeverStops),
            absl::DataLossError("x"));
}

TEST(AsideTest, WhoIsInterruptedDoesNotWaitForIt) {
  const auto go_on = std::make_shared<std::atomic<bool>>(false);
  const auto done = std::make_shared<std::atomic<bool>>(false);
  const auto work = [go_on, done] {
    test::Await([&] { return go_on->load(); });
    *done = true;
    return absl::OkStatus();
  };
  int asked = 0;
  EXPECT_TRUE(
      absl::IsCancelled(RunAside(work, Environment::Real(), [&asked] { return ++asked == 3; })));
  EXPECT_FALSE(*done);
  *go_on = true;
  EXPECT_TRUE(test::Await([&] { return done->load(); })) << "it ends by itself";
}

}  // namespace
}  // namespace walduct
