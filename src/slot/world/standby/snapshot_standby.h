// SnapshotStandby: the hot standby that the rows of an initial snapshot are read from
// (walduct.snapshot.standby.hostname), while slot and stream stay on the primary.
//
// Why rows and stream fit: the view is taken once the standby has replayed what the primary had
// written after the slot was made, so it shows all that the stream leaves out. What it shows beyond
// that is streamed again behind it, as for a snapshot that goes on (snapshot/README.md), which may
// go on here or there: blocks, files and transaction ids are the primary's. Which transactions a
// view of a standby shows can not be told by their ids; nobody asks here.
//
// A host name may lead to several servers, and a restarted standby may show less than before: what
// counts is asked on the sessions that read. Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "slot/world/standby/standby_verdict.h"

namespace walduct::slot {

class SnapshotStandby {
 public:
  struct Options {
    postgres::ConnectionOptions session;  // kSql, of the standby
    replication::SystemIdentity primary;
    bool primary_in_recovery = false;
    std::function<absl::StatusOr<Lsn>()> primary_lsn;  // the end of its WAL now
  };
  // Connects and judges; what it has to replay is what the primary has written until now.
  static absl::StatusOr<std::unique_ptr<SnapshotStandby>> Open(Options options);

  // The one of several hosts.
  const postgres::DatabaseOptions& database() const { return options_.session.database; }
  // What is missing until it may be read; absent: nothing.
  absl::StatusOr<std::optional<ReplayLag>> Lag();

  // The session that is going to read, before its view is taken: what it has replayed at least.
  //   Unavailable standby_behind, standby_changed
  absl::StatusOr<Lsn> CheckReader(postgres::Connection& reader);
  // After it: the view shows nothing beyond that.
  absl::StatusOr<Lsn> CheckView(postgres::Connection& reader);
  // Another session of the same server.
  absl::Status CheckWorker(postgres::Connection& worker);

 private:
  explicit SnapshotStandby(Options options) : options_(std::move(options)) {}
  absl::Status Connect();
  absl::StatusOr<StandbyFacts> Look(postgres::Connection& session);
  std::string where() const;

  Options options_;
  StandbyNeeds needs_;
  std::unique_ptr<postgres::Connection> look_;
  std::unique_ptr<postgres::Connection> walsender_;  // tells system and timeline
  std::string started_;                              // when its server was started
};

// Of a standby, beside the server that is streamed from: several hosts are tried until one is a
// standby. port: empty: the server's.
postgres::DatabaseOptions StandbyDatabase(const postgres::DatabaseOptions& server,
                                          const std::string& hostname, const std::string& port);

}  // namespace walduct::slot
