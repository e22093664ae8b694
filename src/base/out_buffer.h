// OutBuffer: bytes that grow at the end, for what is written per value. It does what a std::string
// would, and is asked for room before, not per byte: what Room has promised is filled through a
// pointer, without a check and without zeros first. Keeps its memory when it is cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace walduct {

// Copies bytes; answers the end. For short ones, where calling memcpy would cost more than it does.
inline char* PutBytes(absl::string_view bytes, char* to) {
  const size_t size = bytes.size();
  const char* const from = bytes.data();
  const auto both_ends = [=](auto part) {
    std::memcpy(&part, from, sizeof(part));
    std::memcpy(to, &part, sizeof(part));
    std::memcpy(&part, from + size - sizeof(part), sizeof(part));
    std::memcpy(to + size - sizeof(part), &part, sizeof(part));
  };
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    both_ends(uint64_t{});
  } else if (size >= 4) {
    both_ends(uint32_t{});
  } else if (size > 0) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
  return to + size;
}

class OutBuffer {
 public:
  OutBuffer() = default;
  OutBuffer(OutBuffer&& other) noexcept { swap(other); }
  OutBuffer& operator=(OutBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  size_t size() const { return static_cast<size_t>(end_ - begin_.get()); }
  bool empty() const { return size() == 0; }
  const char* data() const { return begin_.get(); }
  char& operator[](size_t i) { return begin_[i]; }
  char& back() { return end_[-1]; }
  absl::string_view view() const { return {begin_.get(), size()}; }
  operator absl::string_view() const { return view(); }  // NOLINT: as std::string's

  // Where the next byte goes, and room for so many: never null. Then EndAt says where they end.
  char* Room(size_t bytes) {
    if (static_cast<size_t>(limit_ - end_) <= bytes) Grow(bytes);
    return end_;
  }
  void EndAt(char* end) { end_ = end; }

  void append(absl::string_view bytes) { end_ = PutBytes(bytes, Room(bytes.size())); }
  void push_back(char byte) {
    char* const to = Room(1);
    *to = byte;
    end_ = to + 1;
  }
  void assign(absl::string_view bytes) {
    clear();
    append(bytes);
  }
  void clear() { end_ = begin_.get(); }
  // Not beyond its size.
  void CutTo(size_t size) { end_ = begin_.get() + size; }
  // In the place of the `count` bytes at `at`.
  void replace(size_t at, size_t count, absl::string_view bytes);

  void swap(OutBuffer& other) noexcept {
    begin_.swap(other.begin_);
    std::swap(end_, other.end_);
    std::swap(limit_, other.limit_);
  }

 private:
  void Grow(size_t bytes);

  std::unique_ptr<char[]> begin_;
  char* end_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace walduct
