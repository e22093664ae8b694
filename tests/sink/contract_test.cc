// The contract of sinks: see contract.h. contract_targets_test.cc says for which sinks these run
// here; broker/ runs them against a real Kafka.
#include "tests/sink/contract.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::sink {
namespace {

using test::KeptRecord;
using testing::ElementsAre;
using testing::SizeIs;

// Where only those of one key have an order: key by key.
std::vector<KeptRecord> InOrder(std::vector<KeptRecord> records, const SinkTarget& target) {
  if (target.ordered()) return records;
  std::stable_sort(records.begin(), records.end(),
                   [](const KeptRecord& a, const KeptRecord& b) { return a.key < b.key; });
  return records;
}

TEST_P(SinkContract, EachRecordIsAcknowledgedOnceUnderItsTicket) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("acknowledged");
  ASSERT_TRUE(sink->PrepareTopics({topic}).ok());
  std::map<Ticket, uint32_t> written;
  for (int i = 0; i < 300; ++i) {
    const Ticket ticket = 7 + static_cast<Ticket>(i) / 100;
    Write(*sink, Of(topic, absl::StrCat("k", i % 5), "v"), ticket);
    ++written[ticket];
  }
  Flush(*sink);
  EXPECT_EQ(acks_.by_ticket, written);
  Flush(*sink);
  ASSERT_TRUE(sink->Poll(acks_).ok());
  EXPECT_EQ(acks_.by_ticket, written) << "none is acknowledged again";
}

TEST_P(SinkContract, WhatIsAcknowledgedHasArrivedWhole) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("whole");
  const event::Header headers[] = {{"a", "1"}, {"none", "", true}, {"a", "again"}};
  event::Record full = Of(topic, "k", "tab\t \"quotes\" \xC3\xA9");
  full.headers = headers;
  event::Record tombstone = Of(topic, "k", "");
  tombstone.value.reset();
  event::Record keyless = Of(topic, "", "keyless");
  keyless.key.reset();
  keyless.partition = 0;
  const std::string binary = target_->takes_bytes() ? std::string("\xff\x00\x80", 3) : "text";
  std::vector<KeptRecord> expected;
  for (const event::Record& record :
       {full, tombstone, keyless, Of(topic, "k", ""), Of(topic, "k", binary)}) {
    Write(*sink, record, 1);
    Expect(record, &expected);
  }
  Flush(*sink);
  EXPECT_EQ(acks_.records, 5u);
  EXPECT_EQ(InOrder(target_->Read(topic), *target_), InOrder(expected, *target_));
}

// Those that are the same as the record before's, and those that differ in one place.
TEST_P(SinkContract, HeadersAreEachRecordsOwn) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("headers");
  const std::string long_text(300, 'x'), long_name(target_->longest_name(), 'x');
  const std::vector<std::vector<event::Header>> lists = {{{"a", "1"}, {"b", "2"}},
                                                         {{"a", "1"}, {"b", ""}},
                                                         {{"a", "1"}, {"b", "", true}},
                                                         {{"a", "1"}},
                                                         {{"b", "2"}, {"a", "1"}},
                                                         {},
                                                         {{"a", "12"}, {"b", ""}},
                                                         {{"a1", "2"}, {"b", ""}},
                                                         {{"a", long_text}, {long_name, "b"}}};
  std::vector<KeptRecord> expected;
  for (const size_t list :
       std::vector<size_t>{0, 0, 0, 1, 1, 2, 1, 0, 3, 0, 4, 5, 5, 0, 6, 7, 8, 8, 0}) {
    // A key of this length stands before the headers; from 64 bytes on it takes two for its length.
    const std::string key(expected.size() * 13, 'k');
    event::Record record = Of(topic, key, long_text);
    record.headers = lists[list];
    Write(*sink, record, 1);
    Expect(record, &expected);
  }
  Flush(*sink);
  EXPECT_EQ(InOrder(target_->Read(topic), *target_), InOrder(expected, *target_));
}

