#include "recover/wal_segment.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recover/crc32c.h"
#include "recover/ddl_watch.h"
#include "recover/wal_name.h"
#include "recover/wal_record.h"

namespace walduct::recover {
namespace {

// The WAL is as the machine has its numbers, which are little-endian here.
static_assert(std::endian::native == std::endian::little);

// XLogPageHeaderData, XLogLongPageHeaderData.
constexpr size_t kPageHeaderBytes = 24, kLongPageHeaderBytes = 40;
constexpr uint16_t kFirstIsContinuation = 1, kLongHeader = 2, kContinuationWasOverwritten = 8;
constexpr uint32_t kMostRecordBytes = 1020 << 20;
constexpr uint8_t kInfoSwitch = 0x40;
// What a promotion begins the new timeline with; both say which, and the one before, at one place.
constexpr uint8_t kInfoShutdown = 0x00, kInfoEndOfRecovery = 0x90;
constexpr size_t kTimelineAt = 8, kTimelinesBytes = 16;
constexpr uint8_t kInfoRunningXacts = 0x10;
constexpr uint8_t kTransactionOperation = 0x70, kInfoCommit = 0x00, kInfoCommitPrepared = 0x30;
// What stands before a record's data.
constexpr uint8_t kDataShort = 255, kDataLong = 254, kOrigin = 253, kTopLevelXid = 252;
// xl_running_xacts: where oldestRunningXid stands, and what is there at least.
constexpr size_t kOldestRunningAt = 16, kRunningXactsBytes = 24;

constexpr std::pair<uint16_t, int> kMagics[] = {{0xD113, 16}, {0xD116, 17}, {0xD118, 18}};

uint64_t Aligned(uint64_t at) { return (at + 7) & ~uint64_t{7}; }

uint32_t CrcOf(absl::string_view record) {
  return Crc32c(record.substr(0, kCrcAt), Crc32c(record.substr(kRecordHeaderBytes)));
}

bool CrcIsRight(absl::string_view record) { return CrcOf(record) == At<uint32_t>(record, kCrcAt); }

// Where a record's data begins and which relation its first block is of; data_at 0: malformed.
struct Parts {
  size_t data_at = 0;
  uint32_t relation = 0;
};

Parts PartsOf(absl::string_view record) {
  constexpr uint8_t kImage = 0x10, kSameRelation = 0x80, kHole = 1, kCompressed = 4 | 8 | 16;
  Parts parts;
  size_t at = kRecordHeaderBytes;
  while (at < record.size()) {
    const auto id = At<uint8_t>(record, at);
    if (id == kDataShort || id == kDataLong) {
      const size_t size =
          id == kDataShort ? At<uint8_t>(record, at + 1) : At<uint32_t>(record, at + 1);
      if (size < record.size() - at) parts.data_at = record.size() - size;
      return parts;
    }
    if (id == kOrigin || id == kTopLevelXid) {
      at += id == kOrigin ? 3 : 5;
      continue;
    }
    const auto flags = At<uint8_t>(record, at + 1);
    at += 4;
    if ((flags & kImage) != 0) {
      const auto image = At<uint8_t>(record, at + 4);
      at += (image & kHole) != 0 && (image & kCompressed) != 0 ? 7 : 5;
    }
    if ((flags & kSameRelation) == 0) {
      if (parts.relation == 0) parts.relation = At<uint32_t>(record, at + 8);
      at += 12;
    }
    at += 4;
  }
  return parts;
}

// Where a record has its mark of a catalog, and the horizon of what it removes.
struct Mark {
  size_t at;
  uint8_t bit;
  Xid horizon;
};

std::optional<Mark> CatalogMark(absl::string_view record, int major, size_t data) {
  const auto kind = static_cast<uint8_t>(At<uint8_t>(record, kInfoAt) & 0xF0);
  const auto horizon = [&](size_t at) { return Xid(At<uint32_t>(record, data + at)); };
  std::optional<Mark> mark;
  if (At<uint8_t>(record, kManagerAt) == kManagerBtree) {
    // xl_btree_delete, xl_btree_reuse_page.
    if (kind == 0x70) mark = {data + 8, 1, horizon(0)};
    if (kind == 0xD0) mark = {data + 24, 1, horizon(16)};
  } else if (At<uint8_t>(record, kManagerAt) == kManagerHeap2) {
    switch (kind & 0x70) {  // 0x80: a page that it has begun
      case 0x10:
      case 0x20:
      case 0x30:
        if (major >= 17) {  // xl_heap_prune; 8: has a horizon
          if ((At<uint8_t>(record, data + 1) & 8) != 0) mark = {data + 1, 2, horizon(2)};
        } else if ((kind & 0x70) == 0x10) {
          mark = {data + 8, 1, horizon(0)};
        } else if ((kind & 0x70) == 0x30) {  // xl_heap_freeze_page
          mark = {data + 6, 1, horizon(0)};
        }
        break;
      case 0x40:  // xl_heap_visible
        mark = {data + 4, 4, horizon(0)};
        break;
      default:
        break;
    }
  }
  if (!mark || (At<uint8_t>(record, mark->at) & mark->bit) == 0 || mark->horizon == Xid(0))
    return std::nullopt;
  return mark;
}

// pg_publication, pg_publication_rel, pg_publication_namespace and their indexes: what is published
// is looked up in them as of a change. Other rows that are missing are errors, those are not.
bool SaysWhatIsPublished(uint32_t relation) {
  constexpr uint32_t kRelations[] = {6104, 6106, 6110, 6111, 6112, 6113, 6116, 6237, 6238, 6239};
  return std::find(std::begin(kRelations), std::end(kRelations), relation) != std::end(kRelations);
}

bool ListsRunning(absl::string_view record) {
  return At<uint8_t>(record, kManagerAt) == kManagerStandby &&
         (At<uint8_t>(record, kInfoAt) & 0xF0) == kInfoRunningXacts;
}

bool IsCommit(absl::string_view record) {
  const auto operation = static_cast<uint8_t>(At<uint8_t>(record, kInfoAt) & kTransactionOperation);
  return At<uint8_t>(record, kManagerAt) == kManagerXact &&
         (operation == kInfoCommit || operation == kInfoCommitPrepared);
}

bool BeginsTimeline(absl::string_view record) {
  const auto kind = static_cast<uint8_t>(At<uint8_t>(record, kInfoAt) & 0xF0);
  if (At<uint8_t>(record, kManagerAt) != kManagerXlog) return false;
  if (kind != kInfoShutdown && kind != kInfoEndOfRecovery) return false;
  const size_t data = PartsOf(record).data_at;
  return data != 0 && record.size() >= data + kTimelinesBytes &&
         At<uint32_t>(record, data + kTimelineAt) != At<uint32_t>(record, data + kTimelineAt + 4);
}

std::optional<Xid> OldestRunning(absl::string_view record) {
  if (!ListsRunning(record)) return std::nullopt;
  const size_t data = PartsOf(record).data_at;
  if (data == 0 || record.size() - data < kRunningXactsBytes) return std::nullopt;
  return Xid(At<uint32_t>(record, data + kOldestRunningAt));
}

// Walks the pages of one segment.
class Walk {
 public:
  Walk(const SegmentHeader& header, absl::string_view segment, std::optional<Xid> begun_from,
       const std::vector<Xid>& lock_catalogs)
      : header_(header),
        segment_(segment),
        ddl_(header.major, header.begin, begun_from, lock_catalogs) {}

