// Counter and Gauge: one number each, written by one thread, read by any at any time. Relaxed
// atomics: each number is right by itself, several read together may be of slightly different
// moments.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lsn.h"

namespace walduct::metrics {

// Only grows. One thread adds, any thread reads: so adding needs no locked instruction.
class Counter {
 public:
  void Add(uint64_t count = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Goes up and down. Thread-safe.
class Gauge {
 public:
  void Set(uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void Set(Lsn lsn) { Set(lsn.value()); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace walduct::metrics
