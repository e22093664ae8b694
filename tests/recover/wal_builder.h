// WalBuilder: WAL as a server writes it, in segments of 1 MiB: records over pages and segments.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "recover/crc32c.h"

namespace walduct::recover {

class WalBuilder {
 public:
  static constexpr uint32_t kSegment = 1 << 20, kPage = 8192;

  // first: the number of the first segment.
  explicit WalBuilder(uint64_t first = 1, uint16_t magic = 0xD116)
      : begin_(first * kSegment), magic_(magic) {}

  // Its begin. Data up to 255 bytes is as a record has it that changes no block; longer data, too.
  Lsn Add(uint8_t manager, uint8_t info, const std::string& payload, const std::string& block = "",
          uint32_t xid = 0) {
    std::string record(24, '\0');
    record += block;
    if (payload.size() < 256) {
      record += '\xFF';
      record += static_cast<char>(payload.size());
    } else {
      record += '\xFE';
      Put<uint32_t>(&record, record.size(), static_cast<uint32_t>(payload.size()));
    }
    record += payload;
    Put<uint32_t>(&record, 0, static_cast<uint32_t>(record.size()));
    Put<uint32_t>(&record, 4, xid);
    Put<uint64_t>(&record, 8, last_.value());
    record[16] = static_cast<char>(info);
    record[17] = static_cast<char>(manager);
    Put<uint32_t>(&record, 20,
                  Crc32c(record.substr(0, 20), Crc32c(absl::string_view(record).substr(24))));
    return Write(record);
  }
  Lsn AddRunning(uint32_t oldest, uint32_t running = 0) {
    std::string xacts(24 + 4 * running, '\0');
    Put<uint32_t>(&xacts, 0, running);
    Put<uint32_t>(&xacts, 12, oldest + running);
    Put<uint32_t>(&xacts, 16, oldest);
    return Add(8, 0x10, xacts);
  }
  // As PostgreSQL 17 has it, of a page of that relation.
  Lsn AddPruning(uint32_t horizon, uint32_t relation = 1259, bool of_catalog = true) {
    std::string prune(6, '\0');
    prune[1] = static_cast<char>(8 | (of_catalog ? 2 : 0));
    Put<uint32_t>(&prune, 2, horizon);
    return Add(9, 0x10, prune, BlockOf(relation));
  }
  // An insert.
  Lsn AddRow(uint32_t xid, uint32_t relation = 20000) {
    return Add(10, 0x00, std::string(3, '\0'), BlockOf(relation), xid);
  }
  // data: of CommitBuilder; empty: of a transaction that nothing is said of.
  Lsn AddCommit(uint32_t xid, const std::string& data = "") {
    return data.empty() ? Add(1, 0x00, std::string(8, '\0'), "", xid) : Add(1, 0x80, data, "", xid);
  }
  // AccessExclusiveLock.
  Lsn AddLock(uint32_t xid, uint32_t relation) {
    std::string locks;
    for (const uint32_t number : {1u, xid, 5u, relation})
      Put<uint32_t>(&locks, locks.size(), number);
    return Add(8, 0x00, locks);
  }
  // Of another manager, so that the next record begins `bytes` further.
  Lsn AddFilling(size_t bytes) { return Add(10, 0, std::string(bytes, 'x')); }

  // Where the next record begins.
  Lsn next() const { return Lsn(begin_ + (log_.size() + 7) / 8 * 8); }
  // Filled with zeros behind what is written.
  std::string Segment(uint64_t index) const {
    std::string segment = log_.substr(std::min<size_t>(log_.size(), index * kSegment), kSegment);
    segment.resize(kSegment);
    return segment;
  }
  std::string& log() { return log_; }
  size_t OffsetOf(Lsn lsn) const { return lsn.value() - begin_; }

  template <typename T>
  static void Put(std::string* bytes, size_t at, T value) {
    if (bytes->size() < at + sizeof(T)) bytes->resize(at + sizeof(T));
    std::memcpy(bytes->data() + at, &value, sizeof(T));
  }

 private:
  static std::string BlockOf(uint32_t relation) {
    std::string block(20, '\0');
    Put<uint32_t>(&block, 4, 1663);
    Put<uint32_t>(&block, 8, 5);
    Put<uint32_t>(&block, 12, relation);
    return block;
  }

  void BeginPage(uint32_t left) {
    const bool is_long = log_.size() % kSegment == 0;
    std::string header(is_long ? 40 : 24, '\0');
    Put<uint16_t>(&header, 0, magic_);
    Put<uint16_t>(&header, 2, static_cast<uint16_t>((left > 0 ? 1 : 0) | (is_long ? 2 : 0)));
    Put<uint32_t>(&header, 4, 1);
    Put<uint64_t>(&header, 8, begin_ + log_.size());
    Put<uint32_t>(&header, 16, left);
    if (is_long) {
      Put<uint64_t>(&header, 24, 42);
      Put<uint32_t>(&header, 32, kSegment);
      Put<uint32_t>(&header, 36, kPage);
    }
    log_ += header;
  }

  Lsn Write(absl::string_view record) {
    log_.resize((log_.size() + 7) / 8 * 8);
    if (log_.size() % kPage == 0) BeginPage(0);
    last_ = Lsn(begin_ + log_.size());
    while (!record.empty()) {
      if (log_.size() % kPage == 0) BeginPage(static_cast<uint32_t>(record.size()));
      const size_t here = std::min<size_t>(record.size(), kPage - log_.size() % kPage);
      log_.append(record.data(), here);
      record.remove_prefix(here);
    }
    return last_;
  }

  const uint64_t begin_;
  const uint16_t magic_;
  Lsn last_;
  std::string log_;
};

}  // namespace walduct::recover
