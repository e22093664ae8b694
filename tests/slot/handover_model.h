// A model of what a hand-over to another number of slots works on: a database whose writers go on
// all the time, a store of positions, and processes that end at any call, before or after it had
// its effect.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "offset/offset_store.h"
#include "offset/options.h"
#include "replication/options.h"
#include "slot/world/slots/handover_server.h"
#include "slot/world/world.h"

namespace walduct::test {

using offset::StoredOffset;

// A database, its slots, a store of positions and what was published: all that outlives a process.
struct Disk {
  struct Write {
    uint64_t lsn;
    std::string table;
    int version;
    int slot;  // whose publication named the table
  };
  struct Published {
    std::string table;
    int version;
  };

  uint64_t end = 100;
  std::vector<Write> wal;
  std::map<std::string, int> slot_of;     // table → number of its publication
  std::map<std::string, int> versions;    // table → last one written
  std::map<std::string, uint64_t> slots;  // name → where it stands
  std::set<std::string> publications;
  std::map<int, StoredOffset> offsets;  // by number of the slot
  std::vector<Published> published;
  int moves_locked = 0;   // so often a table cannot be locked
  int patient_tries = 0;  // to lock one, until an autovacuum yields
  absl::Status rights;

  void WriteAll() {
    for (const auto& [table, slot] : slot_of)
      wal.push_back({.lsn = ++end, .table = table, .version = ++versions[table], .slot = slot});
  }
};

inline std::string SlotName(int number) { return number == 1 ? "s" : absl::StrCat("s_", number); }
inline std::string PublicationName(int number) {
  return number == 1 ? "p" : absl::StrCat("p_", number);
}

// Counts the calls of a process, and ends it at one of them.
struct Fate {
  int calls = 0;
  int ends_at = -1;  // never
  bool after = false;
  bool over = false;

  // Runs an effect, unless the process has ended; the writers go on.
  absl::Status Run(Disk* disk, const std::function<absl::Status()>& effect) {
    disk->WriteAll();
    if (over) return Crash();
    const bool ends = calls++ == ends_at;
    if (ends) over = true;
    if (ends && !after) return Crash();
    const absl::Status done = effect();
    return ends ? Crash() : done;
  }
  static absl::Status Crash() { return absl::UnavailableError("the process has ended"); }
};

class ModelServer final : public slot::HandoverServer {
 public:
  ModelServer(Disk* disk, Fate* fate) : disk_(*disk), fate_(*fate) {}

