#include "incremental/chunks/row_reader.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::incremental {
namespace {

constexpr absl::string_view kCursor = "walduct_chunk";
constexpr int64_t kFirstRows = 8;  // tell how wide rows are
constexpr int kOfAPlace = 2;

size_t Take(const postgres::Result& result, const RowReader::Ask& ask, Chunk* chunk) {
  const int read_columns = static_cast<int>(ask.reads.size());
  size_t bytes = 0;
  for (int row = 0; row < result.rows(); ++row) {
    ChunkRow& read = chunk->rows.emplace_back();
    int next = 0;
    for (size_t column = 0; column < ask.columns; ++column) {
      if (next == read_columns || ask.reads[static_cast<size_t>(next)] != column) {
        read.AddNotRead();
        continue;
      }
      read.Add(result.is_null(row, next), result.Get(row, next));
      ++next;
    }
    bytes += read.bytes.size();
    if (ask.has_places)
      chunk->places.push_back(
          absl::StrCat(result.Get(row, read_columns), " ", result.Get(row, read_columns + 1)));
  }
  return bytes;
}

}  // namespace

absl::Status RowReader::Read(postgres::Connection& connection, Ask* ask, Chunk* chunk) {
  postgres::Statement opens = ask->statement;
  opens.sql = absl::StrCat("DECLARE ", kCursor, " NO SCROLL CURSOR FOR ", opens.sql);
  RETURN_IF_ERROR(connection.Run(opens));
  const int width = static_cast<int>(ask->reads.size()) + (ask->has_places ? kOfAPlace : 0);
  const bool all = ask->most_rows == 0;
  int64_t left = all ? std::numeric_limits<int64_t>::max() : ask->most_rows;
  int64_t wanted = kFirstRows;
  size_t rows = 0;
  ask->complete = false;
  while (!ask->complete && left > 0 && (all || ask->bytes < kMostBytes)) {
    const int count = static_cast<int>(std::min({left, wanted, int64_t{most_rows_}}));
    ASSIGN_OR_RETURN(const postgres::Result result, Fetch(connection, count, width));
    ask->bytes += Take(result, *ask, chunk);
    rows += static_cast<size_t>(result.rows());
    ask->complete = result.rows() < count;
    left -= count;
    const size_t each = std::max<size_t>(1, ask->bytes / std::max<size_t>(1, rows));
    const size_t room = kMostBytes - std::min(ask->bytes, kMostBytes);
    wanted = std::max<int64_t>(1, static_cast<int64_t>(room / each));
  }
  return connection.Run(absl::StrCat("CLOSE ", kCursor));
}

absl::StatusOr<postgres::Result> RowReader::Fetch(postgres::Connection& connection, int rows,
                                                  int columns) {
  absl::StatusOr<postgres::Result> result =
      connection.Query(postgres::Rows(columns), absl::StrCat("FETCH ", rows, " FROM ", kCursor));
  // Wider than those before: the chunk is read again, in smaller steps.
  if (ErrorReason(result.status()) == "answer_too_large") most_rows_ = std::max(1, rows / 16);
  return result;
}

}  // namespace walduct::incremental
