#include <gtest/gtest.h>

#include "base/error.h"
#include "nats/error.h"
#include "nats/jetstream_answers.h"
#include "nats/nkey.h"
#include "nats/subject.h"

namespace walduct::nats {
namespace {

TEST(Subject, IsTokensWithDotsBetween) {
  for (const char* good : {"a", "srv.public.t", "__debezium-heartbeat.srv", "a*.b>", "ü.b"})
    EXPECT_EQ(CheckSubject(good), "") << good;
  for (const char* bad : {"", ".a", "a.", "a..b", "a b", "a\tb", "a.*.b", "a.>", "*", ">"})
    EXPECT_NE(CheckSubject(bad), "") << bad;
  for (const char* good : {"*.*.*", "a.>", ">", "a.*.b"}) EXPECT_EQ(CheckPattern(good), "") << good;
  for (const char* bad : {"a.>.b", ">.a", "a..>"}) EXPECT_NE(CheckPattern(bad), "") << bad;
}

TEST(Subject, IsTakenByPatterns) {
  EXPECT_TRUE(Takes("*.*.*", "srv.public.t"));
  EXPECT_FALSE(Takes("*.*.*", "srv.db.public.t"));
  EXPECT_FALSE(Takes("*.*.*", "srv.t"));
  EXPECT_TRUE(Takes("srv.>", "srv.public.t"));
  EXPECT_FALSE(Takes("srv.>", "srv"));
  EXPECT_TRUE(Takes(">", "a"));
  EXPECT_TRUE(Takes("a.*.c", "a.b.c"));
  EXPECT_FALSE(Takes("a.*.c", "a.b.d"));
  EXPECT_FALSE(Takes("a.b", "a.bc"));
  EXPECT_FALSE(Takes("*.*.*", "_INBOX.walduct.1.1.1"))
      << "our answers are not taken by the default";
}

// The example of the NKeys' own documentation is a key made here with OpenSSL: seed and key belong
// together by the server (tests/e2e/test_nats.py).
TEST(Nkey, ASeedIsChecked) {
  EXPECT_EQ(ErrorReason(PublicKeyOf("").status()), "nats_bad_nkey");
  EXPECT_EQ(ErrorReason(PublicKeyOf("SUAAAA").status()), "nats_bad_nkey");
  EXPECT_EQ(ErrorReason(PublicKeyOf(std::string(58, 'A')).status()), "nats_bad_nkey");
  EXPECT_EQ(FindSeed("# a comment\n SU" + std::string(56, 'A') + " \n"),
            "SU" + std::string(56, 'A'));
  EXPECT_EQ(FindSeed("nothing"), "");
}

TEST(StreamInfo, AnAcknowledgementNamesItsStream) {
  EXPECT_EQ(StreamOf(R"({"stream":"CDC", "seq":17})"), "CDC");
  EXPECT_EQ(StreamOf(R"({"stream":"CDC","seq":17})"), "CDC");
  EXPECT_EQ(StreamOf(R"({"stream":"CDC", "seq":0})"), "");
  EXPECT_EQ(StreamOf(R"({"stream":"CDC"})"), "");
  const auto repeat =
      ParseAcknowledgement(R"({"stream":"CDC", "domain":"hub", "seq":3,"duplicate": true})", "n:1");
  ASSERT_TRUE(repeat.ok());
  EXPECT_EQ(*repeat, "CDC");
}

TEST(StreamInfo, ARefusalIsNone) {
  const auto of = [](absl::string_view text) {
    return ParseAcknowledgement(text, "nats:4222").status();
  };
  const absl::Status full = of(
      R"({"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"CDC","seq":0})");
  EXPECT_TRUE(absl::IsUnavailable(full));
  EXPECT_EQ(ErrorReason(full), "nats_stream_full");
  EXPECT_EQ(full.message(), "NATS at nats:4222, stream CDC: maximum bytes exceeded (10077)");
  EXPECT_NE(ErrorHint(full).find("nats stream purge CDC"), std::string::npos);
  EXPECT_TRUE(IsOutOfTurn(of(R"({"error":{"err_code":10070,"description":"x"},"stream":"C"})")));
  EXPECT_TRUE(IsTooLarge(of(R"({"error":{"err_code":10054,"description":"x"},"stream":"C"})")));
  EXPECT_EQ(ErrorReason(of(R"({"error":{"err_code":1,"description":"x"}})")), "nats_refused");
  EXPECT_TRUE(absl::IsUnavailable(of("no JSON")));
  EXPECT_TRUE(absl::IsUnavailable(of(R"({"stream":"CDC","seq":0})"))) << "nothing was stored";
}

TEST(StreamInfo, SaysWhatAStreamTakes) {
  const auto info = ParseStreamInfo(
      R"({"config":{"name":"CDC","subjects":["srv.>"],"storage":"file","discard":"new",)"
      R"("max_bytes":5,"max_msgs":-1,"max_msg_size":7,"no_ack":true}})",
      "n:1");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_TRUE(info->file && info->discards_new && !info->acknowledges);
  EXPECT_EQ(info->max_message_bytes, 7);
  EXPECT_EQ(info->subjects, std::vector<std::string>{"srv.>"});
}

// One is acknowledged, and an older one is gone: of nothing that it answers does one learn that.
TEST(StreamInfo, SaysWhetherItDropsItsOldest) {
  const auto of = [](const std::string& config) {
    const auto info =
        ParseStreamInfo(R"({"config":{"name":"CDC","subjects":["srv.>"],)" + config + "}}", "n:1");
    EXPECT_TRUE(info.ok()) << info.status();
    return info.ok() && info->drops_oldest() ? DiscardHint(*info) : "";
  };
  const std::string hint = "nats stream edit CDC --discard=new";
  EXPECT_EQ(of(R"("discard":"old","max_bytes":-1,"max_msgs":-1,"max_msgs_per_subject":-1)"), "");
  EXPECT_EQ(of(R"("discard":"old","max_msgs":9)"), hint);
  EXPECT_EQ(of(R"("discard":"old","max_bytes":9)"), hint);
  EXPECT_EQ(of(R"("discard":"new","max_bytes":9)"), "");
  EXPECT_EQ(of(R"("discard":"new","max_msgs_per_subject":9)"), hint + " --discard-per-subject");
  EXPECT_EQ(of(R"("discard":"new","max_msgs_per_subject":9,"discard_new_per_subject":true)"), "");
}

}  // namespace
}  // namespace walduct::nats
