// The contract of sinks whose target refuses single records: see contract.h.
#include <gmock/gmock.h>

#include "base/error.h"
#include "tests/sink/contract.h"

namespace walduct::sink {
namespace {

using test::KeptRecord;
using testing::ElementsAre;
using testing::SizeIs;

// By itself and whole, under its ticket, until somebody takes charge of it. What is behind it of
// its key comes afterwards.
TEST_P(RefusalContract, ARefusedRecordIsHandedBack) {
  const std::string refused = target_->RefusedValue();
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("refused");
  acks_.not_now = 2;
  const event::Header headers[] = {{"a", "1"}};
  event::Record bad = Of(topic, "k", refused);
  bad.headers = headers;
  Write(*sink, Of(topic, "k", "before"), 1);
  Write(*sink, bad, 2);
  Write(*sink, Of(topic, "k", "after"), 3);
  Write(*sink, Of(topic, "other", "v"), 4);
  Flush(*sink);
  ASSERT_THAT(acks_.refusals, SizeIs(3)) << "asked again twice";
  for (const Acknowledged::Refusal& refusal : acks_.refusals) {
    EXPECT_EQ(refusal.record, KeptRecord(bad));
    EXPECT_EQ(refusal.ticket, 2u);
    EXPECT_TRUE(absl::IsInvalidArgument(refusal.why)) << refusal.why;
    EXPECT_NE(ErrorReason(refusal.why), "") << refusal.why;
  }
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{1, 1}, {3, 1}, {4, 1}}));
  std::vector<std::string> values;
  for (const KeptRecord& record : target_->Read(topic)) {
    if (record.key == "k") values.push_back(*record.value);
  }
  EXPECT_THAT(values, ElementsAre("before", "after"));
}

// Held up behind it is all that could make room.
TEST_P(RefusalContract, ALetterHasRoomWhateverWaitsBehindTheRecord) {
  const std::string refused = target_->RefusedValue();
  const auto sink = target_->Open(1000);
  const std::string topic = target_->Topic("full");
  acks_.letters_to = sink.get();
  acks_.letters = target_->Topic("letters");
  Write(*sink, Of(topic, "k", refused), 1);
  Ticket last = 1;
  for (const std::string value(100, 'v'); last < 1000; ++last) {
    if (const absl::Status written = sink->Write(Of(topic, "k", value), last + 1); !written.ok()) {
      ASSERT_TRUE(absl::IsResourceExhausted(written)) << written;
      break;
    }
  }
  ASSERT_LT(last, 1000u) << "it is full";
  Write(*sink, Of(topic, "k", "after"), ++last);
  Flush(*sink);
  EXPECT_THAT(acks_.refusals, SizeIs(1)) << "not asked again";
  EXPECT_EQ(acks_.records, last) << "the letter in the place of its record";
  EXPECT_EQ(acks_.by_ticket[1], 1u);
  EXPECT_THAT(target_->Read(acks_.letters), SizeIs(1));
  EXPECT_EQ(target_->Read(topic).back().value, "after");
}

TEST_P(RefusalContract, ARefusedRecordThatNobodyTakesBreaksTheSink) {
  const std::string refused = target_->RefusedValue();
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("breaks");
  acks_.breaks = true;
  Write(*sink, Of(topic, "k", refused), 1);
  const absl::Status flushed = sink->Flush(acks_, kPatience);
  EXPECT_TRUE(absl::IsInvalidArgument(flushed)) << flushed;
  EXPECT_EQ(sink->Poll(acks_), flushed);
  EXPECT_EQ(acks_.records, 0u);
  EXPECT_THAT(target_->Read(topic), SizeIs(0));
}

}  // namespace
}  // namespace walduct::sink
