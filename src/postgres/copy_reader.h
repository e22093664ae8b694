// CopyReader: rows of `COPY (SELECT …) TO STDOUT` in text format, unescaped in place. The
// connection can run nothing else until the reader has come to its end or is gone. One row at a
// time is in memory, plus libpq's socket buffer. Never waits but for the end of a COPY that is
// given up.
//
// Thread-safety: none. Errors: as Connection; DataLoss copy_malformed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/row.h"
#include "postgres/connection.h"
#include "postgres/guards/row_guard.h"

namespace walduct::postgres {

class CopyReader {
 public:
  // select: a SELECT without a trailing semicolon; columns: how many it gives. The server has not
  // begun: it may have to wait for a lock.
  static absl::StatusOr<std::unique_ptr<CopyReader>> Start(Connection& connection,
                                                           absl::string_view select,
                                                           size_t columns);
  // Cancels the COPY when it was not read to its end.
  ~CopyReader();

  enum class Progress { kRow, kWouldBlock, kEnd };
  // Never waits. After kRow, row() is valid until the next call. DataLoss when a row has another
  // number of columns.
  //   DeadlineExceeded query_timeout  the server has not begun within database.query.timeout.ms
  absl::StatusOr<Progress> Next();
  // The server has begun: what fails from here on fails in the middle of the rows.
  bool begun() const { return begun_; }
  event::RowView row() const { return values_; }
  int ready_fd() const;

 private:
  CopyReader(Connection& connection, size_t columns)
      : connection_(connection), values_(columns), guard_(connection.row_max_bytes()) {}
  absl::Status Begin();
  absl::StatusOr<int> Read();
  absl::Status Finish();

  Connection& connection_;
  std::vector<event::Value> values_;
  RowGuard guard_;
  char* buffer_ = nullptr;  // libpq's, behind values_
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace walduct::postgres
