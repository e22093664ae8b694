// InstantDigits: a point in time in its finest unit, printed once: coarser units are the same
// digits with the last ones left out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "encode/values/digits.h"

namespace walduct::encode {

class InstantDigits {
 public:
  InstantDigits() : InstantDigits(0) {}
  explicit InstantDigits(int64_t instant) { Print(instant); }

  // Of two points in time that have all but the last nine digits in common, the second is cheap.
  void Set(int64_t instant) {
    if (instant < kTail || instant / kTail != head_) return Print(instant);
    instant_ = instant;
    constexpr uint32_t kEight = kTail / 10;
    const auto tail = static_cast<uint32_t>(instant % kTail);
    char* const to = digits_ + size_ - kTailDigits;
    *to = static_cast<char>('0' + tail / kEight);
    PutEightDigits(tail % kEight, to + 1);
  }

  // instant / 10^digits, rounded down; empty where that is more than leaving digits out.
  absl::string_view WithoutLast(size_t digits) const {
    if (digits != 0 && (instant_ <= 0 || size_ <= digits)) return {};
    return {digits_, size_ - digits};
  }

  int64_t instant() const { return instant_; }

 private:
  static constexpr int64_t kTail = 1'000'000'000;
  static constexpr size_t kTailDigits = 9;

  void Print(int64_t instant) {
    instant_ = instant;
    head_ = instant / kTail;
    size_ = static_cast<size_t>(PutInteger(instant, digits_) - digits_);
  }

  char digits_[kMostOfInteger];
  int64_t instant_;
  int64_t head_;  // without the last nine digits
  size_t size_;
};

}  // namespace walduct::encode
