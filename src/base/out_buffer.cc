#include "base/out_buffer.h"

#include <algorithm>

namespace walduct {

void OutBuffer::Grow(size_t bytes) {
  // Little more than asked for at first: thousands of buffers hold a text that never grows.
  constexpr size_t kLeast = 32;
  const size_t used = size();
  const size_t capacity = std::max({kLeast, used + bytes + 1, 2 * used});
  std::unique_ptr<char[]> grown(new char[capacity]);
  if (used != 0) std::memcpy(grown.get(), begin_.get(), used);
  begin_ = std::move(grown);
  end_ = begin_.get() + used;
  limit_ = begin_.get() + capacity;
}

void OutBuffer::replace(size_t at, size_t count, absl::string_view bytes) {
  const size_t behind = size() - at - count;
  if (bytes.size() > count) Room(bytes.size() - count);
  char* const to = begin_.get() + at;
  std::memmove(to + bytes.size(), to + count, behind);
  end_ = PutBytes(bytes, to) + behind;
}

}  // namespace walduct
