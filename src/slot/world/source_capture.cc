// What looks after what is captured from beside the stream of a PostgresSource.
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/log.h"
#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/postgres_source.h"

namespace walduct::slot {

// What `tail` reads is its own, and what is handed over is narrower than the lists on purpose.
bool PostgresSource::LooksAfterCaptured() const {
  const bool own = options_.mode == engine::RunMode::kTail || replication_options_.share.hands_over;
  return !own && options_.capture != nullptr;
}

CaptureWatch::Options PostgresSource::CaptureOptions() const {
  CaptureWatch::Options watch =
      CaptureOptionsOf(*config().tables, *config().route, replication_options_, WatchInterval(),
                       Opener(" watch"), environment_);
  NameIn(config(), &watch.wish);
  watch.record = options_.capture;
  watch.metrics = options_.metrics;
  return watch;
}

// As the start has just found it: what changes from here on, and before the stream begins (a
// snapshot may take hours), is told by the first look. Advice: a server that went away is found
// by who needs it.
void PostgresSource::RememberCaptured() {
  if (!LooksAfterCaptured()) return;
  const absl::Status status = CaptureWatch(CaptureOptions()).Remember(*sql_);
  if (!status.ok())
    log::Debug("how tables are captured is not known", {{"error", std::string(status.message())}});
}

// From the stream's beginning on.
void PostgresSource::WatchCapture() {
  if (!LooksAfterCaptured()) return;
  CaptureWatch::Options watch = CaptureOptions();
  watch.captured = captured_now_;
  watch.held_back = coverage_.held_back();
  watch.wanted = WantedColumns();
  capture_watch_ = std::make_shared<CaptureWatch>(std::move(watch));
  watch_->LookWith(capture_watch_);
}

bool PostgresSource::AskForCaptured() {
  if (capture_watch_ == nullptr) return false;
  capture_watch_->Hurry();
  watch_->Hurry();
  return true;
}

}  // namespace walduct::slot
