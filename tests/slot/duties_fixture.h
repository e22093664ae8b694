// What the duties and the phases of a session run on: simulated time, fakes of source, sink and
// offset store, and the way of a record of the fake table.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delivery/pipeline/record_path.h"
#include "delivery/progress/heartbeat.h"
#include "engine/configuration/connector_options.h"
#include "engine/control/control.h"
#include "slot/duties/duties.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/fake_sink.h"
#include "tests/support/fake_wal_source.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {

class DutiesFixture : public testing::Test {
 protected:
  explicit DutiesFixture(size_t capacity = 1000)
      : sink_(&time_, &target_, {.capacity = capacity, .transactional = false}) {
    Give(engine::Command::kStart);
    path_ = *delivery::RecordPath::Create({.config = &config_,
                                           .run_id = "1",
                                           .clock = &time_,
                                           .sink = &sink_,
                                           .tracker = &duties_.tracker(),
                                           .waiter = &duties_.housekeeping(),
                                           .metrics = &metrics_,
                                           .warn_once = &warn_once_});
  }

  // Posts and takes it.
  void Give(engine::Command command) {
    mailbox_.Post(command);
    control_.Take();
  }
  // Posts it while the program waits.
  void GiveAfter(absl::Duration delay, engine::Command command) {
    time_.After(delay, [this, command] { mailbox_.Post(command); });
  }
  // A record of a change that ends at lsn, as the pipeline would write it.
  void WriteRecord(uint64_t lsn) {
    event::Record record;
    record.topic = "t";
    const uint64_t ticket = duties_.tracker().NextTicket();
    ASSERT_TRUE(sink_.Write(record, ticket).ok());
    duties_.tracker().OnWritten();
    event::Position position;
    position.commit_end = Lsn(lsn);
    duties_.tracker().Advance(position);
  }
  Housekeeping& housekeeping() { return duties_.housekeeping(); }
  // End LSN of what is durable in the store.
  Lsn stored() const {
    return disk_.history.empty() ? Lsn() : disk_.history.back().position.commit_end;
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const test::KeptRecord& record : target_.records) keys.push_back(record.key.value_or(""));
    return keys;
  }

  test::SimulatedTime time_;
  engine::ConnectorOptions config_ = test::FakeConfig();
  test::FakeTarget target_;
  test::FakeSink sink_;
  test::FakeDisk disk_;
  test::FakeOffsetStore store_{&time_, &disk_};
  test::FakeWalSource source_{&time_};
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
  metrics::ConnectorMetrics metrics_;
  engine::WarnOnce warn_once_;
  Duties duties_{{.clock = &time_,
                  .poller = &time_,
                  .sink = &sink_,
                  .store = &store_,
                  .control = &control_,
                  .board = &board_,
                  .metrics = &metrics_},
                 {.store = &store_, .clock = &time_, .interval = absl::Seconds(10)},
                 std::nullopt};
  std::unique_ptr<delivery::RecordPath> path_;
};

}  // namespace walduct::slot
