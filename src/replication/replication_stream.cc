#include "replication/replication_stream.h"

#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/errors/sqlstate.h"
#include "replication/frame.h"
#include "replication/options.h"
#include "replication/publication_name.h"
#include "replication/start_command.h"

namespace walduct::replication {
namespace {

// How long a status update may wait for a socket whose peer takes nothing.
constexpr absl::Duration kSendTimeout = absl::Seconds(10);
constexpr absl::Duration kLongestWait = absl::Seconds(1);

absl::string_view Field(const pg_result* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? absl::string_view() : absl::string_view(text);
}

}  // namespace

ReplicationStream::ReplicationStream(std::unique_ptr<postgres::Connection> connection)
    : connection_(std::move(connection)),
      environment_(connection_->environment()),
      guard_(connection_->row_max_bytes()),
      window_(PQsocket(connection_->raw())) {}

ReplicationStream::~ReplicationStream() { ReleaseFrame(); }

absl::StatusOr<std::unique_ptr<ReplicationStream>> ReplicationStream::Start(
    std::unique_ptr<postgres::Connection> connection, const ReplicationOptions& options,
    Lsn start) {
  ASSIGN_OR_RETURN(const std::string publication,
                   ResolvePublicationName(*connection, options.publication_name));
  std::unique_ptr<ReplicationStream> stream(new ReplicationStream(std::move(connection)));
  stream->publication_ = publication;
  // Before the command: PostgreSQL may look the publication up at once.
  PQsetNoticeReceiver(stream->connection_->raw(), &ReplicationStream::OnNotice, stream.get());
  const std::string command =
      StartReplicationCommand(options, publication, start, stream->connection_->server_version());
  const absl::Status started = stream->connection_->Run(command);
  if (!started.ok()) {
    return WithContext(
        started, absl::StrCat("replication slot ", postgres::QuoteIdentifier(options.slot_name),
                              " cannot be streamed from ", start.ToString()));
  }
  return stream;
}

// PostgreSQL 18 does not fail when a publication is missing: it warns, and sends nothing of what
// that publication would have had. Silence would be loss, so the warning ends the stream. The
// server's language may be any: the SQLSTATE, and the name or who warns, tell.
void ReplicationStream::OnNotice(void* stream, const pg_result* notice) {
  auto* self = static_cast<ReplicationStream*>(stream);
  const absl::string_view message = Field(notice, PG_DIAG_MESSAGE_PRIMARY);
  const absl::string_view sqlstate = Field(notice, PG_DIAG_SQLSTATE);
  const bool warning = Field(notice, PG_DIAG_SEVERITY_NONLOCALIZED) == "WARNING";
  const bool names_publication = absl::StrContains(message, self->publication_) ||
                                 Field(notice, PG_DIAG_SOURCE_FUNCTION) == "LoadPublications";
  if (warning && (sqlstate == "55000" || sqlstate == "42704") &&
      (names_publication || absl::StrContains(message, "publication"))) {
    self->notice_error_ =
        postgres::StatusFromSqlState("42704", absl::StrCat("publication: ", message));
    return;
  }
  const log::Fields fields = {{"message", message}, {"sqlstate", sqlstate}};
  if (warning) {
    log::Warn("PostgreSQL notice on the stream", fields);
  } else {
    log::Debug("PostgreSQL notice on the stream", fields);
  }
}

absl::StatusOr<WalFrame> ReplicationStream::Next() {
  ReleaseFrame();
  pg_conn* const connection = connection_->raw();
  int size = PQgetCopyData(connection, &frame_, /*async=*/1);
  if (size == 0) {
    if (PQconsumeInput(connection) == 0) return EndOfStream();
    size = PQgetCopyData(connection, &frame_, /*async=*/1);
  }
  RETURN_IF_ERROR(notice_error_);
  if (size == 0) {
    RETURN_IF_ERROR(guard_.NotWhole(connection));
    return WalFrame{};
  }
  if (size < 0) return EndOfStream();
  RETURN_IF_ERROR(guard_.Came(size));
  window_.OnMessage(static_cast<size_t>(size));
  return DecodeFrame({frame_, static_cast<size_t>(size)});
}

// The server's last words, if any, say more than the broken socket.
absl::Status ReplicationStream::EndOfStream() {
  absl::Status status;
  while (pg_result* result = PQgetResult(connection_->raw())) {
    if (PQresultStatus(result) == PGRES_FATAL_ERROR && status.ok())
      status = postgres::StatusFromResult(result);
    const bool copying =
        PQresultStatus(result) == PGRES_COPY_IN || PQresultStatus(result) == PGRES_COPY_BOTH;
    PQclear(result);
    // The server has ended its half of the COPY and waits for ours: nobody asked it to.
    if (copying || PQstatus(connection_->raw()) == CONNECTION_BAD) break;
  }
  RETURN_IF_ERROR(notice_error_);
  RETURN_IF_ERROR(status);
  if (PQstatus(connection_->raw()) == CONNECTION_BAD)
    return postgres::StatusFromConnection(connection_->raw());
  return Error(absl::StatusCode::kAborted, "stream_ended",
               "the server ended the replication stream");
}

absl::Status ReplicationStream::SendStatus(Lsn received, Lsn flushed, bool reply_requested) {
  flushed_ = std::max(flushed_, flushed);
  const auto bytes = EncodeStatusUpdate({.received = std::max(received, flushed_),
                                         .flushed = flushed_,
                                         .now = environment_.clock->Now(),
                                         .reply_requested = reply_requested});
  if (PQputCopyData(connection_->raw(), bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return postgres::StatusFromConnection(connection_->raw());
  }
  return Flush(kSendTimeout);
}

absl::Status ReplicationStream::Flush(absl::Duration timeout) {
  pg_conn* const connection = connection_->raw();
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  int unsent = PQflush(connection);
  while (unsent > 0) {
    const absl::Duration remaining =
        std::min(deadline - environment_.clock->Monotonic(), kLongestWait);
    if (remaining <= absl::ZeroDuration()) {
      return Error(
          absl::StatusCode::kUnavailable, "status_not_taken",
          absl::StrCat("the server accepted no status update for ", absl::FormatDuration(timeout)));
    }
    environment_.poller->WaitWritable(PQsocket(connection), remaining);
    // A server that waits for us to read does not read itself.
    if (PQconsumeInput(connection) == 0) return EndOfStream();
    unsent = PQflush(connection);
  }
  return unsent == 0 ? absl::OkStatus() : postgres::StatusFromConnection(connection);
}

bool ReplicationStream::Ended() {
  pollfd socket = {.fd = ready_fd(), .events = POLLRDHUP, .revents = 0};
  return poll(&socket, 1, 0) > 0 && (socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

int ReplicationStream::ready_fd() const { return PQsocket(connection_->raw()); }

void ReplicationStream::Stop(absl::Duration timeout) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  pg_conn* const connection = connection_->raw();
  ReleaseFrame();
  if (PQputCopyEnd(connection, nullptr) != 1 || !Flush(timeout).ok()) return;
  // Inside a large transaction the server sends it to its end first; the closing of the socket ends
  // that too.
  while (environment_.clock->Monotonic() < deadline) {
    const int size = PQgetCopyData(connection, &frame_, /*async=*/1);
    ReleaseFrame();
    if (size < 0) break;
    if (size > 0) continue;
    environment_.poller->WaitReadable(
        {PQsocket(connection)}, std::min(deadline - environment_.clock->Monotonic(), kLongestWait));
    if (PQconsumeInput(connection) == 0) return;
  }
  while (environment_.clock->Monotonic() < deadline) {
    if (PQisBusy(connection) == 0) {
      pg_result* const result = PQgetResult(connection);
      if (result == nullptr) return;
      PQclear(result);
      continue;
    }
    environment_.poller->WaitReadable(
        {PQsocket(connection)}, std::min(deadline - environment_.clock->Monotonic(), kLongestWait));
    if (PQconsumeInput(connection) == 0) return;
  }
}

void ReplicationStream::ReleaseFrame() { PQfreemem(std::exchange(frame_, nullptr)); }

}  // namespace walduct::replication
