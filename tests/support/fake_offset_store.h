// FakeOffsetStore: an OffsetStore whose saves end as a test wants: at once or later, well or badly,
// and with or without having become durable, whatever the answer was. The disk outlives the store,
// as it outlives a process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "offset/offset_store.h"
#include "tests/support/simulated_time.h"

namespace walduct::test {

// What is durable, as the text that a store would keep.
struct FakeDisk {
  std::optional<std::string> content;
  std::vector<offset::StoredOffset> history;  // all that became durable
  bool erased = false;                        // on purpose
};

class FakeOffsetStore final : public offset::OffsetStore {
 public:
  // How one save ends.
  struct Save {
    absl::Duration after;  // zero: the first poll has the answer
    absl::Status answer;
    bool lands = true;           // durable with the answer
    bool lands_at_once = false;  // durable as soon as it was started: the answer may never be seen
  };

  // Borrowed.
  FakeOffsetStore(SimulatedTime* time, FakeDisk* disk)
      : time_(*time), disk_(*disk), fd_(time_.NewDescriptor()) {}

  std::function<Save()> plan = [] { return Save(); };
  absl::Status start_answer;  // what StartSave says; an error starts nothing
  absl::Status load_answer;
  std::function<void(const offset::StoredOffset&)> on_durable = [](const auto&) {};
  int started = 0;

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    if (!load_answer.ok()) return load_answer;
    if (!disk_.content) return std::optional<offset::StoredOffset>();
    absl::StatusOr<offset::StoredOffset> offset = offset::DecodeOffset(*disk_.content);
    if (!offset.ok()) return offset.status();
    return std::optional<offset::StoredOffset>(*std::move(offset));
  }
  absl::Status StartSave(const offset::StoredOffset& offset) override {
    CHECK(!saving_);
    if (!start_answer.ok()) return start_answer;
    ++started;
    saving_ = {plan(), offset, time_.Monotonic()};
    if (saving_->save.lands_at_once) Land();
    if (saving_->save.after > absl::ZeroDuration())
      time_.After(saving_->save.after, [time = &time_, fd = fd_] { time->SetReadable(fd, true); });
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override {
    if (!saving_) return absl::OkStatus();
    if (time_.Monotonic() < saving_->begun + saving_->save.after) return std::nullopt;
    time_.SetReadable(fd_, false);
    if (saving_->save.lands && !saving_->save.lands_at_once) Land();
    const absl::Status answer = saving_->save.answer;
    saving_.reset();
    return answer;
  }
  bool erased() const override { return disk_.erased; }
  int ready_fd() const override { return fd_; }
  std::optional<event::Record> RecordOf(const offset::StoredOffset& offset) override {
    record_ = offset::EncodeOffset(offset);
    return event::Record{
        .topic = "offsets", .partition = {}, .key = "offset", .value = record_, .headers = {}};
  }
  absl::Status Erase() override {
    disk_.content.reset();
    return absl::OkStatus();
  }

 private:
  struct Saving {
    Save save;
    offset::StoredOffset offset;
    absl::Duration begun;
  };
  void Land() {
    disk_.content = offset::EncodeOffset(saving_->offset);
    disk_.history.push_back(saving_->offset);
    on_durable(saving_->offset);
  }

  SimulatedTime& time_;
  FakeDisk& disk_;
  const int fd_;
  std::optional<Saving> saving_;
  std::string record_;
};

}  // namespace walduct::test
