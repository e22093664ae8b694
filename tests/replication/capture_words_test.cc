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

}  // namespace
}  // namespace walduct::replication
