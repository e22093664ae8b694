#include <libpq-fe.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "postgres/connection.h"

namespace walduct::postgres {

Result::Result(Result&& other) noexcept
    : result_(std::exchange(other.result_, nullptr)), readable_(other.readable_) {}

Result& Result::operator=(Result&& other) noexcept {
  std::swap(result_, other.result_);
  std::swap(readable_, other.readable_);
  return *this;
}

Result::~Result() { PQclear(result_); }

int Result::rows() const { return PQntuples(result_); }
int Result::columns() const { return PQnfields(result_); }
absl::string_view Result::column_name(int column) const {
  CHECK(column >= 0 && column < columns());
  return PQfname(result_, column);
}
bool Result::is_null(int row, int column) const { return PQgetisnull(result_, row, column) != 0; }

uint64_t Result::changed() const {
  uint64_t rows = 0;
  static_cast<void>(absl::SimpleAtoi(PQcmdTuples(result_), &rows));
  return rows;
}

absl::string_view Result::Get(int row, int column) const {
  CHECK(row >= 0 && row < rows() && column >= 0 && column < readable_);
  return {PQgetvalue(result_, row, column), static_cast<size_t>(PQgetlength(result_, row, column))};
}

}  // namespace walduct::postgres
