// JudgedSink: a connector's sink behind somebody who says of each record whether it is to be
// written. One that is not counts as acknowledged. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sink/sink.h"

namespace walduct::recover {

class RecordJudge {
 public:
  virtual ~RecordJudge() = default;
  // Whether it is to be written.
  virtual absl::StatusOr<bool> Passes(const event::Record& record) = 0;
};

class JudgedSink final : public sink::Sink {
 public:
  // sink: null: nothing is written, whatever the judge says. judge: borrowed; where it is null, all
  // is written.
  JudgedSink(std::unique_ptr<sink::Sink> sink, RecordJudge* const* judge)
      : sink_(std::move(sink)), judge_(*judge) {}

  absl::Status CheckTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return sink_ == nullptr || sink_->HasCapacity(); }
  sink::Load load() const override { return sink_ == nullptr ? sink::Load() : sink_->load(); }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override;
  absl::Status WriteLetter(const event::Record& letter, sink::Ticket ticket) override;
  bool spoilt() const override { return sink_ != nullptr && sink_->spoilt(); }
  absl::Status Poll(sink::AckHandler& acks) override;
  int ready_fd() const override { return sink_ == nullptr ? -1 : sink_->ready_fd(); }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override;
  std::string WaitingFor() override;
  std::string WaitingHint() const override;
  sink::SinkTransactions* transactions() override {
    return sink_ == nullptr ? nullptr : sink_->transactions();
  }

 private:
  void LeaveOut(sink::Ticket ticket);
  void Acknowledge(sink::AckHandler& acks);

  const std::unique_ptr<sink::Sink> sink_;
  RecordJudge* const& judge_;
  bool waits_ = false;                                       // the last record, for room
  std::vector<std::pair<sink::Ticket, uint32_t>> left_out_;  // not acknowledged yet
};

}  // namespace walduct::recover
