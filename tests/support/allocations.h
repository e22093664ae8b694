// Counts every allocation of the program. To be included by one file of it.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace walduct::test {

inline std::atomic<size_t> allocations = 0;

}  // namespace walduct::test

void* operator new(size_t size) {
  walduct::test::allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
