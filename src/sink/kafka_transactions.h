// KafkaTransactions: SinkTransactions of a KafkaSink. Kafka says of each record when its brokers
// have it; here that counts only once the transaction is committed, so the acknowledgements wait.
// Data thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "kafka/producer.h"
#include "kafka/transactions/transaction_calls.h"
#include "sink/lone_record.h"
#include "sink/sink.h"
#include "sink/transactions.h"

namespace walduct::sink {

class KafkaTransactions final : public SinkTransactions, public kafka::DeliveryHandler {
 public:
  // Of the position: no ticket.
  static constexpr Ticket kPositionTicket = (uint64_t{1} << 40) - 2;

  // Writes a record as the sink would, whatever is open.
  using Write = std::function<absl::Status(const event::Record&, Ticket)>;
  // What is learnt from an error of the producer; answers the one to break with.
  using Learn = std::function<absl::Status(const absl::Status&)>;
  // All borrowed.
  struct Parts {
    kafka::Producer* producer = nullptr;
    LoneRecord* lone = nullptr;
    Write write;
    Learn learn;
  };
  KafkaTransactions(Parts parts, const Environment& environment);

  absl::Status TakeOver() override;
  absl::Status Begin() override;
  absl::Status StartCommit(const event::Record& position) override;
  std::optional<absl::Status> PollCommit() override;
  bool undecided() const override { return lone_.sent(); }
  absl::Status Abort(absl::Duration timeout) override;
  absl::Duration timeout() const override { return timeout_; }

  // Whether a record may be written now.
  bool open() const { return state_ == State::kOpen; }
  absl::Status CheckOpen() const;
  void OnWritten() {
    if (!opened_at_) opened_at_ = environment_.clock->Monotonic();
  }
  void OnDelivered(uint64_t token, uint32_t count) override;
  // The sink cannot be used any more: why. See TakeReports.
  absl::Status Break(absl::Status status);
  // Takes what Kafka has said, and hands over what has been committed.
  absl::Status Poll(AckHandler& acks);
  absl::Status Flush(AckHandler& acks, absl::Duration timeout);

 private:
  enum class State { kIdle, kOpen, kWritingPosition, kCommitting };
  struct Position {
    std::string topic, key, value;
  };
  using Acknowledgements = std::vector<std::pair<Ticket, uint32_t>>;

  void OnAlone(const absl::Status& fate) override { lone_.OnFate(fate); }
  absl::Status WritePosition();
  absl::Status Explain(absl::Status status);
  void TakeReports(absl::Duration timeout);
  void HandOver(AckHandler& acks);

  kafka::Producer& producer_;
  LoneRecord& lone_;
  const Write write_;
  const Learn learn_;
  const Environment environment_;
  kafka::TransactionCalls calls_;
  const absl::Duration timeout_;
  State state_ = State::kIdle;
  std::optional<absl::Duration> opened_at_;  // when the open transaction got its first record
  Position position_;
  Acknowledgements delivered_;  // of the open transaction
  Acknowledgements committed_;  // to be handed over
  absl::Status broken_;
};

}  // namespace walduct::sink
