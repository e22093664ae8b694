// FakeSink: a Sink into memory. It acknowledges at the next Poll, or by hand, in any order; it has
// room for so many records; it can be broken. With transactions on request.
//
// What it writes to outlives it, as a broker outlives a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "sink/sink.h"
#include "tests/support/simulated_time.h"

namespace walduct::test {

// A record, owned.
struct KeptRecord {
  std::string topic;
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
  std::optional<int32_t> partition;

  KeptRecord() = default;
  explicit KeptRecord(const event::Record& record)
      : topic(record.topic), key(record.key), value(record.value), partition(record.partition) {
    for (const event::Header& header : record.headers) {
      std::optional<std::string> text;
      if (!header.is_null) text = std::string(header.value);
      headers.emplace_back(std::string(header.name), std::move(text));
    }
  }
  friend bool operator==(const KeptRecord&, const KeptRecord&) = default;
};

struct FakeTarget {
  std::vector<KeptRecord> records;  // visible ones
  uint64_t owner = 0;               // the last sink with transactions
};

class FakeSink final : public sink::Sink, private sink::SinkTransactions {
 public:
  struct Options {
    size_t capacity = 1000;  // records in flight
    bool transactional = false;
    absl::Duration transaction_timeout = absl::Minutes(15);
    std::string refuses = {};  // records of this value; empty: none
  };
  // Both borrowed.
  FakeSink(SimulatedTime* time, FakeTarget* target, Options options)
      : time_(*time), target_(*target), options_(options), fd_(time_.NewDescriptor()) {}

  bool one_on_its_way = false;  // see SinkTransactions::undecided
  bool by_hand = false;         // nothing is acknowledged unless a test says so
  bool hold_commits = false;    // PollCommit has no answer
  bool ends_late = false;       // broken, Flush waits for what is on its way, and gets no answer

  // The place-th of the records that are not acknowledged yet.
  void Acknowledge(size_t place) {
    CHECK(place < in_flight_.size());
    acknowledged_.push_back(in_flight_[place]);
    in_flight_.erase(in_flight_.begin() + static_cast<ptrdiff_t>(place));
    time_.SetReadable(fd_, true);
  }
  void AcknowledgeAll() {
    while (!in_flight_.empty()) Acknowledge(0);
  }
  // From now on every call answers this.
  void Break(absl::Status status) {
    broken_ = std::move(status);
    time_.SetReadable(fd_, true);
  }
  size_t in_flight() const { return in_flight_.size() + acknowledged_.size(); }

  bool HasCapacity() override {
    return in_flight() + pending_.size() < options_.capacity &&
           (!options_.transactional || open_) && !position_ && !refused_;
  }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    if (options_.transactional && !open_) return absl::FailedPreconditionError("no transaction");
    if (!handing_back_ && !HasCapacity()) return absl::ResourceExhaustedError("no room");
    if (open_) {
      pending_.emplace_back(KeptRecord(record), ticket);
      return absl::OkStatus();
    }
    if (!options_.refuses.empty() && record.value == options_.refuses) {
      refused_.emplace(KeptRecord(record), ticket);
      time_.SetReadable(fd_, true);
      return absl::OkStatus();
    }
    target_.records.emplace_back(record);
    in_flight_.push_back(ticket);
    if (!by_hand) time_.SetReadable(fd_, true);
    return absl::OkStatus();
  }
  absl::Status Poll(sink::AckHandler& acks) override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    if (!by_hand) AcknowledgeAll();
    time_.SetReadable(fd_, false);
    for (const sink::Ticket ticket : std::exchange(acknowledged_, {}))
      acks.OnAcknowledged(ticket, 1);
    return HandBack(acks);
  }
  int ready_fd() const override { return fd_; }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override {
    const absl::Duration deadline = time_.Monotonic() + timeout;
    while (true) {
      if (absl::Status polled = Poll(acks); !polled.ok()) {
        if (!ends_late) return polled;
        time_.SetReadable(fd_, false);
      }
      if (in_flight() == 0 && !refused_) return absl::OkStatus();
      const absl::Duration left = deadline - time_.Monotonic();
      if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("not acknowledged");
      time_.WaitReadable({fd_}, left);
    }
  }
  sink::SinkTransactions* transactions() override {
    return options_.transactional ? this : nullptr;
  }

 private:
  absl::Status HandBack(sink::AckHandler& acks) {
    if (!refused_) return absl::OkStatus();
    const auto [kept, ticket] = *refused_;
    std::vector<event::Header> headers;
    for (const auto& [name, value] : kept.headers)
      headers.push_back({name, value.value_or(""), !value});
    const event::Record record{.topic = kept.topic,
                               .partition = kept.partition,
                               .key = kept.key,
                               .value = kept.value,
                               .headers = headers};
    handing_back_ = true;
    const absl::Status taken = acks.OnRefused(
        record, ticket, Error(absl::StatusCode::kInvalidArgument, "record_refused", "refused"));
    handing_back_ = false;
    if (taken.code() == absl::StatusCode::kResourceExhausted) {
      time_.SetReadable(fd_, true);
      return absl::OkStatus();
    }
    if (!taken.ok()) broken_ = taken;
    refused_.reset();
    return taken;
  }
  absl::Status CheckUsable() const {
    if (!broken_.ok() || owner_ == target_.owner || !options_.transactional) return broken_;
    return Error(absl::StatusCode::kFailedPrecondition, "fenced", "another sink has taken over");
  }

  absl::Status TakeOver() override {
    if (!broken_.ok()) return broken_;
    owner_ = ++target_.owner;
    return absl::OkStatus();
  }
  absl::Status Begin() override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    CHECK(!open_);
    open_ = true;
    return absl::OkStatus();
  }
  absl::Status StartCommit(const event::Record& position) override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    CHECK(open_ && !position_);
    position_.emplace(position);
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollCommit() override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    CHECK(position_);
    if (hold_commits) return std::nullopt;
    for (auto& [record, ticket] : std::exchange(pending_, {})) {
      target_.records.push_back(std::move(record));
      in_flight_.push_back(ticket);
    }
    target_.records.push_back(*std::exchange(position_, std::nullopt));
    open_ = false;
    AcknowledgeAll();
    return absl::OkStatus();
  }
  absl::Duration timeout() const override { return options_.transaction_timeout; }
  bool undecided() const override { return one_on_its_way; }
  absl::Status Abort(absl::Duration) override {
    if (absl::Status usable = CheckUsable(); !usable.ok()) return usable;
    pending_.clear();
    position_.reset();
    open_ = false;
    return absl::OkStatus();
  }

  SimulatedTime& time_;
  FakeTarget& target_;
  const Options options_;
  const int fd_;
  uint64_t owner_ = 0;
  std::vector<sink::Ticket> in_flight_;                         // written
  std::optional<std::pair<KeptRecord, sink::Ticket>> refused_;  // not handed back yet
  bool handing_back_ = false;                                   // there is room for a letter
  std::vector<sink::Ticket> acknowledged_;                      // for the next Poll
  bool open_ = false;
  std::vector<std::pair<KeptRecord, sink::Ticket>> pending_;  // of the open transaction
  std::optional<KeptRecord> position_;                        // of the commit under way
  absl::Status broken_;
};

}  // namespace walduct::test
