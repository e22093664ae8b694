// FakeInbox: signals that a test puts in.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "incremental/channels/signal_inbox.h"

namespace walduct::incremental {

class FakeInbox final : public SignalInbox {
 public:
  struct Desk {
    uint64_t put = 0, done = 0;
    std::deque<Incoming> incoming;

    void Put(absl::StatusOr<RawSignal> signal, bool asked = false) {
      incoming.push_back({.ticket = ++put, .signal = std::move(signal), .asked = asked});
    }
  };
  explicit FakeInbox(Desk* desk) : desk_(desk) {}

  std::optional<Incoming> Take() override {
    if (desk_->incoming.empty()) return std::nullopt;
    Incoming next = std::move(desk_->incoming.front());
    desk_->incoming.pop_front();
    return next;
  }
  void Done(uint64_t ticket) override { desk_->done = ticket; }
  int ready_fd() const override { return -1; }

 private:
  Desk* const desk_;
};

}  // namespace walduct::incremental
