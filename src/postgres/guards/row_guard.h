// RowGuard: how much of a row that does not come whole is taken into memory. libpq hands a row over
// once it has all of it, and PostgreSQL sends rows of a gigabyte and more.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

struct pg_conn;

namespace walduct::postgres {

// Since the connection was opened; 0 where the system does not tell: not TCP.
uint64_t ReceivedBytes(const pg_conn* connection);

// For one COPY or stream. Costs a system call only while nothing whole comes.
class RowGuard {
 public:
  // most: 0 for a quarter of the memory that the process may use, which is what a row costs here:
  // twice in libpq, once more as a record and in the producer; without such a bound, no limit.
  explicit RowGuard(uint64_t most);

  //   FailedPrecondition row_too_large, of both
  // A whole one of so many bytes.
  absl::Status Came(int bytes) {
    looks_ = 0;
    return static_cast<uint64_t>(bytes) <= most_ ? absl::OkStatus() : TooLarge();
  }
  // Nothing whole was there, though all that has come was taken. One that comes as fast as libpq
  // reads is whole before this is called.
  absl::Status NotWhole(const pg_conn* connection);

 private:
  absl::Status TooLarge() const;

  const uint64_t most_;
  int looks_ = 0;
  uint64_t begin_ = 0;
};

}  // namespace walduct::postgres
