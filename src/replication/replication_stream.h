// ReplicationStream: START_REPLICATION on a slot over libpq; the real WalSource.
//
// Thread-safety: none; the data thread. Memory: one message plus libpq's socket buffer. Errors of
// Start: slot_in_use (Aborted), slot_lost, slot_missing, publication_missing (FailedPrecondition),
// and what Connection gives. A publication that a PostgreSQL 18 server only warns about is
// publication_missing in Next.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"
#include "postgres/guards/row_guard.h"
#include "replication/wal_source.h"

namespace walduct::replication {

struct ReplicationOptions;

class ReplicationStream final : public WalSource {
 public:
  // Takes the connection over. start: first commit wanted ends after it. proto_version 1,
  // `messages` from PostgreSQL 14 on.
  static absl::StatusOr<std::unique_ptr<ReplicationStream>> Start(
      std::unique_ptr<postgres::Connection> connection, const ReplicationOptions& options,
      Lsn start);
  ~ReplicationStream() override;

  absl::StatusOr<WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override;
  bool Ended() override;
  ReceivePath path() const override { return window_.path(); }
  int ready_fd() const override;

  // Ends the COPY and hands the connection's slot back, waiting at most timeout.
  void Stop(absl::Duration timeout) override;

 private:
  ReplicationStream(std::unique_ptr<postgres::Connection> connection);
  static void OnNotice(void* stream, const pg_result* notice);
  absl::Status EndOfStream();
  absl::Status Flush(absl::Duration timeout);
  void ReleaseFrame();

  std::unique_ptr<postgres::Connection> connection_;
  const Environment environment_;
  postgres::RowGuard guard_;
  ReceiveWindow window_;
  std::string publication_;    // its name in the catalog
  Lsn flushed_;                // highest reported: never goes back
  absl::Status notice_error_;  // from a warning that must end the stream
  char* frame_ = nullptr;      // PQgetCopyData's buffer behind the last payload
};

}  // namespace walduct::replication
