#include "metrics/connector_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <thread>

namespace walduct::metrics {
namespace {

uint64_t ValueOf(const ConnectorMetrics& metrics, const std::string& name,
                 const std::string& label = "") {
  for (const Sample& sample : metrics.Snapshot()) {
    if (sample.name->name == name && sample.label == label) return sample.value;
  }
  ADD_FAILURE() << name << " is not sampled";
  return 0;
}

TEST(ConnectorMetrics, CountsEventsPerOperation) {
  ConnectorMetrics metrics;
  metrics.Seen(EventKind::kUpdate).Add(3);
  metrics.Seen(EventKind::kDelete).Add();
  EXPECT_EQ(ValueOf(metrics, "walduct_events_seen_total", "update"), 3u);
  EXPECT_EQ(ValueOf(metrics, "walduct_events_seen_total", "delete"), 1u);
  EXPECT_EQ(ValueOf(metrics, "walduct_events_seen_total", "create"), 0u);
}

TEST(ConnectorMetrics, CountsFilteredEventsPerRule) {
  ConnectorMetrics metrics;
  metrics.Filtered(FilterRule::kAlreadyDone).Add(7);
  EXPECT_EQ(ValueOf(metrics, "walduct_events_filtered_total", "already_done"), 7u);
  EXPECT_EQ(ValueOf(metrics, "walduct_events_filtered_total", "not_captured"), 0u);
}

TEST(ConnectorMetrics, GaugesKeepTheLastValue) {
  ConnectorMetrics metrics;
  metrics.stored_lsn.Set(Lsn(500));
  metrics.stored_lsn.Set(Lsn(400));
  EXPECT_EQ(ValueOf(metrics, "walduct_stored_lsn"), 400u);
}

TEST(ConnectorMetrics, SamplesEachNameOfTheTableAndNoneTwice) {
  std::ifstream file(WALDUCT_SOURCE_DIR "/src/metrics/names.h");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex name("\"(walduct_[a-z_]+)\"");
  std::set<std::string> declared;
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
    EXPECT_TRUE(declared.insert((*it)[1]).second) << (*it)[1];
  }

  const ConnectorMetrics metrics;
  std::set<std::string> sampled;
  std::set<std::string> keys;
  for (const Sample& sample : metrics.Snapshot()) {
    sampled.emplace(sample.name->name);
    EXPECT_EQ(sample.label.empty(), sample.name->label.empty()) << sample.name->name;
    EXPECT_TRUE(
        keys.insert(std::string(sample.name->name) + "/" + std::string(sample.label)).second);
  }
  EXPECT_EQ(sampled, declared);
}

TEST(ConnectorMetrics, CountersEndInTotalAndGaugesDoNot) {
  const ConnectorMetrics metrics;
  for (const Sample& sample : metrics.Snapshot()) {
    const std::string name(sample.name->name);
    const bool total = name.size() > 6 && name.substr(name.size() - 6) == "_total";
    EXPECT_EQ(total, sample.name->kind == Kind::kCounter) << name;
  }
}

TEST(ConnectorMetrics, IsReadableWhileItsThreadAdds) {
  ConnectorMetrics metrics;
  std::thread writer([&] {
    for (int n = 0; n < 1000; ++n) metrics.transactions.Add();
  });
  uint64_t last = 0;
  while (last < 1000) {
    const uint64_t now = metrics.transactions.value();
    ASSERT_GE(now, last);
    last = now;
  }
  writer.join();
  EXPECT_EQ(metrics.transactions.value(), 1000u);
}

}  // namespace
}  // namespace walduct::metrics
