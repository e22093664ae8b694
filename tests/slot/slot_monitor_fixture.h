// Connectors on servers that nobody has, and the SlotMonitor that looks at their slots: simulated
// time, one offset store for all.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "metrics/connector_metrics.h"
#include "slot/attempts/slot_monitor.h"
#include "slot/world/known/known_slots.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {

class MonitoredServers final : public World {
 public:
  explicit MonitoredServers(test::SimulatedTime* time)
      : time_(*time), environment_(time->environment()) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return 1; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&,
                                                       sink::Refusals*) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions&) override {
    ++reads;
    auto store = std::make_unique<test::FakeOffsetStore>(&time_, &disk);
    if (kafka_away) store->load_answer = absl::UnavailableError("away");
    return store;
  }
  std::unique_ptr<Source> MakeSource(const SourceOptions&) override { return nullptr; }
  std::optional<SlotPlace> PlaceOfSlot(const engine::ConnectorOptions& config) override {
    const std::vector<std::string> names = absl::StrSplit(config.name, '/');
    return SlotPlace{.server = names[0], .slot = names[1]};
  }
  absl::StatusOr<std::vector<replication::WatchedSlot>> ReadWatchedSlots(
      const engine::ConnectorOptions&, const std::vector<std::string>& slots,
      const postgres::StopCheck&) override {
    asked.push_back(slots);
    time_.Advance(took);
    if (away)
      return Error(absl::StatusCode::kUnavailable, "role_may_not_log_in", "away",
                   "ALTER ROLE … LOGIN");
    std::vector<replication::WatchedSlot> looks(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      looks[i].slot = slots[i];
      looks[i].wal_status = "reserved";
      looks[i].wal_end = Lsn(1000);
      looks[i].confirmed = Lsn(confirmed);
      looks[i].reader = reader;
    }
    return looks;
  }

  absl::StatusOr<CaptureSession> OpenCaptureSession(const engine::ConnectorOptions& config,
                                                    const postgres::StopCheck&) override {
    ++sessions;
    looked_at.insert(config.name);
    return absl::UnavailableError("no session here");
  }

  std::shared_ptr<KnownSlot> KnownOf(const engine::ConnectorOptions& config) override {
    return known.Of(config.name);
  }

  KnownSlots known;
  int sessions = 0, reads = 0;
  uint64_t confirmed = 100;
  std::string reader;
  test::FakeDisk disk;
  bool kafka_away = false;
  std::set<std::string> looked_at;
  std::vector<std::vector<std::string>> asked;
  bool away = false;
  absl::Duration took;

 private:
  test::SimulatedTime& time_;
  const Environment environment_;
};

class MonitoredSlot final : public engine::Monitored {
 public:
  MonitoredSlot(test::SimulatedTime* time, const std::string& server, const std::string& slot)
      : time_(*time) {
    config_.name = absl::StrCat(server, "/", slot);
    now.activity = engine::Activity::kNone;
    now.state_since = now.activity_since = time_.Now();
  }
  const engine::ConnectorOptions& config() const override { return config_; }
  const engine::ConnectorNames& names() const override { return names_; }
  engine::ConnectorStatus status() const override { return now; }
  metrics::ConnectorMetrics& metrics() override { return metrics_; }
  std::optional<metrics::SlotView> view() const { return metrics_.slot.Read(); }
  // By a session of its own.
  void Looked(absl::Duration at) {
    metrics::SlotView view;
    view.wal_status = "reserved";
    view.looked_at = at;
    metrics_.slot.Show(view);
  }

  engine::ConnectorStatus now;

 private:
  test::SimulatedTime& time_;
  engine::ConnectorOptions config_ = test::FakeConfig();
  static engine::ConnectorNames OfRole(const std::string& role) {
    engine::ConnectorNames names;
    names.role = role;
    return names;
  }
  const engine::ConnectorNames names_ = OfRole("cdc");
  metrics::ConnectorMetrics metrics_;
};

class SlotMonitorFixture : public testing::Test {
 protected:
  std::shared_ptr<MonitoredSlot> Add(const std::string& server, const std::string& slot) {
    slots_.push_back(std::make_shared<MonitoredSlot>(&time_, server, slot));
    EXPECT_TRUE(looker_.Watch(slots_.back()));
    return slots_.back();
  }
  void Pass(absl::Duration duration) {
    for (absl::Duration passed; passed < duration; passed += absl::Seconds(1)) {
      time_.Advance(absl::Seconds(1));
      looker_.Turn();
      looker_.ReadPosition();
    }
  }

  test::SimulatedTime time_;
  MonitoredServers world_{&time_};
  SlotMonitor looker_{world_};
  std::vector<std::shared_ptr<MonitoredSlot>> slots_;
};

}  // namespace walduct::slot
