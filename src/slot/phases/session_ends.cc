// How a session ends that fails, and what its records say of what was read.
#include "base/log.h"
#include "slot/phases/session.h"

namespace walduct::slot {
namespace {

// A stream that had nothing to do for so long went well.
constexpr absl::Duration kStoodWell = absl::Seconds(30);
constexpr absl::Duration kCloseTimeout = absl::Milliseconds(500);
constexpr absl::Duration kAbortTimeout = absl::Milliseconds(500);

}  // namespace

// What is left of it would hold up readers of committed records until the next start, or its time.
void Session::GiveUpTransaction() {
  sink::SinkTransactions* const transactions = prepared_.sink->transactions();
  if (transactions == nullptr || !duties_ || duties_->tracker().idle()) return;
  const absl::Status given_up = transactions->Abort(kAbortTimeout);
  if (!given_up.ok()) log::Debug("not aborted", {{"error", std::string(given_up.message())}});
}

// must_close: the server waits for the end of the stream.
absl::Status Session::OnBrokenStream(OpenedStream opened, bool must_close,
                                     const absl::Status& error) {
  duties_->outbox().Stop();
  if (must_close) {
    duties_->housekeeping().DetachStream();
    opened.stream->Stop(kCloseTimeout);
    opened.stream.reset();
  }
  const absl::Status explained = must_close ? error : prepared_.source->ExplainEnd(error);
  Salvage(error);
  duties_->housekeeping().DetachStream();
  return explained;
}

void Session::JudgeProgress(const std::optional<event::Position>& before,
                            absl::Duration opened_at) {
  const offset::AckTracker& tracker = duties_->tracker();
  const bool moved = stored() && (!before || *before < *stored());
  const bool stood = parts_.world->clock().Monotonic() - opened_at >= kStoodWell &&
                     tracker.idle() && duties_->checkpointer().Covers(tracker.safe());
  if (moved || stood) progressed_ = true;
}

std::function<void()> Session::MarksWhatIsRead() {
  if (read_record_ == nullptr) return nullptr;
  return [this] { duties_->tracker().SetMark(kOfSnapshot | read_record_->mark()); };
}

}  // namespace walduct::slot
