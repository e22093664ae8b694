// The fake's side of the contract.
#pragma once

#include <algorithm>

#include "tests/sink/contract.h"

namespace walduct::sink {

class FakeSinkTarget final : public SinkTarget {
 public:
  explicit FakeSinkTarget(bool transactional) : transactional_(transactional) {}

  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    return std::make_unique<test::FakeSink>(
        &time_, &target_,
        test::FakeSink::Options{.capacity = std::max<size_t>(buffer_bytes / 1000, 1),
                                .transactional = transactional_,
                                .refuses = RefusedValue()});
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    std::vector<test::KeptRecord> read;
    for (test::KeptRecord record : target_.records) {
      record.partition.reset();
      if (record.topic == topic) read.push_back(std::move(record));
    }
    return read;
  }
  std::string RefusedValue() override { return transactional_ ? "" : "bad"; }
  Environment environment() override { return time_.environment(); }

 private:
  const bool transactional_;
  test::SimulatedTime time_;
  test::FakeTarget target_;
};

}  // namespace walduct::sink
