#include "postgres/background_statement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/denied_object.h"
#include "postgres/errors/sqlstate.h"

namespace walduct::postgres {
namespace {

constexpr absl::Duration kRepeat = absl::Minutes(10);

}  // namespace

BackgroundStatement::BackgroundStatement(Options options)
    : options_(std::move(options)), thread_(mutex_, [this] { Loop(); }) {}

void BackgroundStatement::Request() {
  {
    const MutexLock lock(mutex_);
    requested_ = true;
  }
  thread_.Notify();
}

void BackgroundStatement::Loop() {
  log::SetConnector(options_.connector);
  while (AwaitRequest()) {
    const absl::Status status = RunOnce();
    if (!thread_.stopping()) Report(status);
  }
}

bool BackgroundStatement::AwaitRequest() {
  MutexLock lock(mutex_);
  const bool goes_on = thread_.Await(lock, [this] {
    mutex_.AssertHeld();
    return requested_;
  });
  requested_ = false;
  return goes_on;
}

absl::Status BackgroundStatement::RunOnce() {
  const auto stopping = [this] { return thread_.stopping(); };
  if (connection_ == nullptr) {
    ASSIGN_OR_RETURN(connection_, options_.open(stopping));
  }
  absl::Status status = connection_->Run(options_.sql, stopping);
  if (!status.ok() && !stopping()) status = NameDenied(*connection_, options_.sql, status);
  // Whatever went wrong: a new session has forgotten it.
  if (!status.ok()) connection_.reset();
  return OfStatement(status, options_.what);
}

void BackgroundStatement::Report(const absl::Status& status) {
  ++runs_;
  if (options_.told != nullptr) options_.told(status);
  if (!status.ok()) {
    ++failures_;
    const absl::Duration now = options_.clock->Monotonic();
    if (!failing_ || !said_at_ || now - *said_at_ >= kRepeat) {
      said_at_ = now;
      log::Warn(absl::StrCat(options_.what, " failed; continuing without it"),
                {{"error", std::string(status.message())}, {"hint", ErrorHint(status)}});
    }
  } else if (failing_) {
    log::Info(absl::StrCat(options_.what, " works again"));
  }
  failing_ = !status.ok();
}

}  // namespace walduct::postgres
