// The contract of sinks (tests/sink/contract.h) against a real Kafka, whose address is in
// WALDUCT_TEST_KAFKA. A program of its own that the end-to-end tests run:
// tests/e2e/test_sinks.py.
#include <unistd.h>

#include <cstdlib>

#include "tests/sink/contract_transactions.h"
#include "tests/sink/kafka_sink_target.h"

namespace walduct::sink {
namespace {

template <bool kTransactional>
std::unique_ptr<SinkTarget> MakeBrokerTarget() {
  const char* bootstrap = std::getenv("WALDUCT_TEST_KAFKA");
  CHECK(bootstrap != nullptr);
  static int number = 0;
  const int64_t now = absl::ToUnixMicros(Clock::Real().Now());
  return std::make_unique<KafkaSinkTarget>(
      bootstrap, absl::StrCat("contract-", getpid(), "-", now, "-", ++number, "-"), kTransactional);
}

INSTANTIATE_TEST_SUITE_P(Broker, SinkContract,
                         testing::Values(ContractParameter{"Kafka", MakeBrokerTarget<false>}),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Broker, TransactionContract,
                         testing::Values(ContractParameter{"Kafka", MakeBrokerTarget<true>}),
                         NameOf);

}  // namespace
}  // namespace walduct::sink
