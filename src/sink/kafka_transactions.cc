#include "sink/kafka_transactions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(10);
constexpr absl::Duration kStep = absl::Milliseconds(20);
// A transaction that lasted for so much of its time was given up by the broker, not taken over.
constexpr double kExpired = 0.9;
// librdkafka fails a transaction a moment before it reports the records it failed for.
constexpr absl::Duration kReportTimeout = absl::Seconds(2);

// A batch that was refused fails its transaction; so does a topic that cannot join it.
bool MayBeOfABatch(const absl::Status& cause) {
  const std::string reason = ErrorReason(cause);
  return absl::IsInvalidArgument(cause) || reason == "topic_missing" ||
         reason == "topic_authorization_failed";
}

}  // namespace

KafkaTransactions::KafkaTransactions(Parts parts, const Environment& environment)
    : producer_(*parts.producer),
      lone_(*parts.lone),
      write_(std::move(parts.write)),
      learn_(std::move(parts.learn)),
      environment_(environment),
      calls_(&producer_.client(), &producer_.wakeup()),
      timeout_(calls_.timeout()) {}

absl::Status KafkaTransactions::TakeOver() {
  RETURN_IF_ERROR(producer_.CheckConnected(kConnectTimeout));
  return calls_.Initialize(*environment_.clock, Sink::kPrepareTimeout,
                           [this] { return producer_.KeepPermit(); });
}

// A broker that gives a transaction up does so by shutting its producer out.
absl::Status KafkaTransactions::Explain(absl::Status status) {
  absl::Status cause = kafka::FencedStatus(producer_.client());
  if (cause.ok() && state_ != State::kIdle && !calls_.busy()) cause = calls_.Failure();
  if (cause.ok()) cause = std::move(status);
  const absl::Duration lasted =
      opened_at_ ? environment_.clock->Monotonic() - *opened_at_ : absl::ZeroDuration();
  if (ErrorReason(cause) != "fenced" || lasted < timeout_ * kExpired) return cause;
  return Error(absl::StatusCode::kUnavailable, "transaction_expired",
               absl::StrCat("Kafka gave the open transaction up after transaction.timeout.ms, ",
                            absl::FormatDuration(timeout_), "; it had lasted ",
                            absl::FormatDuration(absl::Trunc(lasted, absl::Milliseconds(1)))),
               "raise producer.override.transaction.timeout.ms if this happens again");
}

absl::Status KafkaTransactions::Break(absl::Status status) {
  if (!broken_.ok()) return broken_;
  const absl::Status cause = Explain(std::move(status));
  TakeReports(MayBeOfABatch(cause) ? kReportTimeout : absl::ZeroDuration());
  broken_ = learn_(cause);
  return broken_;
}

// Calls say of a refused batch only that there was one. Where no report comes in time, what was in
// flight is all that is known of it.
void KafkaTransactions::TakeReports(absl::Duration timeout) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  while (true) {
    static_cast<void>(producer_.Poll(*this));
    if (!producer_.failed_batch().topic.empty() || producer_.in_flight_records() == 0 ||
        environment_.clock->Monotonic() >= deadline)
      return;
    producer_.RenewPermit();  // a thread that may not send does not read the answer either
    environment_.poller->WaitReadable({producer_.ready_fd()}, kStep);
  }
}

absl::Status KafkaTransactions::Begin() {
  RETURN_IF_ERROR(broken_);
  CHECK(state_ == State::kIdle);
  if (absl::Status begun = calls_.Begin(); !begun.ok()) return Break(std::move(begun));
  state_ = State::kOpen;
  opened_at_.reset();
  return absl::OkStatus();
}

absl::Status KafkaTransactions::CheckOpen() const {
  RETURN_IF_ERROR(broken_);
  if (state_ == State::kOpen) return absl::OkStatus();
  return state_ == State::kIdle ? absl::FailedPreconditionError("no transaction is open")
                                : absl::ResourceExhaustedError("a commit is under way");
}

