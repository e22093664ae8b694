#include "recover/wal_segment.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recover/crc32c.h"
#include "recover/wal_name.h"

namespace walduct::recover {
namespace {

// The WAL is as the machine has its numbers, which are little-endian here.
static_assert(std::endian::native == std::endian::little);

// XLogPageHeaderData, XLogLongPageHeaderData.
constexpr size_t kPageHeaderBytes = 24, kLongPageHeaderBytes = 40;
constexpr uint16_t kFirstIsContinuation = 1, kLongHeader = 2, kContinuationWasOverwritten = 8;
// XLogRecord.
constexpr size_t kRecordHeaderBytes = 24, kInfoAt = 16, kManagerAt = 17, kCrcAt = 20;
constexpr uint32_t kMostRecordBytes = 1020 << 20;
constexpr uint8_t kManagerXlog = 0, kInfoSwitch = 0x40;
constexpr uint8_t kManagerStandby = 8, kInfoRunningXacts = 0x10;
// What stands before a record's data.
constexpr uint8_t kDataShort = 255, kDataLong = 254, kOrigin = 253, kTopLevelXid = 252;
// xl_running_xacts: where oldestRunningXid stands, and what is there at least.
constexpr size_t kOldestRunningAt = 16, kRunningXactsBytes = 24;

constexpr std::pair<uint16_t, int> kMagics[] = {{0xD113, 16}, {0xD116, 17}, {0xD118, 18}};

template <typename T>
T At(absl::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

uint64_t Aligned(uint64_t at) { return (at + 7) & ~uint64_t{7}; }

bool CrcIsRight(absl::string_view record) {
  const uint32_t crc = Crc32c(record.substr(0, kCrcAt), Crc32c(record.substr(kRecordHeaderBytes)));
  return crc == At<uint32_t>(record, kCrcAt);
}

// A record's data where it changes no block; empty: it does, or is malformed.
absl::string_view MainData(absl::string_view record) {
  size_t at = kRecordHeaderBytes;
  while (at < record.size()) {
    const uint8_t id = At<uint8_t>(record, at);
    if (id == kDataShort || id == kDataLong) {
      const bool is_short = id == kDataShort;
      const size_t size = is_short ? At<uint8_t>(record, at + 1) : At<uint32_t>(record, at + 1);
      at += is_short ? 2 : 5;
      return at + size == record.size() ? record.substr(at) : absl::string_view();
    }
    if (id == kOrigin) {
      at += 3;
    } else if (id == kTopLevelXid) {
      at += 5;
    } else {
      return {};
    }
  }
  return {};
}

bool ListsRunning(absl::string_view record) {
  return At<uint8_t>(record, kManagerAt) == kManagerStandby &&
         (At<uint8_t>(record, kInfoAt) & 0xF0) == kInfoRunningXacts;
}

std::optional<Xid> OldestRunning(absl::string_view record) {
  if (!ListsRunning(record)) return std::nullopt;
  const absl::string_view data = MainData(record);
  if (data.size() < kRunningXactsBytes) return std::nullopt;
  return Xid(At<uint32_t>(data, kOldestRunningAt));
}

// Walks the pages of one segment.
class Walk {
 public:
  Walk(const SegmentHeader& header, absl::string_view segment)
      : header_(header), segment_(segment) {}

  SegmentRecords Run(absl::string_view head, Lsn head_begin) {
    if (!EnterPage(true)) return std::move(found_);
    if (ContinuationBytes() == 0) {
      head = {};
    } else if (!SkipOrFinish(head, head_begin)) {
      return std::move(found_);
    }
    while (ReadOne()) {
    }
    return std::move(found_);
  }

 private:
  size_t PageOf(size_t at) const { return at - at % header_.page_bytes; }
  size_t PageEnd() const { return PageOf(at_) + header_.page_bytes; }
  uint64_t LsnAt(size_t at) const { return header_.begin.value() + at; }
  uint32_t ContinuationBytes() const { return At<uint32_t>(segment_, page_ + 16); }
  uint16_t PageFlags() const { return At<uint16_t>(segment_, page_ + 2); }

  bool Stop(absl::string_view why) {
    found_.stopped = absl::StrCat("at ", Lsn(LsnAt(at_)).ToString(), ": ", why);
    return false;
  }

  // at_ stands at the beginning of a page, and behind its header afterwards. False: the server
  // has not written it, or it is not what belongs there.
  bool EnterPage(bool first = false) {
    page_ = at_;
    const uint16_t magic = At<uint16_t>(segment_, page_);
    // Else the file is a recycled one, and has what it had before.
    const bool written = At<uint64_t>(segment_, page_ + 8) == LsnAt(page_);
    if (magic == 0 || !written) return false;
    if (magic != At<uint16_t>(segment_, 0)) return Stop("a page of another version");
    const bool is_long = (PageFlags() & kLongHeader) != 0;
    if (is_long != first) return Stop("a malformed page header");
    at_ += is_long ? kLongPageHeaderBytes : kPageHeaderBytes;
    return true;
  }

  // The rest of a record that another segment has begun.
  bool SkipOrFinish(absl::string_view head, Lsn head_begin) {
    const uint32_t left = ContinuationBytes();
    std::string record(head);
    if (!Take(left, &record)) {
      // One that fills the segment.
      if (at_ == segment_.size() && !head.empty()) KeepHead(std::move(record), head_begin);
      return false;
    }
    if (!head.empty() && record.size() == At<uint32_t>(record, 0) && CrcIsRight(record))
      Note(record, head_begin, LsnAt(at_));
    return Align();
  }

  // Appends the next bytes of a record, over the ends of pages. False: the segment ends before, or
  // a page does not go on with it.
  bool Take(uint64_t bytes, std::string* record) {
    while (true) {
      const size_t here = std::min<uint64_t>(bytes, PageEnd() - at_);
      record->append(segment_.data() + at_, here);
      at_ += here;
      bytes -= here;
      if (bytes == 0) return true;
      if (at_ == segment_.size() || !EnterPage()) return false;
      if ((PageFlags() & kContinuationWasOverwritten) != 0) {
        overwritten_ = true;
        return false;
      }
      if ((PageFlags() & kFirstIsContinuation) == 0 || ContinuationBytes() != bytes)
        return Stop("a record does not go on");
    }
  }

  // To where the next record may begin; false at the end.
  bool Align() {
    at_ = Aligned(at_);
    return at_ < segment_.size();
  }

  void KeepHead(std::string record, Lsn begin) {
    // Of no use: it is another one.
    if (record.size() > kManagerAt && !ListsRunning(record)) return;
    found_.head = std::move(record);
    found_.head_begin = begin;
  }

  void Note(absl::string_view record, Lsn begin, uint64_t end) {
    found_.last_begin = begin;
    found_.last_end = Lsn(Aligned(end));
    if (const std::optional<Xid> oldest = OldestRunning(record))
      found_.running.push_back({begin, found_.last_end, *oldest});
  }

  // The record at at_. False: there is no other behind it.
  bool ReadOne() {
    if (at_ % header_.page_bytes == 0 && !EnterPage()) return false;
    const size_t begin = at_;
    const auto size = At<uint32_t>(segment_, at_);
    if (size == 0) return false;
    if (size < kRecordHeaderBytes || size > kMostRecordBytes) return Stop("no record");
    record_.clear();
    overwritten_ = false;
    if (!Take(size, &record_)) {
      if (overwritten_) return true;  // a crash had left it; the page begins with another
      if (at_ == segment_.size()) KeepHead(std::move(record_), Lsn(LsnAt(begin)));
      return false;
    }
    const bool follows =
        !found_.last_begin.valid() || At<uint64_t>(record_, 8) == found_.last_begin.value();
    if (!follows || !CrcIsRight(record_)) {
      at_ = begin;
      return Stop("no valid record");
    }
    Note(record_, Lsn(LsnAt(begin)), LsnAt(at_));
    const bool ends = At<uint8_t>(record_, kManagerAt) == kManagerXlog &&
                      (At<uint8_t>(record_, kInfoAt) & 0xF0) == kInfoSwitch;
    if (ends) found_.last_end = Lsn(LsnAt(segment_.size()));
    return !ends && Align();
  }

  const SegmentHeader& header_;
  const absl::string_view segment_;
  size_t at_ = 0, page_ = 0;
  bool overwritten_ = false;
  std::string record_;
  SegmentRecords found_;
};

}  // namespace

absl::StatusOr<SegmentHeader> ReadSegmentHeader(absl::string_view segment) {
  SegmentHeader header;
  const auto magic = At<uint16_t>(segment, 0);
  for (const auto& [known, major] : kMagics) {
    if (magic == known) header.major = major;
  }
  if (header.major == 0 && magic >> 8 == kMagics[0].first >> 8) {
    return absl::UnimplementedError(
        absl::StrFormat("WAL with the page magic %04X: known are those of PostgreSQL 16, "
                        "17 and 18",
                        magic));
  }
  header.timeline = At<uint32_t>(segment, 4);
  header.begin = Lsn(At<uint64_t>(segment, 8));
  header.segment_bytes = At<uint32_t>(segment, 32);
  header.page_bytes = At<uint32_t>(segment, 36);
  const bool pages = header.page_bytes >= 1024 && std::has_single_bit(header.page_bytes) &&
                     segment.size() % std::max(header.page_bytes, 1u) == 0;
  if (header.major == 0 || (At<uint16_t>(segment, 2) & kLongHeader) == 0 || !pages ||
      !IsSegmentSize(header.segment_bytes) || header.segment_bytes != segment.size() ||
      header.begin.value() % header.segment_bytes != 0) {
    return absl::DataLossError("no segment of the WAL");
  }
  return header;
}

SegmentRecords ReadRecords(const SegmentHeader& header, absl::string_view segment,
                           absl::string_view head, Lsn head_begin) {
  return Walk(header, segment).Run(head, head_begin);
}

}  // namespace walduct::recover
