// A whole record of the WAL, and what its header says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::recover {

// XLogRecord.
constexpr size_t kXidAt = 4, kInfoAt = 16, kManagerAt = 17, kCrcAt = 20, kRecordHeaderBytes = 24;

constexpr uint8_t kManagerXlog = 0, kManagerXact = 1, kManagerStandby = 8, kManagerHeap2 = 9,
                  kManagerHeap = 10, kManagerBtree = 11;

// OIDs below are of catalogs, which initdb makes; and so are the names of their files, until one
// gets another.
constexpr uint32_t kFirstOidOfUsers = 16384;

// 0 where the bytes end before.
template <typename T>
T At(absl::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// Numbers of transactions go round.
inline bool IsAtLeast(Xid one, Xid other) {
  return static_cast<int32_t>(ToInteger(one) - ToInteger(other)) >= 0;
}

struct WalRecord {
  absl::string_view bytes;
  Lsn before, end;        // where the record before it ends, and where the next one may begin
  size_t data_at = 0;     // 0: malformed
  uint32_t relation = 0;  // the file that its first block is of; 0: none

  uint8_t manager() const { return At<uint8_t>(bytes, kManagerAt); }
  uint8_t kind() const { return static_cast<uint8_t>(At<uint8_t>(bytes, kInfoAt) & 0xF0); }
  Xid xid() const { return Xid(At<uint32_t>(bytes, kXidAt)); }
  absl::string_view data() const { return bytes.substr(data_at == 0 ? bytes.size() : data_at); }
};

}  // namespace walduct::recover
