// PlaceWalk: reads a table without a key by ranges of blocks, of which each chunk takes about as
// many as hold its rows. Inside a transaction that holds a lock on the table. Not thread-safe.
//
// Why nothing is missed: a row that nobody touches stays where it is while the table's files are
// the same (Chunk::storage tells), the ranges join without a gap, and they end where the files
// ended when the first chunk was read: what is behind was written later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "incremental/chunks/chunk.h"
#include "incremental/chunks/chunk_sql.h"
#include "incremental/chunks/row_reader.h"
#include "postgres/connection.h"

namespace walduct::incremental {

class PlaceWalk {
 public:
  struct Table {
    Walk walk;
    std::vector<std::string> columns;  // all of them
    std::vector<uint16_t> reads;       // those that are read, ascending
    uint32_t members = 1;              // with rows of their own: places are those of each
    uint64_t blocks = 0;               // of the largest

    std::vector<std::string> ReadNames() const {
      std::vector<std::string> names;
      for (const uint16_t column : reads) names.push_back(columns[column]);
      return names;
    }
  };
  // The rows behind `after`, before `maximum`; the chunk's end. No row: there is none any more.
  absl::Status Read(postgres::Connection& connection, const Table& table,
                    const ChunkRequest& request, RowReader* reader, Chunk* chunk);

 private:
  // So many of these blocks had so many rows.
  void Learn(uint64_t blocks, size_t rows, int most_rows, const RowReader::Ask& ask);

  TableId table_;
  uint64_t blocks_ = 0;  // of the next range
};

// Of the request's places the rows that are still there, as they were.
absl::Status ReadPlaces(postgres::Connection& connection, const PlaceWalk::Table& table,
                        const ChunkRequest& request, RowReader* reader, Chunk* chunk);

}  // namespace walduct::incremental
