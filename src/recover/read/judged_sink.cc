#include "recover/read/judged_sink.h"

#include "base/status_macros.h"

namespace walduct::recover {

absl::Status JudgedSink::CheckTopics(absl::Span<const std::string> topics, Stopping stopping) {
  return sink_ == nullptr ? absl::OkStatus() : sink_->CheckTopics(topics, stopping);
}

absl::Status JudgedSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  return sink_ == nullptr ? absl::OkStatus() : sink_->PrepareTopics(topics, stopping);
}

absl::Status JudgedSink::Write(const event::Record& record, sink::Ticket ticket) {
  bool passes = sink_ != nullptr;
  // What there was no room for comes again, and has been judged.
  if (judge_ != nullptr && !std::exchange(waits_, false)) {
    ASSIGN_OR_RETURN(const bool wanted, judge_->Passes(record));
    passes &= wanted;
  }
  if (passes) {
    absl::Status written = sink_->Write(record, ticket);
    waits_ = absl::IsResourceExhausted(written);
    return written;
  }
  LeaveOut(ticket);
  return absl::OkStatus();
}

// It stands for a record that was judged before.
absl::Status JudgedSink::WriteLetter(const event::Record& letter, sink::Ticket ticket) {
  if (sink_ != nullptr) return sink_->WriteLetter(letter, ticket);
  LeaveOut(ticket);
  return absl::OkStatus();
}

void JudgedSink::LeaveOut(sink::Ticket ticket) {
  if (left_out_.empty() || left_out_.back().first != ticket) left_out_.emplace_back(ticket, 0);
  ++left_out_.back().second;
}

void JudgedSink::Acknowledge(sink::AckHandler& acks) {
  for (const auto& [ticket, count] : left_out_) acks.OnAcknowledged(ticket, count);
  left_out_.clear();
}

absl::Status JudgedSink::Poll(sink::AckHandler& acks) {
  Acknowledge(acks);
  return sink_ == nullptr ? absl::OkStatus() : sink_->Poll(acks);
}

absl::Status JudgedSink::Flush(sink::AckHandler& acks, absl::Duration timeout) {
  Acknowledge(acks);
  return sink_ == nullptr ? absl::OkStatus() : sink_->Flush(acks, timeout);
}

void JudgedSink::RenewPermit() {
  if (sink_ != nullptr) sink_->RenewPermit();
}

std::string JudgedSink::WaitingFor() {
  return sink_ == nullptr ? sink::Sink::WaitingFor() : sink_->WaitingFor();
}

std::string JudgedSink::WaitingHint() const {
  return sink_ == nullptr ? sink::Sink::WaitingHint() : sink_->WaitingHint();
}

}  // namespace walduct::recover