  SegmentRecords Run(absl::string_view head, Lsn head_begin) {
    ReadAll(head, head_begin);
    found_.ddl = ddl_.TakeCommits();
    if (found_.stopped.empty()) {
      found_.next_xid = ddl_.next();
      found_.lock_catalogs = ddl_.lock_catalogs();
    }
    return std::move(found_);
  }

 private:
  void ReadAll(absl::string_view head, Lsn head_begin) {
    if (!EnterPage(true)) return;
    if (ContinuationBytes() != 0 && !SkipOrFinish(head, head_begin)) return;
    while (ReadOne()) {
    }
  }

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
    if (!head.empty() && record.size() == At<uint32_t>(record, 0) && CrcIsRight(record)) {
      Note(record, head_begin, LsnAt(at_));
      NoteTransaction(record, PartsOf(record), EndBefore(head_begin), LsnAt(at_));
    }
    return Align();
  }

  // Where the record before one that begins there ends: before the header of a page that it is the
  // first of.
  Lsn EndBefore(Lsn begin) const {
    const uint64_t in_page = begin.value() % header_.page_bytes;
    const bool first_page = begin.value() % header_.segment_bytes < header_.page_bytes;
    const bool is_first = in_page == (first_page ? kLongPageHeaderBytes : kPageHeaderBytes);
    return is_first ? Lsn(begin.value() - in_page) : begin;
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
    if (record.size() > kManagerAt && !ListsRunning(record) && !IsCommit(record)) return;
    found_.head = std::move(record);
    found_.head_begin = begin;
  }

