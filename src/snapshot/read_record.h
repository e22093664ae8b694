// ReadRecord: which parts of which tables an initial snapshot has published, so that one that was
// cut short goes on (walduct.snapshot.resume). It goes with the stored position as the member
// walduct_snapshot_read: what it says is done once all records before it are acknowledged.
//
// Why going on is right: README.md. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::snapshot {

struct BlockRange {
  uint32_t begin = 0;
  std::optional<uint32_t> end = std::nullopt;  // absent: to the table's end
  bool operator==(const BlockRange&) const = default;
};

struct ReadTable {
  // Of the files that the blocks are of: a rewrite gives it others.
  std::string storage;
  // The oldest transaction that the first view did not see whole; what is newer may have moved.
  uint64_t since = 0;
  std::vector<BlockRange> ranges;  // in order, joined where they touch
  bool operator==(const ReadTable&) const = default;

  bool whole() const { return ranges.size() == 1 && ranges[0].begin == 0 && !ranges[0].end; }
};

// By postgres::TableKey.
using ReadTables = std::map<std::string, ReadTable>;

std::string EncodeReadTables(const ReadTables& tables);
// The same, or a JSON string of it. InvalidArgument: something else.
absl::StatusOr<ReadTables> DecodeReadTables(absl::string_view json);

// Adds a range to others in order.
void AddRange(const BlockRange& range, std::vector<BlockRange>* ranges);
// What is between them, to the end.
std::vector<BlockRange> RangesLeft(const std::vector<BlockRange>& ranges);

class ReadRecord {
 public:
  explicit ReadRecord(ReadTables before) : before_(std::move(before)) {}

  // What earlier attempts have read.
  const ReadTables& before() const { return before_; }
  // Forgotten: the table's files are others now.
  void Forget(const std::string& table) { before_.erase(table); }

  // All rows of the range are with the pipeline. table: as it is read now.
  void OnRead(const std::string& name, const std::string& storage, uint64_t since,
              const BlockRange& range);
  // How many times that was called.
  size_t size() const { return read_.size(); }
  // As it was when there were so many.
  std::string TextAt(size_t size) const;

 private:
  struct Entry {
    std::string name;
    std::string storage;
    uint64_t since;
    BlockRange range;
  };
  ReadTables before_;
  std::vector<Entry> read_;
};

}  // namespace walduct::snapshot
