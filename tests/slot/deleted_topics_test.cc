#include "slot/incremental/deleted_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "names/called.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;
using testing::Not;

absl::Status Deleted(absl::string_view message) {
  return Error(absl::StatusCode::kUnavailable, "topic_deleted", message, "look at the brokers");
}

// A transaction of the sink writes the position as well.
TEST(DeletedTopics, TheOffsetTopicHasNoRows) {
  const absl::Status told = OfOffsetTopic(
      Deleted("topic c-offsets was deleted: what consumers had not read is gone"), "c-offsets");
  EXPECT_EQ(ErrorReason(told), "offset_topic_gone");
  EXPECT_TRUE(absl::IsUnavailable(told));
  EXPECT_THAT(std::string(told.message()), Not(HasSubstr("consumers")));
  EXPECT_THAT(ErrorHint(told), HasSubstr("it is created again"));
  EXPECT_THAT(ErrorHint(told), Not(HasSubstr("snapshot")));
}

// Nobody creates it: the last word is not only that it is not there.
TEST(DeletedTopics, OneThatIsMissingForItWasDeletedSaysSo) {
  const absl::Status missing = Error(absl::StatusCode::kFailedPrecondition, "topic_missing",
                                     "topic s.a: unknown", "make it");
  const absl::Status told = OfDeleted(missing, {"s.b", "s.a"});
  EXPECT_EQ(ErrorReason(told), "topic_missing");
  EXPECT_TRUE(absl::IsFailedPrecondition(told));
  EXPECT_THAT(std::string(told.message()), HasSubstr("it was deleted while"));
  EXPECT_EQ(OfDeleted(missing, {"s.aa", "a"}), missing);
  EXPECT_THAT(ErrorHint(WithTables(told, {}, {{Oid{1}, "s", "a"}})),
              HasSubstr("make it; then, for the rows: "));
}

TEST(DeletedTopics, AHintBeginsWithWhatIsToBeDone) {
  const absl::Status anew = Error(absl::StatusCode::kUnavailable, "topic_deleted", "t", "");
  EXPECT_THAT(ErrorHint(WithTables(anew, {}, {{Oid{1}, "s", "a"}})),
              testing::StartsWith("for the rows: "));
}

// An outbox's, by its transform: rows that were deleted since do not come with any snapshot.
TEST(DeletedTopics, OneOfNoTableIsNotPromisedItsRows) {
  EXPECT_THAT(ErrorHint(WithTables(Deleted("topic outbox.event.x was deleted"), {}, {})),
              HasSubstr("an outbox table may not"));
}

TEST(DeletedTopics, OtherTopicsAreReadAgain) {
  const absl::Status data = Deleted("topic c-offsets2 was deleted: gone");
  EXPECT_EQ(OfOffsetTopic(data, "c-offsets"), data);
  EXPECT_EQ(OfOffsetTopic(absl::UnavailableError("topic c-offsets x"), "c-offsets"),
            absl::UnavailableError("topic c-offsets x"));
  EXPECT_THAT(ErrorHint(WithTables(data, {}, {})), HasSubstr("a snapshot of the tables"));
}

}  // namespace
}  // namespace walduct::slot
