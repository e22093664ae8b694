// A database of a real server, and what reads it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/poller.h"
#include "names/table_filter.h"
#include "postgres/options.h"
#include "snapshot/options.h"
#include "snapshot/snapshot_reader.h"
#include "snapshot/transaction.h"
#include "tests/snapshot/recorder.h"
#include "tests/support/postgres_server.h"

namespace walduct::snapshot {

class FixedClock final : public Clock {
 public:
  absl::Time Now() override { return absl::UnixEpoch(); }
  absl::Duration Monotonic() override { return now; }
  absl::Duration now = absl::Seconds(1000);
};

class Listener final : public TableListener {
 public:
  absl::Status OnTableBegin(const std::vector<std::string>& names, size_t index) override {
    told.push_back("begin " + names[index]);
    return absl::OkStatus();
  }
  absl::Status OnTableEnd(const std::vector<std::string>& names, size_t index,
                          uint64_t rows) override {
    told.push_back(absl::StrCat("end ", names[index], " ", rows));
    return absl::OkStatus();
  }
  absl::Status OnPartBegin(const std::vector<std::string>&, const PartPlace& place) override {
    told.push_back(absl::StrCat("part ", place.part, " of ", place.parts));
    if (on_part_begin) on_part_begin(place);
    return absl::OkStatus();
  }
  absl::Status OnPartEnd(const std::vector<std::string>&, const PartPlace& place) override {
    told.push_back(absl::StrCat("part ", place.part, " read"));
    if (on_part_end) on_part_end();
    return absl::OkStatus();
  }
  std::vector<std::string> told;
  std::function<void(const PartPlace&)> on_part_begin;
  std::function<void()> on_part_end;
  std::function<void(int)> on_wait;  // how often it has waited, up to 10 ms each
};

class SnapshotReaderTest : public ::testing::Test {
 protected:
  SnapshotReaderTest()
      : database_(walduct::test_servers::PostgresServer::Shared().CreateDatabase()),
        writer_(walduct::test_servers::MustOpen(database_)),
        connection_(walduct::test_servers::MustOpen(database_)) {}

  // Sessions of ours look into pg_catalog only.
  void Execute(absl::string_view sql) {
    walduct::test_servers::MustQuery(*writer_, absl::StrCat("SET search_path = public; ", sql));
  }

  void Begin(const std::string& snapshot_name = "") {
    auto origin = BeginOnSnapshot(*connection_, {snapshot_name, absl::Milliseconds(100)});
    ASSERT_TRUE(origin.ok()) << origin.status();
    origin_ = *origin;
    origin_.consistent_point = Lsn(4711);
  }

  absl::StatusOr<std::vector<PlannedTable>> Plan() {
    postgres::Catalog catalog(*connection_);
    auto captured = catalog.CapturedTables(names::TableFilter(filter_));
    if (!captured.ok()) return captured.status();
    return PlanSnapshot(*connection_, catalog, SelectTables(*captured, options_, filter_),
                        options_);
  }

  postgres::TableName Table(const std::string& name) {
    const std::string oid = walduct::test_servers::MustQuery(
        *writer_, absl::StrCat("SELECT 'public.", name, "'::regclass::oid"));
    return {
        .relation = Oid{static_cast<uint32_t>(std::stoul(oid))}, .schema = "public", .table = name};
  }

  absl::Status Read() {
    auto plan = Plan();
    if (!plan.ok()) return plan.status();
    SnapshotReader reader(*connection_, clock_, metrics_, {*std::move(plan), origin_});
    return ReadToEnd(reader);
  }

  // put_off: counts how often a locked table was.
  absl::Status ReadToEnd(SnapshotReader& reader, int* put_off = nullptr) {
    int waits = 0;
    while (true) {
      const auto progress = reader.Step(recorder_, 7);
      if (!progress.ok()) return progress.status();
      if (*progress == SnapshotReader::Progress::kDone) return absl::OkStatus();
      if (put_off != nullptr && *progress == SnapshotReader::Progress::kPutOff) ++*put_off;
      if (*progress != SnapshotReader::Progress::kWouldBlock) continue;
      Poller::Real().WaitReadable({reader.ready_fd()}, absl::Milliseconds(10));
      if (listener_.on_wait) listener_.on_wait(++waits);
    }
  }

  // With that many sessions, all on the view of the first one.
  absl::Status ReadInParts(size_t sessions, bool whole_tables = false) {
    auto plan = Plan();
    if (!plan.ok()) return plan.status();
    const auto view = ExportView(*connection_);
    if (!view.ok()) return view.status();
    SnapshotRequest request = {.tables = *std::move(plan),
                               .origin = origin_,
                               .split = {.sessions = sessions, .whole_tables = whole_tables},
                               .lock_timeout = absl::Milliseconds(100)};
    while (workers_.size() + 1 < sessions) {
      workers_.push_back(walduct::test_servers::MustOpen(database_));
      const TransactionOptions joining = {*view, absl::Milliseconds(100)};
      if (absl::Status joined = JoinView(*workers_.back(), joining); !joined.ok()) return joined;
    }
    for (const auto& worker : workers_) request.workers.push_back(worker.get());
    SnapshotReader reader(*connection_, clock_, metrics_, std::move(request));
    reader.SetListener(&listener_);
    return ReadToEnd(reader);
  }

  std::vector<std::string> TablesRead() const {
    std::vector<std::string> tables;
    for (const Recorded& change : recorder_.changes) tables.push_back(change.table);
    return tables;
  }

  std::string StateOfReader() {
    return walduct::test_servers::MustQuery(
        *writer_, absl::StrCat("SELECT state FROM pg_stat_activity WHERE pid = ", pid_));
  }

  const postgres::DatabaseOptions database_;
  const std::unique_ptr<postgres::Connection> writer_;
  const std::unique_ptr<postgres::Connection> connection_;
  const std::string pid_ =
      walduct::test_servers::MustQuery(*connection_, "SELECT pg_backend_pid()");
  SnapshotOptions options_;
  names::TableFilterOptions filter_;
  FixedClock clock_;
  metrics::ConnectorMetrics metrics_;
  Recorder recorder_;
  SnapshotOrigin origin_;
  Listener listener_;
  std::vector<std::unique_ptr<postgres::Connection>> workers_;
};

}  // namespace walduct::snapshot
