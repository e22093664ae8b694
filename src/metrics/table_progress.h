// TableProgress: how much of a table a snapshot has read, and how much there is by what is known of
// it. A value; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace walduct::metrics {

struct ReadShare {
  double value = 0;        // 0 to 1
  bool by_blocks = false;  // else by the server's estimate of the table's rows
};

// In percent: "41.3 by blocks"; "unknown".
std::string ShareText(const std::optional<ReadShare>& share);
inline const char* BasisText(const ReadShare& share) { return share.by_blocks ? "blocks" : "rows"; }

struct TableProgress {
  std::optional<uint64_t> estimated_rows;  // of the whole table; absent: not known
  // Of the table's files, where it is read by ranges of them: these are known, not estimated.
  std::optional<uint64_t> blocks;
  uint64_t rows = 0, blocks_read = 0;           // since it was begun by this attempt
  uint64_t rows_before = 0, blocks_before = 0;  // by those before it
  bool done = false;

  // Absent: nobody knows how large it is.
  std::optional<ReadShare> share() const;
  // Absent the same; by blocks: as many in each as in those that are read.
  std::optional<uint64_t> rows_left() const;
};

}  // namespace walduct::metrics
