// The advisory locks of who polls outbox tables: of two numbers, the second is the table's OID. One
// worker alone has kLockClass; of several each shares it, and has the count of them and its own
// share besides.
#pragma once

#include <cstdint>

namespace walduct::poll {

constexpr int64_t kLockClass = 0x77616c64;  // "wald"
constexpr int64_t kCountClass = kLockClass + 100, kShareClass = kLockClass + 200;
constexpr int64_t kLastClass = kLockClass + 999;

}  // namespace walduct::poll