  absl::Status Connect() override { return Nothing(); }
  absl::Status CheckHeld() override { return absl::OkStatus(); }
  absl::StatusOr<replication::SystemIdentity> Identify() override {
    return replication::SystemIdentity{
        .system_identifier = "7000", .timeline = 1, .wal_end = Lsn(disk_.end)};
  }
  absl::StatusOr<std::optional<replication::SlotState>> Slot(const std::string& name) override {
    const auto found = disk_.slots.find(name);
    if (found == disk_.slots.end()) return std::nullopt;
    replication::SlotState state;
    state.confirmed_flush_lsn = state.restart_lsn = Lsn(found->second);
    return state;
  }
  absl::Status CheckFreeSlots(int) override { return absl::OkStatus(); }
  absl::Status HoldSlots(const std::vector<std::string>&) override {
    held = true;
    return Nothing();
  }
  void ReleaseSlots() override { held = false; }
  absl::Status MakePublications(const replication::SlotsChange& change) override {
    return Effect([&] {
      for (int number = change.from + 1; number <= change.to(); ++number)
        disk_.publications.insert(PublicationName(number));
    });
  }
  absl::StatusOr<Lsn> CreateSlot(const replication::ReplicationOptions& slot,
                                 const replication::TellBlockers&) override {
    EXPECT_TRUE(disk_.publications.contains(slot.publication_name));
    const absl::Status made = Effect([&] { disk_.slots.emplace(slot.slot_name, disk_.end); });
    if (!made.ok()) return made;
    return Lsn(disk_.slots.at(slot.slot_name));
  }
  absl::StatusOr<std::vector<replication::TableMove>> FindMoves(
      const replication::SlotsChange& change) override {
    std::vector<replication::TableMove> moves;
    for (const auto& [table, slot] : disk_.slot_of) {
      const int wanted = replication::SlotAfterChange(
          {.relation = Oid{1}, .name = table, .parents = {}, .root_name = table}, slot, change);
      if (wanted == slot) continue;
      replication::TableMove& move = moves.emplace_back();
      move.from = slot;
      move.to = wanted;
      move.tables.push_back(
          {.table = {.relation = Oid{1}, .schema = "public", .table = table}, .suffix = {}});
    }
    return moves;
  }
  absl::Status CheckRights(const replication::SlotsChange&,
                           const std::vector<replication::TableMove>& moves) override {
    EXPECT_FALSE(moves.empty());
    return disk_.rights;
  }
  absl::Status Move(const replication::SlotsChange&, const replication::TableMove& move,
                    replication::LockWait wait) override {
    EXPECT_TRUE(held) << "somebody may read a slot that gives or gets a table";
    if (wait == replication::LockWait::kUntilVacuumYields) ++disk_.patient_tries;
    EXPECT_TRUE(disk_.slots.contains(SlotName(move.to)));
    if (disk_.moves_locked > 0) {
      --disk_.moves_locked;
      return Error(absl::StatusCode::kDeadlineExceeded, "tables_locked", "pid 7 has it", "wait");
    }
    return Effect([&] { disk_.slot_of[move.tables.front().table.table] = move.to; });
  }
  absl::StatusOr<Lsn> CurrentLsn() override {
    RETURN_IF_ERROR(Nothing());
    return Lsn(disk_.end);
  }
  absl::Status DropSlot(const std::string& name) override {
    return Effect([&] { disk_.slots.erase(name); });
  }
  absl::Status DropPublication(const std::string& name) override {
    return Effect([&] { disk_.publications.erase(name); });
  }

  bool held = false;

 private:
  absl::Status Effect(const std::function<void()>& what) {
    return fate_.Run(&disk_, [&] {
      what();
      return absl::OkStatus();
    });
  }
  absl::Status Nothing() {
    return Effect([] {});
  }

  Disk& disk_;
  Fate& fate_;
};

class ModelStore final : public offset::OffsetStore {
 public:
  ModelStore(Disk* disk, Fate* fate, int number) : disk_(*disk), fate_(*fate), number_(number) {}

  absl::StatusOr<std::optional<StoredOffset>> Load() override {
    if (fate_.over) return Fate::Crash();
    const auto found = disk_.offsets.find(number_);
    if (found == disk_.offsets.end()) return std::nullopt;
    return found->second;
  }
  absl::Status StartSave(const StoredOffset& offset) override {
    saved_ = fate_.Run(&disk_, [&] {
      // As it is written and read again.
      disk_.offsets[number_] = *offset::DecodeOffset(offset::EncodeOffset(offset));
      return absl::OkStatus();
    });
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override { return saved_; }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override {
    return fate_.Run(&disk_, [&] {
      disk_.offsets.erase(number_);
      return absl::OkStatus();
    });
  }

 private:
  Disk& disk_;
  Fate& fate_;
  const int number_;
  absl::Status saved_;
};

class ModelWorld final : public slot::World {
 public:
  ModelWorld(const Environment& environment, Disk* disk, Fate* fate)
      : environment_(environment), disk_(*disk), fate_(*fate) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return ++random_; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&,
                                                       sink::Refusals*) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) override {
    return std::make_unique<ModelStore>(&disk_, &fate_, config.offset->slot);
  }
  absl::StatusOr<std::unique_ptr<slot::HandoverServer>> OpenHandover(
      const engine::ConnectorOptions&, const postgres::StopCheck&) override {
    return std::make_unique<ModelServer>(&disk_, &fate_);
  }
  std::unique_ptr<slot::Source> MakeSource(const slot::SourceOptions&) override { return nullptr; }

 private:
  const Environment environment_;
  Disk& disk_;
  Fate& fate_;
  uint64_t random_ = 0;
};

}  // namespace walduct::test
