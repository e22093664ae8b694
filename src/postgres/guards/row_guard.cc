#include "postgres/guards/row_guard.h"

#include <libpq-fe.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/error.h"
#include "base/memory_limit.h"

namespace walduct::postgres {
namespace {

uint64_t MostBytes(uint64_t configured) {
  if (configured > 0) return configured;
  static const std::optional<uint64_t> kMemory = MemoryLimit();
  return kMemory ? *kMemory / 4 : std::numeric_limits<uint64_t>::max();
}

}  // namespace

uint64_t ReceivedBytes(const pg_conn* connection) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  const int socket = PQsocket(connection);
  const bool told = getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  return told ? info.tcpi_bytes_received : 0;
}

RowGuard::RowGuard(uint64_t most) : most_(MostBytes(most)) {}

absl::Status RowGuard::NotWhole(const pg_conn* connection) {
  // Most of what is not whole is nothing, and the next look finds something.
  if (++looks_ == 1) return absl::OkStatus();
  const uint64_t received = ReceivedBytes(connection);
  if (looks_ == 2) begin_ = received;
  return received - begin_ <= most_ ? absl::OkStatus() : TooLarge();
}

absl::Status RowGuard::TooLarge() const {
  return Error(absl::StatusCode::kFailedPrecondition, "row_too_large",
               absl::StrCat("a row is larger than ", BytesText(most_),
                            ", and the memory would have to hold it about four times"),
               "raise walduct.row.max.bytes, or the memory of the container; or do not have its "
               "large column sent: a column list in the publication (PostgreSQL 15), and "
               "column.exclude.list for snapshots");
}

}  // namespace walduct::postgres
