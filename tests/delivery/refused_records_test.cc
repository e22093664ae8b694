// What becomes of a record that a target hands back, by errors.*.
#include "delivery/pipeline/refused_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/configuration/record_error_options.h"
#include "tests/support/fake_sink.h"

namespace walduct::delivery {
namespace {

using metrics::RecordErrorOutcome;
using Policy = engine::RecordErrorOptions::Policy;

// Keeps letters apart from records.
class LetterBox final : public sink::Sink {
 public:
  bool HasCapacity() override { return true; }
  absl::Status Write(const event::Record&, sink::Ticket) override {
    return absl::InternalError("no letter");
  }
  absl::Status WriteLetter(const event::Record& letter, sink::Ticket ticket) override {
    if (!answer.ok()) return answer;
    letters.emplace_back(test::KeptRecord(letter), ticket);
    return absl::OkStatus();
  }
  absl::Status Poll(sink::AckHandler&) override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Flush(sink::AckHandler&, absl::Duration) override { return absl::OkStatus(); }

  std::vector<std::pair<test::KeptRecord, sink::Ticket>> letters;
  absl::Status answer;
};

class RefusedRecordsTest : public testing::Test {
 protected:
  absl::Status Take(absl::string_view reason = "record_refused",
                    absl::string_view topic = "srv.t") {
    RecordErrors::Options options;
    options.policy = &policy_;
    options.connector = "shop";
    options.called.who = "shop";
    options.metrics = &metrics_;
    RefusedRecords refused(options, &box_);
    const event::Header headers[] = {{"h", "1"}};
    event::Record record;
    record.topic = topic;
    record.partition = 3;
    record.key = "k";
    record.value = "v";
    record.headers = headers;
    record.id = {.lsn = 0x16B3748, .number = 3, .of = event::RecordId::Of::kChange};
    return refused.Take(record, 7,
                        Error(absl::StatusCode::kInvalidArgument, reason, "status 422", "mend it"),
                        &settled_);
  }
  uint64_t Outcome(RecordErrorOutcome outcome) { return metrics_.RecordErrors(outcome).value(); }

  engine::RecordErrorOptions policy_;
  metrics::ConnectorMetrics metrics_;
  LetterBox box_;
  bool settled_ = false;
};

TEST_F(RefusedRecordsTest, StopsWithTheChangeAndTheWaysOut) {
  const absl::Status stop = Take();
  EXPECT_TRUE(absl::IsInvalidArgument(stop)) << stop;
  EXPECT_EQ(ErrorReason(stop), "record_refused");
  EXPECT_THAT(std::string(stop.message()),
              testing::HasSubstr("record of srv.t, key k, change 0/16B3748:3: status 422"));
  EXPECT_THAT(ErrorHint(stop), testing::AllOf(testing::HasSubstr("mend it"),
                                              testing::HasSubstr("errors.deadletterqueue.topic"),
                                              testing::HasSubstr("skip")));
  EXPECT_EQ(metrics_.ErroneousRecords(), 0u);
}

TEST_F(RefusedRecordsTest, TheLetterIsTheRecordUnderItsTicket) {
  policy_.tolerate = true;
  policy_.dead_letter_topic = "letters";
  policy_.context_headers = true;
  ASSERT_TRUE(Take().ok());
  EXPECT_FALSE(settled_) << "the letter is acknowledged, not the record";
  ASSERT_EQ(box_.letters.size(), 1u);
  const auto& [letter, ticket] = box_.letters[0];
  EXPECT_EQ(ticket, 7u);
  EXPECT_EQ(letter.topic, "letters");
  EXPECT_EQ(letter.key, "k");
  EXPECT_EQ(letter.value, "v");
  EXPECT_FALSE(letter.partition);
  ASSERT_EQ(letter.headers.size(), 8u);
  EXPECT_EQ(letter.headers[0].first, "h");
  EXPECT_EQ(letter.headers[1].first, "__connect.errors.topic");
  EXPECT_EQ(letter.headers[1].second, "srv.t");
  EXPECT_EQ(Outcome(RecordErrorOutcome::kDeadLetter), 1u);
}

TEST_F(RefusedRecordsTest, ALetterThatHasNoRoomIsAskedForAgainAndNotCounted) {
  policy_.refused = Policy::kDeadLetter;
  policy_.dead_letter_topic = "letters";
  box_.answer = absl::ResourceExhaustedError("full");
  EXPECT_TRUE(absl::IsResourceExhausted(Take()));
  EXPECT_EQ(metrics_.ErroneousRecords(), 0u);
  box_.answer = absl::PermissionDeniedError("no");
  EXPECT_TRUE(absl::IsPermissionDenied(Take())) << "a letter that is not taken stops";
}

// Else it would be answered with a letter that is refused, too.
TEST_F(RefusedRecordsTest, ALetterThatIsRefusedStopsWhateverThePolicy) {
  policy_.tolerate = true;
  policy_.dead_letter_topic = "letters";
  for (const Policy policy : {Policy::kTolerance, Policy::kDeadLetter, Policy::kSkip}) {
    policy_.refused = policy;
    const absl::Status stop = Take("record_refused", "letters");
    EXPECT_TRUE(absl::IsInvalidArgument(stop)) << stop;
    EXPECT_EQ(ErrorReason(stop), "record_refused");
    EXPECT_THAT(std::string(stop.message()),
                testing::HasSubstr("dead letter: record of letters, key k, change 0/16B3748:3"));
    EXPECT_THAT(ErrorHint(stop),
                testing::AllOf(testing::HasSubstr("mend it"), testing::HasSubstr("skip")));
  }
  EXPECT_TRUE(box_.letters.empty());
  EXPECT_EQ(metrics_.ErroneousRecords(), 0u);
}

TEST_F(RefusedRecordsTest, SkippedAndLoggedOnesAreSettled) {
  policy_.refused = Policy::kSkip;
  ASSERT_TRUE(Take().ok());
  EXPECT_TRUE(settled_);
  EXPECT_EQ(Outcome(RecordErrorOutcome::kSkipped), 1u);
  policy_.refused = Policy::kTolerance;
  policy_.tolerate = true;
  ASSERT_TRUE(Take().ok());
  EXPECT_TRUE(settled_);
  EXPECT_EQ(Outcome(RecordErrorOutcome::kLogged), 1u);
}

TEST_F(RefusedRecordsTest, EachCauseHasItsPolicy) {
  policy_.tolerate = true;
  EXPECT_FALSE(Take("receiver_gone").ok()) << "stop is the default";
  policy_.gone = Policy::kSkip;
  EXPECT_TRUE(Take("receiver_gone").ok());
  EXPECT_TRUE(Take("attempts_used_up").ok());
  policy_.exhausted = Policy::kStop;
  EXPECT_FALSE(Take("attempts_used_up").ok());
}

}  // namespace
}  // namespace walduct::delivery
