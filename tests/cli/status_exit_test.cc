#include "cli/status/status_exit.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::cli {
namespace {

TEST(StatusExit, IsTheWorstOfWhatIsShown) {
  const auto of = [](absl::string_view connectors, absl::string_view only = "") {
    return StatusExitOf(absl::StrCat(R"({"connectors":[)", connectors, "]}"), only);
  };
  constexpr absl::string_view kWell = R"({"name":"a","state":"RUNNING","activity":"streaming"})";
  constexpr absl::string_view kStalls = R"({"name":"b","state":"RUNNING","stall":{}})";
  constexpr absl::string_view kFails = R"({"name":"c","state":"FAILED"})";
  EXPECT_EQ(of(kWell), kStatusFine);
  EXPECT_EQ(of(R"({"name":"a","state":"PAUSED","activity":"none"})"), kStatusFine);
  EXPECT_EQ(of(absl::StrCat(kWell, ",", kStalls)), kStatusTroubled);
  EXPECT_EQ(of(R"({"name":"a","state":"RUNNING","activity":"retrying"})"), kStatusTroubled);
  EXPECT_EQ(of(R"({"name":"a","state":"RUNNING","activity":"connecting"})"), kStatusTroubled)
      << "nor is it ready";
  const auto captures = [](absl::string_view severity) {
    return absl::StrCat(R"({"name":"a","state":"RUNNING","activity":"streaming",)",
                        R"("capture":{"problems":[{"severity":")", severity, R"("}]}})");
  };
  EXPECT_EQ(of(captures("warning")), kStatusTroubled);
  EXPECT_EQ(of(captures("notice")), kStatusFine);
  EXPECT_EQ(of(absl::StrCat(kFails, ",", kStalls)), kStatusFailed);
  EXPECT_EQ(of(absl::StrCat(kFails, ",", kWell), "a"), kStatusFine);
  EXPECT_EQ(of(R"({"name":"a","state":"PAUSED","slot":{"problem":{}}})"), kStatusFailed);
  EXPECT_EQ(StatusExitOf(R"({"connectors":[],"resting":[{"name":"a","slot":{"problem":{}}}]})", ""),
            kStatusFailed);
}

// What the process says itself comes before what can be seen.
TEST(StatusExit, IsWhatTheProcessSays) {
  const auto of = [](absl::string_view health) {
    return StatusExitOf(absl::StrCat(R"({"connectors":[{"name":"a","state":"RUNNING","health":")",
                                     health, R"(","activity":"connecting","stall":{}}]})"),
                        "");
  };
  EXPECT_EQ(of("fine"), kStatusFine);
  EXPECT_EQ(of("troubled"), kStatusTroubled);
  EXPECT_EQ(of("failed"), kStatusFailed);
}

}  // namespace
}  // namespace walduct::cli
