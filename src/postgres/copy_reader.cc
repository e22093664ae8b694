#include "postgres/copy_reader.h"

#include <libpq-fe.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/copy_text.h"
#include "postgres/errors/sqlstate.h"

namespace walduct::postgres {
namespace {

// A COPY that does not end this long after its cancellation costs the session.
constexpr absl::Duration kCancelTimeout = absl::Seconds(5);
// Until then it may not have begun when it was cancelled, which the server forgets.
constexpr absl::Duration kCancelAgain = absl::Milliseconds(200);

}  // namespace

absl::StatusOr<std::unique_ptr<CopyReader>> CopyReader::Start(Connection& connection,
                                                              absl::string_view select,
                                                              size_t columns) {
  RETURN_IF_ERROR(connection.Send(
      {.sql = absl::StrCat("COPY (", select, ") TO STDOUT"), .parameters = {}, .answer = {}}));
  return std::unique_ptr<CopyReader>(new CopyReader(connection, columns));
}

// As far as the server has answered.
absl::Status CopyReader::Begin() {
  absl::StatusOr<std::optional<Result>> polled = connection_.PollResult();
  finished_ = !polled.ok();
  RETURN_IF_ERROR(polled.status());
  const std::optional<Result>& answer = *polled;
  if (!answer) return absl::OkStatus();
  begun_ = true;
  if (static_cast<size_t>(answer->columns()) == values_.size()) return absl::OkStatus();
  return Error(
      absl::StatusCode::kDataLoss, "copy_malformed",
      absl::StrCat("COPY gives ", answer->columns(), " columns instead of ", values_.size()));
}

CopyReader::~CopyReader() {
  const auto [clock, poller] = connection_.environment();
  const absl::Duration deadline = clock->Monotonic() + kCancelTimeout;
  absl::Duration cancel_at = absl::ZeroDuration();
  while (!finished_ && clock->Monotonic() < deadline) {
    if (clock->Monotonic() >= cancel_at) {
      connection_.Cancel();
      cancel_at = clock->Monotonic() + kCancelAgain;
    }
    const absl::StatusOr<Progress> next = Next();
    if (next.ok() && *next == Progress::kWouldBlock)
      poller->WaitReadable({ready_fd()}, kCancelAgain);
  }
  PQfreemem(std::exchange(buffer_, nullptr));
}

absl::StatusOr<CopyReader::Progress> CopyReader::Next() {
  if (finished_) return Progress::kEnd;
  if (!begun_) {
    RETURN_IF_ERROR(Begin());
    if (!begun_) return Progress::kWouldBlock;
  }
  ASSIGN_OR_RETURN(const int size, Read());
  if (finished_) return Progress::kEnd;
  if (size == 0) return Progress::kWouldBlock;
  RETURN_IF_ERROR(SplitCopyRow(buffer_, static_cast<size_t>(size), absl::MakeSpan(values_)));
  return Progress::kRow;
}

// The size of the row now in buffer_; 0 when none has arrived whole, or when the COPY is finished.
absl::StatusOr<int> CopyReader::Read() {
  PQfreemem(std::exchange(buffer_, nullptr));
  pg_conn* const connection = connection_.raw();
  int size = PQgetCopyData(connection, &buffer_, /*async=*/1);
  if (size == 0) {
    if (PQconsumeInput(connection) == 0) {
      finished_ = true;
      return StatusFromConnection(connection);
    }
    size = PQgetCopyData(connection, &buffer_, /*async=*/1);
  }
  if (size > 0) {
    RETURN_IF_ERROR(guard_.Came(size));
    return size;
  }
  if (size == 0) {
    const absl::Status small = guard_.NotWhole(connection);
    finished_ = !small.ok();  // the rest is not read: the session is given up
    RETURN_IF_ERROR(small);
    return 0;
  }
  finished_ = true;
  if (size == -2) return StatusFromConnection(connection);
  RETURN_IF_ERROR(Finish());
  return 0;
}

// What the server says about the whole COPY: done, or why not.
absl::Status CopyReader::Finish() {
  absl::Status status;
  while (pg_result* next = PQgetResult(connection_.raw())) {
    const Result result(next);
    if (PQresultStatus(next) == PGRES_FATAL_ERROR && status.ok()) status = StatusFromResult(next);
    if (PQstatus(connection_.raw()) == CONNECTION_BAD) break;
  }
  return status;
}

int CopyReader::ready_fd() const { return PQsocket(connection_.raw()); }

}  // namespace walduct::postgres
