#include "sink/line/record_text.h"

#include <gtest/gtest.h>

namespace walduct::sink {
namespace {

std::string Line(const event::Record& record) {
  std::string out;
  AppendRecordLine(record, &out);
  return out;
}

std::string Pretty(const event::Record& record, bool colour = false) {
  std::string out;
  AppendPrettyRecord(record, {.colour = colour}, &out);
  return out;
}

std::string InLine(const event::Record& record) {
  std::string out;
  AppendPrettyRecord(record, {.colour = false, .full = false}, &out);
  return out;
}

TEST(RecordTextTest, InALineTheRowAlone) {
  const std::string key = R"({"schema":{"type":"struct"},"payload":{"id":1}})";
  EXPECT_EQ(InLine({.topic = "t",
                    .partition = {},
                    .key = key,
                    .value = R"({"before":null,"after":{"id":1,"v":"x"},"op":"c","ts_ms":1})",
                    .headers = {}}),
            "CREATE t {\"id\":1} {\"id\":1,\"v\":\"x\"}\n");
  EXPECT_EQ(InLine({.topic = "t",
                    .partition = {},
                    .key = {},
                    .value = R"({"schema":{},"payload":{"before":{"id":1},"after":null,"op":"d"}})",
                    .headers = {}}),
            "DELETE t (no key) {\"id\":1}\n");
  EXPECT_EQ(InLine({.topic = "t", .partition = {}, .key = key, .value = {}, .headers = {}}),
            "TOMBSTONE t {\"id\":1}\n");
  EXPECT_EQ(InLine({.topic = "t",
                    .partition = {},
                    .key = "\xFF",
                    .value = R"({"id":1,"payload":2})",
                    .headers = {}}),
            "RECORD t (1 bytes) {\"id\":1,\"payload\":2}\n");
  EXPECT_EQ(InLine({.topic = "t",
                    .partition = {},
                    .key = {},
                    .value = R"({"before":null,"after":null,"op":"t"})",
                    .headers = {}}),
            "TRUNCATE t (no key)\n");
}

TEST(RecordTextTest, ARecordIsOneJsonObjectPerLine) {
  const event::Header headers[] = {{"h", "v"}, {"bin", "\xFF"}};
  EXPECT_EQ(Line({.topic = "srv.public.t",
                  .partition = {},
                  .key = "{\"id\":1}",
                  .value = "{\"a\":\"\xC3\xA9\"}",
                  .headers = headers}),
            "{\"topic\":\"srv.public.t\",\"partition\":0,\"key\":\"{\\\"id\\\":1}\","
            "\"value\":\"{\\\"a\\\":\\\"\xC3\xA9\\\"}\","
            "\"headers\":[[\"h\",\"v\"],[\"bin\",{\"base64\":\"/w==\"}]]}\n");
}

TEST(RecordTextTest, ATombstoneWithoutKeyInAPartition) {
  EXPECT_EQ(Line({.topic = "t", .partition = 3, .key = {}, .value = {}, .headers = {}}),
            "{\"topic\":\"t\",\"partition\":3,\"key\":null,\"value\":null,\"headers\":[]}\n");
}

TEST(RecordTextTest, PrettyShowsOperationTopicKeyAndTheValueIndented) {
  const event::Header headers[] = {{"h", "v"}};
  EXPECT_EQ(Pretty({.topic = "t",
                    .partition = {},
                    .key = "{\"id\":1}",
                    .value = R"({"op":"u","n":1.50,"l":[]})",
                    .headers = headers}),
            "UPDATE t {\"id\":1}\n  h: v\n{\n  \"op\": \"u\",\n  \"n\": 1.50,\n  \"l\": []\n}\n");
}

TEST(RecordTextTest, PrettyFindsTheOperationBelowASchema) {
  const std::string text = Pretty({.topic = "t",
                                   .partition = {},
                                   .key = {},
                                   .value = R"({"schema":{},"payload":{"op":"d"}})",
                                   .headers = {}});
  EXPECT_EQ(text.substr(0, 18), "DELETE t (no key)\n");
}

TEST(RecordTextTest, PrettyShowsWhatIsNoEnvelope) {
  EXPECT_EQ(Pretty({.topic = "t", .partition = {}, .key = "k", .value = {}, .headers = {}}),
            "TOMBSTONE t k\n");
  EXPECT_EQ(Pretty({.topic = "t", .partition = {}, .key = "k", .value = "text", .headers = {}}),
            "RECORD t k\ntext\n");
  EXPECT_EQ(
      Pretty({.topic = "t", .partition = {}, .key = "\xFF", .value = "\xFF\xFE", .headers = {}}),
      "RECORD t (1 bytes)\n(2 bytes)\n");
}

TEST(RecordTextTest, PrettyColoursOnlyWhenAsked) {
  const event::Record record{
      .topic = "t", .partition = {}, .key = "k", .value = "{\"op\":\"c\"}", .headers = {}};
  EXPECT_EQ(Pretty(record).find('\x1b'), std::string::npos);
  EXPECT_NE(Pretty(record, true).find("\x1b[32mCREATE\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace walduct::sink
