// ByteReader: bounds-checked reads of big-endian fields from borrowed memory. Reading past the end
// sets a sticky error and yields zeroes or empty views, so a decoder may read a whole message and
// check ok() once. Copies nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace walduct {

class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  uint8_t U8() { return Read<uint8_t>(); }
  uint16_t U16() { return Read<uint16_t>(); }
  uint32_t U32() { return Read<uint32_t>(); }
  uint64_t U64() { return Read<uint64_t>(); }

  // The next size bytes, borrowed.
  absl::string_view Bytes(size_t size) {
    if (size > remaining()) return Fail();
    absl::string_view bytes(next_, size);
    next_ += size;
    return bytes;
  }

  // Up to and without the next NUL, which is consumed.
  absl::string_view CString() {
    const void* nul = remaining() == 0 ? nullptr : std::memchr(next_, 0, remaining());
    if (nul == nullptr) return Fail();
    absl::string_view text(next_, static_cast<size_t>(static_cast<const char*>(nul) - next_));
    next_ += text.size() + 1;
    return text;
  }

  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  bool ok() const { return !failed_; }
  // All read and nothing failed: what a decoder returns success on.
  bool complete() const { return !failed_ && next_ == end_; }

 private:
  template <typename T>
  T Read() {
    if (sizeof(T) > remaining()) {
      Fail();
      return 0;
    }
    T value;
    std::memcpy(&value, next_, sizeof(T));
    next_ += sizeof(T);
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
    return value;
  }

  absl::string_view Fail() {
    failed_ = true;
    next_ = end_;
    return {};
  }

  const char* next_;
  const char* end_;
  bool failed_ = false;
};

static_assert(std::endian::native == std::endian::little);

}  // namespace walduct
