// CHECK(condition): aborts with file, line and text when one of our own invariants is broken, in
// release builds too. Never for input from outside: that is an absl::Status.
#pragma once

namespace walduct::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace walduct::internal

#define CHECK(condition)              \
  ((condition) ? static_cast<void>(0) \
               : ::walduct::internal::CheckFailed(__FILE__, __LINE__, #condition))
