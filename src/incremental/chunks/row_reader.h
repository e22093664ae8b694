// RowReader: the rows of a statement through a cursor, in steps that suit their width, until so
// many rows or bytes are there. Inside a transaction. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "incremental/chunks/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

class RowReader {
 public:
  static constexpr size_t kMostBytes = 16 << 20;

  struct Ask {
    postgres::Statement statement = {};
    size_t columns = 0;                // of the table
    std::vector<uint16_t> reads = {};  // those that the statement gives, ascending
    bool has_places = false;           // ctid and xmin behind them
    int64_t most_rows = 0;             // 0: all, whatever they take
    bool complete = true;              // out: no row is left
    size_t bytes = 0;                  // out
  };
  // Appends to the chunk's rows and places.
  absl::Status Read(postgres::Connection& connection, Ask* ask, Chunk* chunk);

 private:
  static constexpr int kMostRows = 1024;

  absl::StatusOr<postgres::Result> Fetch(postgres::Connection& connection, int rows, int columns);

  int most_rows_ = kMostRows;  // at once; less where rows are wide
};

}  // namespace walduct::incremental
