#include "incremental/channels/kafka_channel.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "incremental/channels/signal_text.h"

namespace walduct::incremental {
namespace {

constexpr absl::Duration kOpenAgain = absl::Seconds(1);

}  // namespace

absl::StatusOr<SignalChannel::Signals> KafkaChannel::Poll() {
  Signals signals;
  if (reader_ == nullptr) {
    if (options_.clock->Monotonic() < open_at_) return signals;
    ASSIGN_OR_RETURN(reader_, kafka::CommittedReader::Open(options_.reader()));
  }
  const absl::Status polled =
      reader_->Poll(options_.poll_timeout, [&](const kafka::TopicRecord& record, int64_t offset) {
        TakeRecord(record, offset, &signals);
      });
  Done(0);
  if (polled.ok() || !signals.empty()) return signals;
  // librdkafka comes back to a broker that was away, not to a partition that it could not begin to
  // read. And a new client knows a password that was changed.
  if (handed_out_.empty() && ErrorReason(polled) != "broker_unavailable") {
    reader_.reset();
    open_at_ = options_.clock->Monotonic() + kOpenAgain;
  }
  return polled;
}

void KafkaChannel::TakeRecord(const kafka::TopicRecord& record, int64_t offset, Signals* signals) {
  next_ = offset + 1;
  if (!record.key || *record.key != options_.key) {
    log::Info("signal passed over: its key is not this connector's topic.prefix",
              {{"key", std::string(record.key.value_or(""))}});
    return;
  }
  if (!record.value || record.value->empty()) return;
  signals->push_back(
      ParseSignalText(*record.value, absl::StrCat("record ", offset, " of the signal topic")));
  handed_out_.push_back(offset);
}

void KafkaChannel::Done(size_t signals) {
  handed_out_.erase(handed_out_.begin(), handed_out_.begin() + static_cast<ptrdiff_t>(signals));
  const int64_t behind = handed_out_.empty() ? next_ : handed_out_.front();
  if (reader_ != nullptr && behind >= 0) reader_->Done(behind);
}

}  // namespace walduct::incremental
