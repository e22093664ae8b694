// HandoverTest: hand-overs over the model of what they work on.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "offset/options.h"
#include "replication/options.h"
#include "slot/handover/handover.h"
#include "slot/lanes/lanes.h"
#include "snapshot/options.h"
#include "tests/slot/handover_model.h"
#include "tests/support/fake_world.h"
#include "tests/support/simulated_time.h"

namespace walduct::slot {

using offset::StoredOffset;
using test::Disk;
using test::Fate;
using test::ModelWorld;
using test::PublicationName;
using test::SlotName;

class HandoverTest : public testing::Test {
 protected:
  HandoverTest() {
    mailbox_.Post(engine::Command::kStart);
    control_.Take();
  }

  // It ran with that number of slots, and has published a part of what was written.
  void RanWith(int slots) {
    disk_ = Disk();
    for (int table = 1; table <= 7; ++table) {
      const std::string name = absl::StrCat("public.t", table);
      disk_.slot_of[name] = replication::SlotOfNewTable(name, Config(slots).replication->share);
    }
    for (int number = 1; number <= slots; ++number) {
      disk_.slots[SlotName(number)] = disk_.end;
      disk_.publications.insert(PublicationName(number));
      StoredOffset offset;
      offset.position.commit_end = Lsn(disk_.end);
      offset.slots = slots;
      offset.system_identifier = "7000";
      disk_.offsets[number] = offset;
    }
    disk_.WriteAll();
    disk_.WriteAll();
  }

  static engine::ConnectorOptions Config(int slots, int number = 1) {
    engine::ConnectorOptions config = test::FakeConfig("orders");
    config.replication->slot_name = "s";
    config.replication->publication_name = "p";
    config.replication->share.count = slots;
    return slot::LanesOf(config)[static_cast<size_t>(number) - 1];
  }

  // One process, from its start to its end.
  absl::Status Run(const engine::ConnectorOptions& config, Fate* fate) {
    ModelWorld world(time_.environment(), &disk_, fate);
    Handover handover({.config = &config,
                       .world = &world,
                       .control = &control_,
                       .board = &board_,
                       .drain = [this, fate](const engine::ConnectorOptions& lane, Lsn until) {
                         return Drain(lane, until, fate);
                       }});
    return handover.Run();
  }
  absl::Status Run(int slots) {
    Fate fate;
    return Run(Config(slots), &fate);
  }

  // What a slot sends from its stored position on, as publications were then. keeps: tables
  // that are another slot's now are left out.
  void Stream(int number, uint64_t until, bool keeps) {
    StoredOffset& offset = disk_.offsets.at(number);
    const uint64_t from = offset.position.commit_end.value();
    ASSERT_LE(disk_.slots.at(SlotName(number)), from) << "the slot does not reach back";
    for (const Disk::Write& write : disk_.wal) {
      if (write.lsn <= from || write.lsn > until || write.slot != number) continue;
      if (keeps && disk_.slot_of.at(write.table) != number) continue;
      disk_.published.push_back({.table = write.table, .version = write.version});
    }
  }
  void Confirm(int number, uint64_t until) {
    disk_.offsets.at(number).position.commit_end = Lsn(until);
    disk_.slots.at(SlotName(number)) = until;
  }
  absl::Status Drain(const engine::ConnectorOptions& lane, Lsn until, Fate* fate) {
    EXPECT_LE(until.value(), disk_.end) << "nobody may ever write so far";
    EXPECT_TRUE(lane.replication->share.hands_over);
    EXPECT_EQ(lane.snapshot->mode, snapshot::SnapshotMode::kNoData);
    const int number = lane.replication->share.number;
    EXPECT_EQ(lane.replication->slot_name, SlotName(number));
    RETURN_IF_ERROR(drains_);
    RETURN_IF_ERROR(fate->Run(&disk_, [&] {
      Stream(number, until.value(), false);
      return absl::OkStatus();
    }));
    return fate->Run(&disk_, [&] {
      Confirm(number, until.value());
      disk_.offsets.at(number).slots = lane.replication->share.count;
      return absl::OkStatus();
    });
  }

  // 1: the second process ended before its end.
  int EndsTwice(int from, int to, Fate one, Fate two) {
    RanWith(from);
    EXPECT_FALSE(Run(Config(to), &one).ok());
    const bool ended = !Run(Config(to), &two).ok();
    const absl::Status done = Run(to);
    EXPECT_TRUE(done.ok()) << done;
    ExpectAllIsWell(to);
    return ended ? 1 : 0;
  }

  // All lanes run as ever, and everything is there, in order.
  void ExpectAllIsWell(int slots) {
    std::set<std::string> names, publications;
    for (int number = 1; number <= slots; ++number) {
      names.insert(SlotName(number));
      publications.insert(PublicationName(number));
    }
    std::set<std::string> found;
    for (const auto& [name, lsn] : disk_.slots) found.insert(name);
    EXPECT_EQ(found, names);
    EXPECT_EQ(disk_.publications, publications);
    ASSERT_EQ(disk_.offsets.size(), static_cast<size_t>(slots));
    for (const auto& [number, offset] : disk_.offsets) {
      EXPECT_EQ(offset.slots, slots) << number;
      EXPECT_FALSE(offset.handover) << number;
    }
    disk_.WriteAll();
    // The last slot first: none may depend on another any more.
    for (int number = slots; number >= 1; --number) {
      Stream(number, disk_.end, true);
      Confirm(number, disk_.end);
    }
    std::map<std::string, int> last;
    for (const auto& [table, version] : disk_.published) {
      ASSERT_LE(version, last[table] + 1) << table << ": order, or a loss";
      last[table] = version;
    }
    EXPECT_EQ(last, disk_.versions);
  }

  test::SimulatedTime time_;
  const absl::Duration begun_ = time_.Monotonic();
  Disk disk_;
  absl::Status drains_;  // else the error of each
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
};

}  // namespace walduct::slot
