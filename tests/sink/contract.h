// What every sink is tested for (contract_test.cc), whatever it writes to: the promises of
// sink/sink.h, seen through the interface and by reading back what arrived. A new sink brings a
// SinkTarget and one INSTANTIATE_TEST_SUITE_P beside the others.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sink/sink.h"
#include "tests/support/fake_sink.h"

namespace walduct::sink {

// Where a sink writes to, for one test.
class SinkTarget {
 public:
  virtual ~SinkTarget() = default;
  // A sink on this target with room for about so many bytes. What an earlier one wrote stays.
  virtual std::unique_ptr<Sink> Open(size_t buffer_bytes) = 0;
  // What has arrived in a topic, in the order in which a reader meets the records of each key.
  virtual std::vector<test::KeptRecord> Read(const std::string& topic) = 0;
  // What Read shows of it where there is no room for all of it, as for keys; absent: nothing.
  virtual std::optional<test::KeptRecord> Seen(test::KeptRecord written) { return written; }
  // Whether records of several keys arrive in the order in which they were written.
  virtual bool ordered() const { return true; }
  // False: values are text.
  virtual bool takes_bytes() const { return true; }
  // The longest name of a header.
  virtual size_t longest_name() const { return 300; }
  // A topic of this test's own.
  virtual std::string Topic(const std::string& name) { return name; }
  // A value that the target refuses, of each record by itself, while it takes others
  // (RefusalContract).
  virtual std::string RefusedValue() { return ""; }
  // The sink's time: simulated for a fake.
  virtual Environment environment() { return Environment::Real(); }
};

struct ContractParameter {
  std::string name;
  std::function<std::unique_ptr<SinkTarget>()> make;
};
inline std::string NameOf(const testing::TestParamInfo<ContractParameter>& parameter) {
  return parameter.param.name;
}

class Acknowledged final : public AckHandler {
 public:
  void OnAcknowledged(Ticket ticket, uint32_t count) override {
    by_ticket[ticket] += count;
    records += count;
  }
  absl::Status OnRefused(const event::Record& record, Ticket ticket,
                         const absl::Status& why) override {
    refusals.push_back({test::KeptRecord(record), ticket, why});
    if (not_now-- > 0) return absl::ResourceExhaustedError("not now");
    if (letters_to != nullptr) {
      event::Record letter = record;
      letter.topic = letters;
      letter.value = "letter";
      return letters_to->WriteLetter(letter, ticket);
    }
    return breaks ? why : absl::OkStatus();
  }
  std::map<Ticket, uint32_t> by_ticket;
  uint32_t records = 0;
  struct Refusal {
    test::KeptRecord record;
    Ticket ticket;
    absl::Status why;
  };
  std::vector<Refusal> refusals;
  int not_now = 0;             // so many times it is too busy
  bool breaks = false;         // the sink is to break with it
  Sink* letters_to = nullptr;  // answered with a letter; null: taken charge of
  std::string letters;         // its topic
};

class SinkContract : public testing::TestWithParam<ContractParameter> {
 protected:
  static constexpr size_t kRoomy = 4u << 20;
  static constexpr absl::Duration kPatience = absl::Seconds(60);

  SinkContract() : target_(GetParam().make()) {}

  // Writes as the data thread does: while there is no room it takes acknowledgements and waits.
  absl::Status WriteWaiting(Sink& sink, const event::Record& record, Ticket ticket) {
    const Environment world = target_->environment();
    const absl::Duration deadline = world.clock->Monotonic() + kPatience;
    while (world.clock->Monotonic() < deadline) {
      const absl::Status written = sink.Write(record, ticket);
      if (!absl::IsResourceExhausted(written)) return written;
      world.poller->WaitReadable({sink.ready_fd()}, absl::Milliseconds(100));
      if (const absl::Status polled = sink.Poll(acks_); !polled.ok()) return polled;
    }
    return absl::DeadlineExceededError("there was never room");
  }
  void Write(Sink& sink, const event::Record& record, Ticket ticket) {
    const absl::Status written = WriteWaiting(sink, record, ticket);
    ASSERT_TRUE(written.ok()) << written;
  }
  void Flush(Sink& sink) {
    const absl::Status flushed = sink.Flush(acks_, kPatience);
    ASSERT_TRUE(flushed.ok()) << flushed;
  }
  void Expect(const event::Record& written, std::vector<test::KeptRecord>* expected) {
    test::KeptRecord kept(written);
    kept.partition.reset();
    if (auto seen = target_->Seen(std::move(kept))) expected->push_back(*std::move(seen));
  }
  static event::Record Of(absl::string_view topic, absl::string_view key, absl::string_view value) {
    return {.topic = topic, .partition = {}, .key = key, .value = value, .headers = {}};
  }

  std::unique_ptr<SinkTarget> target_;
  Acknowledged acks_;
};

// Of targets that refuse single records.
class RefusalContract : public SinkContract {};

}  // namespace walduct::sink
