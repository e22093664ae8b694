// TransactionCalls: librdkafka's calls around transactions. Those that end one block until brokers
// have answered, and want the producer's events to be taken meanwhile, so they run on a thread of
// their own while the caller goes on polling.
//
// Not thread-safe: the producer's caller. Errors: FailedPrecondition fenced when another producer
// has begun with the same transactional.id, or the broker gave the transaction up; Unavailable, or
// as KafkaError.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/wake.h"
#include "kafka/client.h"

struct rd_kafka_error_s;

namespace walduct::kafka {

class TransactionCalls {
 public:
  // All borrowed. wakeup becomes readable when a call has ended.
  TransactionCalls(Client* client, Wake* wakeup) : client_(*client), wakeup_(*wakeup) {}
  // Gives up what is under way; waits up to kStep.
  ~TransactionCalls();
  TransactionCalls(const TransactionCalls&) = delete;
  TransactionCalls& operator=(const TransactionCalls&) = delete;

  // Shuts every earlier producer of this transactional.id out, and ends what it had open. Waits up
  // to the timeout. goes_on: asked several times while the lease of a SendPermit lasts; false ends
  // the wait.
  absl::Status Initialize(Clock& clock, absl::Duration timeout,
                          const std::function<bool()>& goes_on);
  // Asks no broker.
  absl::Status Begin();
  // Why the open transaction can only be given up; OK when nothing is known. Asks no broker.
  absl::Status Failure();
  // transaction.timeout.ms.
  absl::Duration timeout() const;

  enum class End { kCommit, kAbort };
  // One at a time.
  void Start(End end);
  // Absent: under way. Answers once.
  std::optional<absl::Status> Poll();
  bool busy() const { return thread_.joinable(); }

 private:
  absl::Status Run(End end) const;
  absl::Status ToStatus(rd_kafka_error_s* error, absl::string_view what) const;

  Client& client_;
  Wake& wakeup_;
  std::thread thread_;
  std::atomic<bool> done_{false}, stopping_{false};
  absl::Status answer_;  // written by thread_ before done_
};

// FailedPrecondition fenced, when that is why the producer behind the client is broken for good.
absl::Status FencedStatus(const Client& client);

}  // namespace walduct::kafka
