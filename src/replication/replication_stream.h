// ReplicationStream: START_REPLICATION on a slot over libpq; the real WalSource.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/lsn.h"
#include "config/options.h"
#include "postgres/connection.h"
#include "replication/wal_source.h"

namespace walduct::replication {

class ReplicationStream final : public WalSource {
 public:
  // Takes the connection over. start: first commit wanted ends after it. proto_version 1, `messages` from PostgreSQL 14 on.
  static absl::StatusOr<std::unique_ptr<ReplicationStream>> Start(std::unique_ptr<postgres::Connection> connection,
                                                                  const config::ReplicationOptions& options, Lsn start,
                                                                  Clock& clock);
  ~ReplicationStream() override;

  absl::StatusOr<WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override;
  int ready_fd() const override;

  // Ends the COPY and hands the connection's slot back, waiting at most timeout.
  void Stop(absl::Duration timeout);

 private:
  ReplicationStream(std::unique_ptr<postgres::Connection> connection, Clock& clock);
  void ReleaseFrame();

  std::unique_ptr<postgres::Connection> connection_;
  Clock& clock_;
  char* frame_ = nullptr;  // PQgetCopyData's buffer behind the last payload
};

}  // namespace walduct::replication
