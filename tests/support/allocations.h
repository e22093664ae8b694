// Counts every allocation of the program. To be included by one file of it.
#pragma once

#include <cstdlib>
#include <new>

namespace walduct::test {

inline size_t allocations = 0;

}  // namespace walduct::test

void* operator new(size_t size) {
  ++walduct::test::allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
