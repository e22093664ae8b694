// FakeBroker: where records end up, and FakeOffsets: where positions do; with the Sink and the
// OffsetStore over them. Both outlive what is made of them, as servers outlive connections.
//
// Thread-safe: tests look and interfere while a connector runs.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/wake.h"
#include "offset/offset_store.h"
#include "sink/sink.h"

namespace walduct::test {

class FakeBroker {
 public:
  struct Delivered {
    std::string topic, key, value;
  };

  // Durable records, in the order of their writing.
  std::vector<Delivered> records() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return {records_.begin(), records_.begin() + static_cast<ptrdiff_t>(durable_)};
  }
  // Keys of the table's records that contain one of these ids, each time it came.
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const Delivered& record : records()) keys.push_back(record.key);
    return keys;
  }
  // Nothing becomes durable any more, or all that waits does.
  void SetAvailable(bool available) {
    const std::lock_guard<std::mutex> lock(mutex_);
    available_ = available;
    if (available_) durable_ = records_.size();
    if (waiting_ != nullptr) waiting_->Signal();
  }
  // The next Poll of a sink fails.
  void Break(absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken_ = std::move(error);
    if (waiting_ != nullptr) waiting_->Signal();
  }
  // The sinks to come can have so many records in flight.
  void SetRoom(size_t records) {
    const std::lock_guard<std::mutex> lock(mutex_);
    room_ = records;
  }
  std::vector<std::string> topics() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return topics_;
  }
  void FailTopics(absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    topics_error_ = std::move(error);
  }

 private:
  friend class BrokerSink;

  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::vector<Delivered> records_;
  std::vector<std::string> topics_;
  size_t durable_ = 0;  // of records_
  size_t room_ = 1000;
  bool available_ = true;
  absl::Status broken_, topics_error_;
  Wake* waiting_ = nullptr;  // of the sink that is open
};

class BrokerSink final : public sink::Sink {
 public:
  explicit BrokerSink(FakeBroker& broker) : broker_(broker) {
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    broker_.waiting_ = &wake_;
    broker_.broken_ = absl::OkStatus();
  }
  // What is not durable is lost with the sink.
  ~BrokerSink() override {
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    broker_.waiting_ = nullptr;
    broker_.records_.resize(broker_.durable_);
  }

  absl::Status CheckTopics(absl::Span<const std::string>, Stopping) override {
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    return broker_.topics_error_;
  }
  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping) override {
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    broker_.topics_.assign(topics.begin(), topics.end());
    return broker_.topics_error_;
  }
  bool HasCapacity() override { return tickets_.size() < Room(); }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override {
    if (!HasCapacity()) return absl::ResourceExhaustedError("full");
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    broker_.records_.push_back({std::string(record.topic), std::string(record.key.value_or("")),
                                std::string(record.value.value_or(""))});
    tickets_.push_back(ticket);
    if (broker_.available_) broker_.durable_ = broker_.records_.size();
    if (broker_.available_) wake_.Signal();
    return absl::OkStatus();
  }
  absl::Status Poll(sink::AckHandler& acks) override {
    wake_.Drain();
    std::vector<sink::Ticket> acknowledged;
    {
      const std::lock_guard<std::mutex> lock(broker_.mutex_);
      if (!broker_.broken_.ok()) return broker_.broken_;
      if (broker_.durable_ == broker_.records_.size()) acknowledged.swap(tickets_);
    }
    for (const sink::Ticket ticket : acknowledged) acks.OnAcknowledged(ticket, 1);
    return absl::OkStatus();
  }
  int ready_fd() const override { return wake_.fd(); }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration) override {
    if (absl::Status polled = Poll(acks); !polled.ok()) return polled;
    return tickets_.empty() ? absl::OkStatus() : absl::DeadlineExceededError("not delivered");
  }

 private:
  size_t Room() const {
    const std::lock_guard<std::mutex> lock(broker_.mutex_);
    return broker_.room_;
  }

  FakeBroker& broker_;
  Wake wake_;
  std::vector<sink::Ticket> tickets_;  // of records in flight
};

class FakeOffsets {
 public:
  std::optional<offset::StoredOffset> stored() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stored_;
  }
  void Store(offset::StoredOffset offset) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored_ = std::move(offset);
  }
  // As a store whose content is gone, or one that somebody has emptied on purpose.
  void Forget(bool on_purpose = false) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored_.reset();
    erased_ = on_purpose;
  }
  void FailSaves(absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    save_error_ = std::move(error);
  }
  // Loads and saves answer this from now on.
  void Fail(absl::Status error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = std::move(error);
  }

 private:
  friend class OffsetsStore;

  mutable std::mutex mutex_;
  std::optional<offset::StoredOffset> stored_;  // guarded by mutex_
  bool erased_ = false;                         // the same
  absl::Status error_, save_error_;             // the same
};

class OffsetsStore final : public offset::OffsetStore {
 public:
  explicit OffsetsStore(FakeOffsets& offsets) : offsets_(offsets) {}

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    const std::lock_guard<std::mutex> lock(offsets_.mutex_);
    if (!offsets_.error_.ok()) return offsets_.error_;
    return offsets_.stored_;
  }
  absl::Status StartSave(const offset::StoredOffset& offset) override {
    const std::lock_guard<std::mutex> lock(offsets_.mutex_);
    const absl::Status& error = offsets_.error_.ok() ? offsets_.save_error_ : offsets_.error_;
    if (error.ok()) offsets_.stored_ = offset;
    return error;
  }
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override { return absl::OkStatus(); }
  bool erased() const override {
    const std::lock_guard<std::mutex> lock(offsets_.mutex_);
    return !offsets_.stored_ && offsets_.erased_;
  }

 private:
  FakeOffsets& offsets_;
};

}  // namespace walduct::test
