// The contract of sinks (tests/sink/contract.h) against a real Redis, whose address is in
// WALDUCT_TEST_REDIS. A program of its own that the end-to-end tests run:
// tests/e2e/test_redis.py.
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kafka/options.h"
#include "redis/client.h"
#include "redis/properties.h"
#include "sink/redis/redis_sink_type.h"
#include "tests/sink/contract.h"

namespace walduct::sink {
namespace {

// Nothing else is written so.
constexpr absl::string_view kNull = "<null>";

class RedisTarget final : public SinkTarget {
 public:
  explicit RedisTarget(bool ids_of_position) {
    const char* address = std::getenv("WALDUCT_TEST_REDIS");
    CHECK(address != nullptr);
    static int number = 0;
    prefix_ = absl::StrCat("contract-", getpid(), "-", absl::ToUnixMicros(Clock::Real().Now()), "-",
                           ++number, "-");
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"sink", "redis"},
             {"sink.redis.address", address},
             {"sink.redis.message.format", "extended"},
             {"sink.redis.null.key", std::string(kNull)},
             {"sink.redis.null.value", std::string(kNull)},
             {"sink.redis.batch.size", "100"},
             {"walduct.sink.redis.ids", ids_of_position ? "position" : "auto"}})
      properties_.Put({.name = name, .written_as = name, .raw = value, .value = value});
  }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    const kafka::KafkaOptions kafka;
    auto sink = kRedisSink.build(properties_, buffer_bytes)
                    ->Open({.kafka = kafka, .environment = environment()});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::string Topic(const std::string& name) override { return prefix_ + name; }
  std::vector<test::KeptRecord> Read(const std::string& topic) override;

 private:
  static const config::PropertyTable& Table() {
    static const auto* const table = new config::PropertyTable(
        {{"", kRedisSink.rows()}, {"", absl::Span<const config::PropertyDefinition>(kSink)}});
    return *table;
  }
  static constexpr config::PropertyDefinition kSink[] = {{.name = "sink"}};

  std::string prefix_;
  config::PropertySet properties_{Table()};
};

// XRANGE: an array of entries, each an array of its id and an array of fields and values.
std::vector<test::KeptRecord> RedisTarget::Read(const std::string& topic) {
  using redis::Reply;
  auto client = redis::Client::Create(redis::BuildRedis(properties_, "sink.redis.", "sink.redis."),
                                      environment());
  CHECK(client.ok());
  const auto answer = (*client)->Call({"XRANGE", topic, "-", "+"}, absl::Seconds(30));
  CHECK(answer.ok());
  const Reply& reply = **answer;
  const auto& values = reply.values();
  std::vector<test::KeptRecord> read;
  for (size_t at = 1; at < values.size();) {
    const size_t fields = values[at + 2].size;
    const auto text = [&](size_t place) -> std::optional<std::string> {
      const absl::string_view found = reply.Text(values[at + 3 + place]);
      return found == kNull ? std::nullopt : std::make_optional(std::string(found));
    };
    test::KeptRecord record;
    record.topic = topic;
    record.key = text(1);
    record.value = text(3);
    for (size_t place = 4; place < fields; place += 2)
      record.headers.emplace_back(absl::AsciiStrToLower(*text(place)), text(place + 1));
    read.push_back(std::move(record));
    at += 3 + fields;
  }
  return read;
}

template <bool kIdsOfPosition>
std::unique_ptr<SinkTarget> Make() {
  return std::make_unique<RedisTarget>(kIdsOfPosition);
}

INSTANTIATE_TEST_SUITE_P(Server, SinkContract,
                         testing::Values(ContractParameter{"Redis", Make<false>},
                                         ContractParameter{"RedisByPosition", Make<true>}),
                         NameOf);

// With ids of the position what is written twice is there once, and both are acknowledged.
class RedisRepeatsTest : public SinkContract {
 protected:
  static event::Record Change(absl::string_view topic, uint64_t commit, uint64_t number) {
    event::Record record = Of(topic, "k", "v");
    record.id = {.lsn = commit, .number = number, .of = event::RecordId::Of::kChange};
    return record;
  }
};

TEST_P(RedisRepeatsTest, AreSettledAndNotWritten) {
  const std::string topic = target_->Topic("repeats");
  for (int run = 0; run < 2; ++run) {
    const auto sink = target_->Open(kRoomy);
    event::Record row = Of(topic, "k", "row");
    row.id = {.lsn = 10, .of = event::RecordId::Of::kRow};
    if (run == 0) Write(*sink, row, 1);
    for (uint64_t commit = 100; commit < 103; ++commit) {
      for (uint64_t number = 1; number <= 100; ++number)
        Write(*sink, Change(topic, commit, number), 1);
    }
    Flush(*sink);
    event::Record beside = Of(topic, "k", "beside");
    beside.id = {.lsn = 5};
    Write(*sink, beside, 2);
    Write(*sink, Change(topic, 103 + static_cast<uint64_t>(run), 1), 2);
    Flush(*sink);
  }
  EXPECT_EQ(acks_.records, 2u * 300 + 1 + 2 * 2);
  EXPECT_EQ(target_->Read(topic).size(), 300u + 1 + 2 * 2);
}

TEST_P(RedisRepeatsTest, WhatIsNotThereIsNoRepeat) {
  const std::string topic = target_->Topic("foreign");
  const auto sink = target_->Open(kRoomy);
  Write(*sink, Change(topic, 1000, 7), 1);
  Flush(*sink);
  const auto other = target_->Open(kRoomy);
  Write(*other, Change(topic, 1000, 6), 1);
  const absl::Status flushed = other->Flush(acks_, kPatience);
  EXPECT_EQ(ErrorReason(flushed), "redis_id_behind") << flushed;
  EXPECT_EQ(acks_.records, 1u);
}

INSTANTIATE_TEST_SUITE_P(Server, RedisRepeatsTest,
                         testing::Values(ContractParameter{"RedisByPosition", Make<true>}), NameOf);

}  // namespace
}  // namespace walduct::sink
