#include "replication/capture/capture_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/capture_board.h"

namespace walduct::replication {
namespace {

using testing::HasSubstr;

TEST(CaptureWords, EachReasonHasItsOwn) {
  for (const absl::string_view reason : metrics::kCaptureReasons)
    EXPECT_NE(CaptureMessage(reason), reason);
}

TEST(CaptureWords, SayWhatToType) {
  const CaptureFinding one{
      .reason = "publication_lacks_tables", .table = "public.a", .statement = "X"};
  const CaptureFinding two{
      .reason = "publication_lacks_tables", .table = "public.b", .statement = "Y"};
  const std::string hint = CaptureHint({&one, &two}, {.filtered = true});
  EXPECT_THAT(hint, testing::StartsWith("X; Y, or restart the connector"));
  EXPECT_THAT(hint, HasSubstr("walduct signal execute-snapshot --table public.a --table public.b"));
}

TEST(CaptureWords, CallTheConnectorAsCommandsDo) {
  const CaptureFinding gone{.reason = "captured_table_dropped", .table = "public.a"};
  EXPECT_THAT(
      CaptureHint({&gone}, {.called = {.who = "shop", .where = "http://h:8083"}}),
      testing::AllOf(
          testing::StartsWith("where it is not meant"),
          HasSubstr("walduct signal execute-snapshot shop --table public.a --url http://h:8083")));
}

TEST(CaptureWords, ANewNameIsForTheLists) {
  const CaptureFinding one{
      .reason = "captured_table_renamed", .table = "public.a", .statement = "X"};
  EXPECT_THAT(CaptureHint({&one}, {}),
              testing::AllOf(testing::StartsWith("add the new names to the lists"),
                             testing::EndsWith("; or, where they are out of use: X")));
}

}  // namespace
}  // namespace walduct::replication
