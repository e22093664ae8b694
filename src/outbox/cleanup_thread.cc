#include "outbox/cleanup_thread.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "outbox/options.h"
#include "postgres/connection_options.h"

namespace walduct::outbox {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(5);
// Between rounds further apart than this no session is kept.
constexpr absl::Duration kKeepSession = absl::Seconds(10);
constexpr absl::Duration kBetweenLines = absl::Minutes(1);
constexpr absl::Duration kRepeatFailure = absl::Minutes(10);

}  // namespace

CleanupThread::CleanupThread(Options options)
    : options_(std::move(options)), thread_(mutex_, [this] { Run(); }) {}

void CleanupThread::Run() {
  log::SetConnector(options_.connector);
  do {
    const absl::Status status = Round();
    if (!status.ok() || options_.outbox->interval > kKeepSession) connection_.reset();
  } while (thread_.Pause(options_.outbox->interval));
}

absl::Status CleanupThread::Round() {
  Removed removed;
  const absl::Status status = [&] {
    RETURN_IF_ERROR(Open());
    Promote();
    if (!taken_) {
      ASSIGN_OR_RETURN(taken_, TakeFence(*connection_));
      Promote();
    }
    if (!acknowledged_fence_) return absl::OkStatus();
    Cleaner cleaner({.connection = connection_.get(),
                     .tables = {.outbox = options_.outbox,
                                .captured = options_.captured,
                                .publication = options_.publication,
                                .memory = options_.memory},
                     .stopping = [this] { return stopping(); }});
    RETURN_IF_ERROR(cleaner.Prepare());
    return cleaner.Clean(*acknowledged_fence_, &removed);
  }();
  if (!stopping()) Count(removed, status);
  return status;
}

absl::Status CleanupThread::Open() {
  if (connection_ != nullptr) return absl::OkStatus();
  postgres::ConnectionOptions options = {
      .database = *options_.database,
      .application_name = absl::StrCat("walduct ", options_.connector, " outbox"),
      .stopping = [this] { return stopping(); },
      .environment = options_.environment};
  options.database.connect_timeout = std::min(options.database.connect_timeout, kConnectTimeout);
  ASSIGN_OR_RETURN(auto connection, postgres::Connection::Open(std::move(options)));
  ASSIGN_OR_RETURN(const ServerMark now, MarkServer(*connection));
  if (now.started != options_.server_started) {
    return Error(absl::StatusCode::kUnavailable, "outbox_server_changed",
                 "the server was restarted or replaced",
                 "housekeeping resumes together with the stream");
  }
  connection_ = std::move(connection);
  return absl::OkStatus();
}

void CleanupThread::Promote() {
  if (taken_ && acknowledged_.load(std::memory_order_relaxed) >= taken_->wal_end.value())
    acknowledged_fence_ = std::exchange(taken_, std::nullopt);
}

void CleanupThread::Count(const Removed& removed, const absl::Status& status) {
  options_.metrics->outbox_rows_deleted.Add(removed.rows);
  options_.metrics->outbox_partitions_dropped.Add(removed.partitions);
  const std::string error(status.message());
  const absl::Duration now = options_.environment.clock->Monotonic();
  if (!status.ok()) {
    options_.metrics->outbox_cleanup_errors.Add();
    options_.metrics->beside.Failed(metrics::Beside::kOutboxCleanup,
                                    options_.environment.clock->Now(), error, ErrorHint(status));
    if (error != last_error_ || !failed_at_ || now - *failed_at_ >= kRepeatFailure) {
      failed_at_ = now;
      log::Warn("outbox housekeeping failed; retrying",
                {{"error", error}, {"reason", ErrorReason(status)}, {"hint", ErrorHint(status)}});
    }
  } else {
    options_.metrics->beside.Works(metrics::Beside::kOutboxCleanup);
    if (!last_error_.empty()) log::Info("outbox housekeeping works again");
  }
  last_error_ = error;
  unsaid_rows_ += removed.rows;
  if (unsaid_rows_ == 0 || (said_ && now - *said_ < kBetweenLines)) return;
  log::Info("outbox rows deleted", {{"rows", std::exchange(unsaid_rows_, 0)}});
  said_ = now;
}

}  // namespace walduct::outbox
