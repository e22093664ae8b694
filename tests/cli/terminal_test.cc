// Colours, and what is watched.
#include <fcntl.h>
#include <unistd.h>

#include "absl/strings/str_replace.h"
#include "cli/doctor/doctor_text.h"
#include "cli/status/watch_keys.h"
#include "cli/usage/completion_scripts.h"
#include "cli/usage/tones.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Tones, OfAReportOfValidate) {
  const std::string report =
      "PROPERTY  VALUE\nname      error: shop\n\nerror: one\nwarning: two\nrefused: 1 errors\n";
  EXPECT_EQ(TonedReport(false, report), report);
  EXPECT_EQ(TonedReport(true, report),
            "\x1b[2mPROPERTY  VALUE\x1b[0m\nname      error: shop\n\n\x1b[31merror: one\x1b[0m\n"
            "\x1b[33mwarning: two\x1b[0m\n\x1b[31mrefused: 1 errors\x1b[0m\n");
  EXPECT_THAT(TonedReport(true, "accepted: 0 errors\n"), HasSubstr("\x1b[32maccepted"));
}

TEST(Tones, AFileHasNone) { EXPECT_FALSE(HasColours(-1)); }

TEST(Tones, ErrorsOfADoctorDoNotLookLikeNotices) {
  operate::Examined one{.connector = "shop", .findings = {}};
  using operate::Severity;
  one.findings.Add(
      {.severity = Severity::kError, .reason = "slot_lost", .message = "gone", .hint = "drop it"});
  one.findings.Add(
      {.severity = Severity::kWarning, .reason = "near", .message = "soon", .hint = ""});
  one.findings.Add(
      {.severity = Severity::kNotice, .reason = "large", .message = "known", .hint = "look"});
  const std::string plain = ExaminedText(one, false);
  EXPECT_THAT(plain, HasSubstr("\n  error  slot_lost\n    gone\n    -> drop it\n"));
  EXPECT_THAT(plain, HasSubstr("1 error, 1 warning, 1 notice; asked: "));
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string coloured = ExaminedText(one, true);
  EXPECT_THAT(coloured, HasSubstr("\n  \x1b[31merror  slot_lost\x1b[0m\n    gone\n"));
  EXPECT_THAT(coloured, HasSubstr("\n  \x1b[33mwarning  near\x1b[0m\n"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[2mnotice  large\x1b[0m\n    \x1b[2mknown\x1b[0m\n"));
  EXPECT_EQ(absl::StrReplaceAll(
                coloured, {{"\x1b[31m", ""}, {"\x1b[33m", ""}, {"\x1b[2m", ""}, {"\x1b[0m", ""}}),
            plain);
}

TEST(Watch, SaysWhenItWasAndHowToLeave) {
  const absl::Time now = absl::FromUnixSeconds(3723);
  EXPECT_EQ(WatchHead("http://h:1", now, absl::UTCTimeZone(), true),
            "01:02:03  http://h:1, every second; q or Ctrl-C leaves\n\n");
  EXPECT_THAT(WatchHead("http://h:1", now, absl::UTCTimeZone(), false),
              HasSubstr("second; Ctrl-C leaves"));
}

TEST(Watch, WithoutATerminalNoKeyIsHeard) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(dup2(nothing, STDIN_FILENO), STDIN_FILENO);
  close(nothing);
  WatchKeys keys;
  EXPECT_EQ(keys.fd(), -1);
  EXPECT_FALSE(keys.LeaveAsked());
}

TEST(CompletionScripts, ArePartOfTheProgram) {
  EXPECT_THAT(std::string(kBashCompletion), HasSubstr("complete -F _walduct walduct"));
  EXPECT_THAT(std::string(kZshCompletion), HasSubstr("compdef _walduct walduct"));
  EXPECT_THAT(std::string(kFishCompletion), HasSubstr("complete -c walduct"));
}

}  // namespace
}  // namespace walduct::cli