  void Note(absl::string_view record, Lsn begin, uint64_t end) {
    found_.last_begin = begin;
    found_.last_end = Lsn(Aligned(end));
    if (const std::optional<Xid> oldest = OldestRunning(record))
      found_.running.push_back({begin, found_.last_end, *oldest});
    if (BeginsTimeline(record)) found_.promoted = begin;
  }

  // Of the record that begins at `begin`: where its byte lies, behind the headers of pages.
  size_t ByteOf(size_t begin, size_t byte) const {
    size_t at = begin;
    while (true) {
      const size_t page_end = PageOf(at) + header_.page_bytes;
      if (byte < page_end - at) return at + byte;
      byte -= page_end - at;
      at = page_end + kPageHeaderBytes;
    }
  }

  void NoteTransaction(absl::string_view record, const Parts& parts, Lsn before, uint64_t end) {
    ddl_.OnRecord({.bytes = record,
                   .before = before,
                   .end = Lsn(Aligned(end)),
                   .data_at = parts.data_at,
                   .relation = parts.relation});
  }

  void NotePruning(const Parts& parts, size_t before, size_t begin) {
    if (parts.data_at == 0) return;
    const std::optional<Mark> mark = CatalogMark(record_, header_.major, parts.data_at);
    if (!mark) return;
    CatalogPruning pruning{Lsn(LsnAt(before)), mark->horizon, {}};
    if (!SaysWhatIsPublished(parts.relation)) {
      std::string without = record_;
      without[mark->at] = static_cast<char>(without[mark->at] & ~mark->bit);
      const uint32_t crc = CrcOf(without);
      std::memcpy(without.data() + kCrcAt, &crc, sizeof(crc));
      for (const size_t byte : {kCrcAt, kCrcAt + 1, kCrcAt + 2, kCrcAt + 3, mark->at})
        pruning.edits.push_back({static_cast<uint32_t>(ByteOf(begin, byte)), without[byte]});
    }
    found_.prunings.push_back(std::move(pruning));
  }

  // The record at at_. False: there is no other behind it.
  bool ReadOne() {
    const size_t before = at_ == kLongPageHeaderBytes ? 0 : at_;
    if (at_ % header_.page_bytes == 0 && !EnterPage()) return false;
    const size_t begin = at_;
    const auto size = At<uint32_t>(segment_, at_);
    if (size == 0) return false;
    if (size < kRecordHeaderBytes || size > kMostRecordBytes) return Stop("no record");
    record_.clear();
    overwritten_ = false;
    if (!Take(size, &record_)) {
      if (overwritten_) return true;  // a crash had left it; the page begins with another
      if (at_ != segment_.size()) return false;
      ddl_.OnBegun(Xid(At<uint32_t>(record_, kXidAt)));
      KeepHead(std::move(record_), Lsn(LsnAt(begin)));
      return false;
    }
    const bool follows =
        !found_.last_begin.valid() || At<uint64_t>(record_, 8) == found_.last_begin.value();
    if (!follows || !CrcIsRight(record_)) {
      at_ = begin;
      return Stop("no valid record");
    }
    Note(record_, Lsn(LsnAt(begin)), LsnAt(at_));
    const Parts parts = PartsOf(record_);
    NotePruning(parts, before, begin);
    NoteTransaction(record_, parts, Lsn(LsnAt(before)), LsnAt(at_));
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
  DdlWatch ddl_;
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
                           absl::string_view head, Lsn head_begin, std::optional<Xid> begun_from,
                           const std::vector<Xid>& lock_catalogs) {
  return Walk(header, segment, begun_from, lock_catalogs).Run(head, head_begin);
}

}  // namespace walduct::recover