absl::Status KafkaTransactions::StartCommit(const event::Record& position) {
  RETURN_IF_ERROR(CheckOpen());
  CHECK(position.key && position.value);
  position_ = {std::string(position.topic), std::string(*position.key),
               std::string(*position.value)};
  state_ = State::kWritingPosition;
  return WritePosition();
}

// Waits for room, and for its topic to be found, like any record.
absl::Status KafkaTransactions::WritePosition() {
  const event::Record record = {.topic = position_.topic,
                                .partition = {},
                                .key = position_.key,
                                .value = position_.value,
                                .headers = {}};
  absl::Status written = write_(record, kPositionTicket);
  if (absl::IsResourceExhausted(written)) return absl::OkStatus();
  if (!written.ok()) return Break(std::move(written));
  OnWritten();
  state_ = State::kCommitting;
  calls_.Start(kafka::TransactionCalls::End::kCommit);
  return absl::OkStatus();
}

std::optional<absl::Status> KafkaTransactions::PollCommit() {
  if (!broken_.ok()) return broken_;
  if (absl::Status polled = producer_.Poll(*this); !polled.ok()) return Break(std::move(polled));
  if (state_ == State::kWritingPosition) {
    if (absl::Status written = WritePosition(); !written.ok()) return written;
  }
  if (state_ != State::kCommitting) return std::nullopt;
  std::optional<absl::Status> answer = calls_.Poll();
  if (!answer) return std::nullopt;
  if (!answer->ok()) return Break(*std::move(answer));
  // All reports are in the queue before the call answers.
  if (absl::Status polled = producer_.Poll(*this); !polled.ok()) return Break(std::move(polled));
  committed_.insert(committed_.end(), delivered_.begin(), delivered_.end());
  delivered_.clear();
  state_ = State::kIdle;
  if (!committed_.empty()) producer_.wakeup().Signal();  // for the next Poll
  return absl::OkStatus();
}

// Also after a failure: librdkafka aborts what has failed as long as it is not shut out.
absl::Status KafkaTransactions::Abort(absl::Duration timeout) {
  if (state_ == State::kIdle) return absl::OkStatus();
  if (calls_.busy()) return absl::UnavailableError("a commit is under way");
  calls_.Start(kafka::TransactionCalls::End::kAbort);
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  std::optional<absl::Status> answer = calls_.Poll();
  while (!answer && environment_.clock->Monotonic() < deadline) {
    // What is shut out cannot do harm: the caller need not be asked.
    producer_.RenewPermit();
    environment_.poller->WaitReadable({producer_.ready_fd()}, kStep);
    static_cast<void>(producer_.Poll(*this));
    answer = calls_.Poll();
  }
  if (!answer) {
    return Break(Error(absl::StatusCode::kUnavailable, "transaction_not_aborted",
                       "a transaction could not be aborted in time"));
  }
  if (!answer->ok()) return Break(*std::move(answer));
  if (absl::Status polled = producer_.Poll(*this); !polled.ok()) return Break(std::move(polled));
  delivered_.clear();
  state_ = State::kIdle;
  return broken_;
}

void KafkaTransactions::OnDelivered(uint64_t token, uint32_t count) {
  if (token == kPositionTicket) return;
  if (!delivered_.empty() && delivered_.back().first == token) {
    delivered_.back().second += count;
  } else {
    delivered_.emplace_back(token, count);
  }
}

absl::Status KafkaTransactions::Poll(AckHandler& acks) {
  RETURN_IF_ERROR(broken_);
  if (absl::Status polled = producer_.Poll(*this); !polled.ok()) return Break(std::move(polled));
  HandOver(acks);
  return absl::OkStatus();
}

absl::Status KafkaTransactions::Flush(AckHandler& acks, absl::Duration timeout) {
  RETURN_IF_ERROR(broken_);
  absl::Status flushed = producer_.Flush(*this, timeout);
  if (!flushed.ok() && !absl::IsDeadlineExceeded(flushed)) return Break(std::move(flushed));
  HandOver(acks);
  return flushed;
}

void KafkaTransactions::HandOver(AckHandler& acks) {
  for (const auto& [ticket, count] : std::exchange(committed_, {}))
    acks.OnAcknowledged(ticket, count);
}

}  // namespace walduct::sink