TEST_P(SinkContract, RecordsOfAKeyKeepTheirOrder) {
  const auto sink = target_->Open(32u << 10);
  const std::string topic = target_->Topic("ordered");
  std::map<std::string, std::vector<std::string>> written, read;
  for (int i = 0; i < 500; ++i) {
    const std::string key = absl::StrCat("k", i % 7), value = absl::StrCat(i);
    Write(*sink, Of(topic, key, value), 1);
    const auto seen = target_->Seen(KeptRecord(Of(topic, key, value)));
    written[seen->key.value_or("")].push_back(value);
  }
  Flush(*sink);
  for (const KeptRecord& record : target_->Read(topic))
    read[record.key.value_or("")].push_back(*record.value);
  EXPECT_EQ(read, written);
}

TEST_P(SinkContract, WriteKeepsNothingOfItsArguments) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("copied");
  std::vector<KeptRecord> expected;
  {
    std::string borrowed_topic = topic, key = "key", value = "value", name = "name",
                header = "header";
    const event::Header headers[] = {{name, header}};
    event::Record record = Of(borrowed_topic, key, value);
    record.headers = headers;
    Write(*sink, record, 1);
    Expect(record, &expected);
    for (std::string* text : {&borrowed_topic, &key, &value, &name, &header})
      text->assign(text->size(), '#');
  }
  Flush(*sink);
  EXPECT_EQ(target_->Read(topic), expected);
}

TEST_P(SinkContract, AFullSinkTakesNothingUntilThereIsRoom) {
  const auto sink = target_->Open(64u << 10);
  EXPECT_TRUE(sink->HasCapacity());
  const std::string topic = target_->Topic("full"), value(2000, 'x');
  constexpr uint32_t kRecords = 400;  // far more than fit
  for (uint32_t i = 0; i < kRecords; ++i) Write(*sink, Of(topic, "k", value), 1);
  Flush(*sink);
  EXPECT_EQ(acks_.records, kRecords);
  EXPECT_TRUE(sink->HasCapacity());
  EXPECT_THAT(target_->Read(topic), SizeIs(kRecords)) << "none lost, none twice";
}

TEST_P(SinkContract, ARecordLargerThanTheBufferIsTakenAlone) {
  const auto sink = target_->Open(32u << 10);
  const std::string topic = target_->Topic("large"), large(200u << 10, 'x');
  Write(*sink, Of(topic, "k", "small"), 1);
  Write(*sink, Of(topic, "k", large), 2);
  Write(*sink, Of(topic, "k", "small"), 3);
  Flush(*sink);
  EXPECT_EQ(acks_.records, 3u);
  EXPECT_THAT(target_->Read(topic), SizeIs(3));
}

// The loop of the engine: wait for ready_fd(), then Poll.
TEST_P(SinkContract, AcknowledgementsComeWithoutAFlush) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("polled");
  Write(*sink, Of(topic, "k", "v"), 1);
  const Environment world = target_->environment();
  const absl::Duration deadline = world.clock->Monotonic() + kPatience;
  while (acks_.records == 0 && world.clock->Monotonic() < deadline) {
    if (sink->ready_fd() >= 0) world.poller->WaitReadable({sink->ready_fd()}, kPatience);
    ASSERT_TRUE(sink->Poll(acks_).ok());
  }
  EXPECT_EQ(acks_.records, 1u);
}

TEST_P(SinkContract, AnIdleSinkIsFlushedAtOnce) {
  const auto sink = target_->Open(kRoomy);
  EXPECT_TRUE(sink->Flush(acks_, absl::ZeroDuration()).ok());
  EXPECT_EQ(acks_.records, 0u);
}

TEST_P(SinkContract, ANewSinkGoesOnBehindTheOld) {
  const std::string topic = target_->Topic("continued");
  for (const char* value : {"first", "second"}) {
    const auto sink = target_->Open(kRoomy);
    Write(*sink, Of(topic, "k", value), 1);
    Flush(*sink);
  }
  std::vector<std::string> values;
  for (const KeptRecord& record : target_->Read(topic)) values.push_back(*record.value);
  EXPECT_THAT(values, ElementsAre("first", "second"));
}

}  // namespace
}  // namespace walduct::sink
