#include "kafka/transactions/transaction_calls.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "kafka/error.h"
#include "kafka/send_permit.h"

namespace walduct::kafka {
namespace {

// A call is resumed after so long, so that it can be given up.
constexpr absl::Duration kStep = absl::Milliseconds(500);
constexpr absl::Duration kInitStep = absl::Milliseconds(100);  // well within SendPermit::kLease

bool IsFenced(int code) {
  return code == RD_KAFKA_RESP_ERR__FENCED || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
         code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
}

absl::Status Fenced() {
  return Error(absl::StatusCode::kFailedPrecondition, "fenced",
               "another instance of this connector has taken over: Kafka takes no more records "
               "from this one",
               "run one instance of a connector at a time; connectors of one Kafka cluster need "
               "names of their own");
}

}  // namespace

absl::Status FencedStatus(const Client& client) {
  char text[256];
  const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(client.handle(), text, sizeof(text));
  return IsFenced(cause) ? Fenced() : absl::OkStatus();
}

TransactionCalls::~TransactionCalls() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

absl::Status TransactionCalls::ToStatus(rd_kafka_error_s* error, absl::string_view what) const {
  if (error == nullptr) return absl::OkStatus();
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  const std::string text = rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  if (absl::Status fenced = FencedStatus(client_); !fenced.ok()) return fenced;
  if (IsFenced(code)) return Fenced();
  return KafkaError(code, absl::StrCat(what, ", Kafka at ", client_.bootstrap_servers()), text);
}

// What is asked again after half a second, while the transaction of a killed process is ended, is
// sent by threads that need a permit: nobody but this one renews it meanwhile.
absl::Status TransactionCalls::Initialize(Clock& clock, absl::Duration timeout,
                                          const std::function<bool()>& goes_on) {
  const absl::Duration deadline = clock.Monotonic() + timeout;
  while (true) {
    const absl::Duration left = deadline - clock.Monotonic();
    const int ms = std::max(1, ToMilliseconds(std::min(kInitStep, left)));
    rd_kafka_error_t* const error = rd_kafka_init_transactions(client_.handle(), ms);
    const bool resumes = error != nullptr && rd_kafka_error_is_retriable(error) != 0 &&
                         clock.Monotonic() < deadline && goes_on();
    if (!resumes) return ToStatus(error, "taking transactions over");
    rd_kafka_error_destroy(error);
  }
}

absl::Status TransactionCalls::Begin() {
  return ToStatus(rd_kafka_begin_transaction(client_.handle()), "beginning a transaction");
}

// For a call in the wrong state librdkafka reports what failed before, or only the wrong state.
absl::Status TransactionCalls::Failure() {
  rd_kafka_error_t* error = rd_kafka_begin_transaction(client_.handle());
  const bool known = rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__STATE;
  if (known) return ToStatus(error, "writing in a transaction");
  rd_kafka_error_destroy(error);
  return absl::OkStatus();
}

absl::Duration TransactionCalls::timeout() const {
  char text[32] = "";
  size_t size = sizeof(text);
  int64_t ms = 0;
  CHECK(rd_kafka_conf_get(rd_kafka_conf(client_.handle()), "transaction.timeout.ms", text, &size) ==
            RD_KAFKA_CONF_OK &&
        absl::SimpleAtoi(text, &ms));
  return absl::Milliseconds(ms);
}

void TransactionCalls::Start(End end) {
  CHECK(!busy());
  done_ = false;
  thread_ = std::thread([this, end] {
    answer_ = Run(end);
    done_ = true;
    wakeup_.Signal();
  });
}

absl::Status TransactionCalls::Run(End end) const {
  const bool commit = end == End::kCommit;
  const int step_ms = ToMilliseconds(kStep);
  while (true) {
    rd_kafka_error_t* error = commit ? rd_kafka_commit_transaction(client_.handle(), step_ms)
                                     : rd_kafka_abort_transaction(client_.handle(), step_ms);
    const bool again = error != nullptr && rd_kafka_error_is_retriable(error) != 0 && !stopping_;
    if (!again) return ToStatus(error, commit ? "committing a transaction" : "aborting one");
    rd_kafka_error_destroy(error);
  }
}

std::optional<absl::Status> TransactionCalls::Poll() {
  CHECK(busy());
  if (!done_) return std::nullopt;
  thread_.join();
  return answer_;
}

}  // namespace walduct::kafka
