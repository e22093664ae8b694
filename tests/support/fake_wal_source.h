// FakeWalSource: a WalSource that gives the frames it was handed, then nothing or an error, and
// remembers what it was told.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replication/wal_source.h"
#include "tests/support/simulated_time.h"

namespace walduct::test {

class FakeWalSource final : public replication::WalSource {
 public:
  explicit FakeWalSource(SimulatedTime* time) : time_(*time), fd_(time_.NewDescriptor()) {}

  struct Status {
    Lsn received, flushed;
    bool reply_requested = false;
    absl::Duration at = {};
  };

  void SendMessage(Lsn start, std::string payload) {
    Send({.kind = replication::WalFrame::Kind::kData,
          .start = start,
          .wal_end = start,
          .reply_requested = false,
          .payload = std::move(payload)});
  }
  void SendKeepalive(Lsn wal_end, bool reply_requested) {
    Send({.kind = replication::WalFrame::Kind::kKeepalive,
          .wal_end = wal_end,
          .reply_requested = reply_requested,
          .payload = {}});
  }
  // Next answers this behind the frames; SendStatus at once.
  void Break(absl::Status status) {
    broken_ = std::move(status);
    time_.SetReadable(fd_, true);
  }

  absl::StatusOr<replication::WalFrame> Next() override {
    if (frames_.empty()) {
      if (!broken_.ok()) return broken_;
      time_.SetReadable(fd_, false);
      return replication::WalFrame{};
    }
    // In a block of its own: whoever looks at a payload after the next call is found out.
    last_ = std::make_unique<Frame>(std::move(frames_.front()));
    frames_.pop_front();
    return replication::WalFrame{.kind = last_->kind,
                                 .start = last_->start,
                                 .wal_end = last_->wal_end,
                                 .reply_requested = last_->reply_requested,
                                 .payload = last_->payload};
  }
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override {
    if (!broken_.ok()) return broken_;
    statuses.push_back({received, flushed, reply_requested, time_.Monotonic()});
    return absl::OkStatus();
  }
  replication::ReceivePath path() const override { return way; }
  int ready_fd() const override { return fd_; }
  bool Ended() override { return ended; }
  void Stop(absl::Duration) override { stopped = true; }

  size_t unread() const { return frames_.size(); }
  std::vector<Status> statuses;
  bool stopped = false;
  bool ended = false;  // what Ended says
  replication::ReceivePath way = replication::ReceivePath::kFar;

 private:
  struct Frame {
    replication::WalFrame::Kind kind{};
    Lsn start = {}, wal_end = {};
    bool reply_requested = false;
    std::string payload = {};
  };
  void Send(Frame frame) {
    frames_.push_back(std::move(frame));
    time_.SetReadable(fd_, true);
  }

  SimulatedTime& time_;
  const int fd_;
  std::deque<Frame> frames_;
  std::unique_ptr<Frame> last_;
  absl::Status broken_;
};

}  // namespace walduct::test
