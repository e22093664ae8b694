#include "admin/console/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/lsn.h"
#include "engine/lifecycle/connectors.h"

namespace walduct::admin {
namespace {

class ManualClock final : public Clock {
 public:
  absl::Time Now() override { return absl::FromUnixSeconds(1'000'000) + passed; }
  absl::Duration Monotonic() override { return passed; }
  absl::Duration passed = absl::Seconds(100);
};

// Connectors that only count.
class Counting final : public engine::Connectors {
 public:
  absl::Status Begin(const engine::ConnectorOptions&) override { return absl::OkStatus(); }
  absl::Status Remove(const std::string& name) override {
    all.erase(name);
    return absl::OkStatus();
  }
  bool Post(const std::string&, engine::Command) override { return false; }
  std::optional<engine::ConnectorStatus> StatusOf(const std::string&) const override {
    return std::nullopt;
  }
  std::vector<engine::ConnectorStatus> Statuses() const override { return {}; }
  std::vector<engine::ConnectorView> Views() const override {
    std::vector<engine::ConnectorView> views;
    for (const auto& [name, metrics] : all) {
      engine::ConnectorView view;
      view.status.name = name;
      view.connector = metrics;
      view.metrics = metrics.get();
      views.push_back(std::move(view));
    }
    return views;
  }

  metrics::ConnectorMetrics& operator[](const std::string& name) {
    auto& one = all[name];
    if (one == nullptr) one = std::make_shared<metrics::ConnectorMetrics>();
    return *one;
  }

  std::map<std::string, std::shared_ptr<metrics::ConnectorMetrics>> all;
};

class HistoryTest : public testing::Test {
 protected:
  void Look(int rows = 0, absl::Duration later = History::kEvery) {
    clock_.passed += later;
    for (auto& [name, metrics] : connectors_.all)
      metrics->Seen(metrics::EventKind::kCreate).Add(static_cast<uint64_t>(rows));
    history_.Look();
  }

  ManualClock clock_;
  Counting connectors_;
  History history_{connectors_, clock_};
};

TEST_F(HistoryTest, ARateIsOfTwoLooks) {
  metrics::SlotView slot;
  slot.wal_status = "reserved";
  slot.retained_bytes = 4096;
  connectors_["a"].slot.Show(slot);
  EXPECT_FALSE(history_.Of("a"));
  Look(500);
  EXPECT_FALSE(history_.RateOf("a")) << "what was before is not of this look";
  Look(500);
  EXPECT_DOUBLE_EQ(history_.RateOf("a").value_or(-1), 50);
  const auto view = history_.Of("a");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->last, clock_.Now());
  ASSERT_EQ(view->points.size(), 2u);
  EXPECT_TRUE(std::isnan(view->points[0].rate));
  EXPECT_TRUE(std::isnan(view->points[0].lag)) << "unknown is not zero";
  EXPECT_FLOAT_EQ(view->points[1].wal, 4096);
}

TEST_F(HistoryTest, AnHourAtMostTheOldestFirst) {
  connectors_["a"];
  for (int i = 0; i < 1000; ++i) Look(i);
  const auto view = history_.Of("a");
  ASSERT_TRUE(view);
  ASSERT_EQ(view->points.size(), History::kKept);
  EXPECT_EQ(absl::Hours(1), History::kEvery * static_cast<int>(History::kKept));
  EXPECT_FLOAT_EQ(view->points.front().rate, 64.0f);
  EXPECT_FLOAT_EQ(view->points.back().rate, 99.9f);
  EXPECT_EQ(sizeof(History::Point) * History::kKept, 4320u) << "docs/console.md says so";
}

TEST_F(HistoryTest, ASleepIsAGapAndACounterThatFellBeginsAnew) {
  connectors_["a"];
  Look(10);
  Look(10);
  Look(10, absl::Minutes(1));
  ASSERT_EQ(history_.Of("a")->points.size(), 8u);
  EXPECT_TRUE(std::isnan(history_.Of("a")->points[4].rate));
  connectors_.all["a"] = std::make_shared<metrics::ConnectorMetrics>();
  Look(3);
  EXPECT_FALSE(history_.RateOf("a"));
  Look(0, absl::Hours(24 * 365));
  EXPECT_EQ(history_.Of("a")->points.size(), History::kKept);
}

TEST_F(HistoryTest, WhatIsGoneIsForgotten) {
  connectors_["a"], connectors_["b"];
  Look();
  EXPECT_TRUE(connectors_.Remove("a").ok());
  Look();
  EXPECT_FALSE(history_.Of("a"));
  EXPECT_TRUE(history_.Of("b"));
}

TEST_F(HistoryTest, AGlimpseIsOfDigits) {
  connectors_["a"];
  EXPECT_EQ(history_.TrendOf("a", 30), "");
  Look(0);
  Look(0);
  Look(0);
  EXPECT_EQ(history_.TrendOf("a", 30), "") << "nothing was published";
  Look(350);
  Look(100);
  EXPECT_EQ(history_.TrendOf("a", 30), "000za");
  EXPECT_EQ(history_.TrendOf("a", 2), "0z");
}

TEST_F(HistoryTest, AThreadLooksUntilItEnds) {
  connectors_["a"];
  history_.Start();
  while (!history_.Of("a")) std::this_thread::yield();
}

}  // namespace
}  // namespace walduct::admin
