#include "sink/eyes/eyes_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "sink/eyes/cut_line.h"
#include "sink/eyes/shown_value.h"

namespace walduct::sink {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::string_view kRowFields = R"([
  {"type":"int32","optional":false,"field":"id"},
  {"type":"string","optional":true,"field":"item"},
  {"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,
   "parameters":{"scale":"2"},"field":"total"},
  {"type":"bytes","optional":true,"field":"raw"},
  {"type":"int32","optional":true,"name":"io.debezium.time.Date","version":1,"field":"day"},
  {"type":"int64","optional":true,"name":"io.debezium.time.MicroTimestamp","field":"at"}])";

std::string Value(absl::string_view op, absl::string_view before, absl::string_view after) {
  return absl::StrCat(
      R"({"schema":{"type":"struct","fields":[{"type":"struct","fields":)", kRowFields,
      R"(,"optional":true,"field":"before"},{"type":"struct","fields":)", kRowFields,
      R"(,"optional":true,"field":"after"}]},"payload":{"before":)", before, R"(,"after":)", after,
      R"(,"op":")", op,
      R"(","source":{"schema":"public","table":"orders","lsn":29599096,"ts_ms":43387123,)"
      R"("ts_us":43387123456}}})");
}

constexpr absl::string_view kKey =
    R"({"schema":{"type":"struct","fields":[{"type":"int32","field":"id"}]},"payload":{"id":102}})";

std::string Line(absl::string_view value, const EyesStyle& style = {},
                 std::optional<absl::string_view> key = kKey) {
  event::Record record{.topic = "shop.public.orders",
                       .partition = std::nullopt,
                       .key = key,
                       .value = value,
                       .headers = {}};
  if (value.empty()) record.value = std::nullopt;
  std::string line;
  AppendEyesRecord(record, style, &line);
  return line;
}

// 'ZA==' is 100, 'AJs=' 155.
constexpr absl::string_view kRow =
    R"({"id":102,"item":"steel pipe","total":"ZA==","raw":"AAEC","day":20000,"at":1500000})";

TEST(EyesRecord, ValuesAreWhatTheyAre) {
  EXPECT_EQ(Line(Value("c", "null", kRow)),
            "12:03:07.123Z 0/1C3A578  CREATE    public.orders  id=102  item=\"steel pipe\"  "
            "total=1.00  raw=\\x000102  day=2024-10-04  at=1970-01-01 00:00:01.5\n");
}

TEST(EyesRecord, AnUpdateSaysFirstWhatHasChanged) {
  const absl::string_view after =
      R"({"id":102,"item":"steel pipe","total":"AJs=","raw":null,"day":20000,"at":1500000})";
  EXPECT_EQ(Line(Value("u", kRow, after)),
            "12:03:07.123Z 0/1C3A578  UPDATE    public.orders  id=102  total: 1.00 → 1.55  "
            "raw: \\x000102 → null  item=\"steel pipe\"  day=2024-10-04  "
            "at=1970-01-01 00:00:01.5\n");
}

// Nothing is known of what the server has not sent.
TEST(EyesRecord, AnUpdateWithoutTheOldRowShowsTheNewOne) {
  const std::string line = Line(Value("u", "null", kRow));
  EXPECT_THAT(line, HasSubstr("id=102  item=\"steel pipe\"  total=1.00"));
  EXPECT_THAT(line, Not(HasSubstr("→")));
  const absl::string_view identity =
      R"({"id":null,"item":"iron","total":null,"raw":null,"day":null,"at":null})";
  const std::string partly = Line(Value("u", identity, kRow));
  EXPECT_THAT(partly, HasSubstr("id=102  item: iron → \"steel pipe\"  total=1.00"));
  const absl::string_view toasted =
      R"({"id":102,"item":"__debezium_unavailable_value","total":"ZA=="})";
  EXPECT_THAT(Line(Value("u", kRow, toasted)), HasSubstr("item=(unchanged)"));
}

TEST(EyesRecord, ADeleteShowsItsKey) {
  EXPECT_THAT(Line(Value("d", kRow, "null")), EndsWith("DELETE    public.orders  id=102\n"));
  // Without a key the row has to do.
  EXPECT_THAT(Line(Value("d", kRow, "null"), {}, std::nullopt),
              HasSubstr("public.orders  (no key)  id=102  item="));
  EXPECT_EQ(Line(""), "                         TOMBSTONE shop.public.orders  id=102\n");
  // When it was made says nothing of the commit.
  event::Record tombstone{.topic = "shop.public.orders",
                          .partition = std::nullopt,
                          .key = kKey,
                          .value = std::nullopt,
                          .made_ms = 43'387'123,
                          .headers = {}};
  std::string line;
  AppendEyesRecord(tombstone, {}, &line);
  EXPECT_EQ(line, Line(""));
}

TEST(EyesRecord, AMessageIsText) {
  const auto message = [](absl::string_view content) {
    return Line(absl::StrCat(R"({"op":"m","source":{"lsn":29599096,"ts_ms":43387123},)",
                             R"("message":{"prefix":"audit","content":")", content, "\"}}"),
                {}, std::nullopt);
  };
  EXPECT_EQ(message("aGVsbG8gZXllcw=="),
            "12:03:07.123Z 0/1C3A578  MESSAGE   shop.public.orders  (no key)  prefix=audit  "
            "content=\"hello eyes\"\n");
  EXPECT_THAT(message("//79"), EndsWith("content=//79\n"));
}

TEST(EyesRecord, WhatIsNoChange) {
  EXPECT_EQ(Line(R"({"amount":3,"tags":["a","b c"],"at":{"x":1}})", {}, "plain"),
            "                         RECORD    shop.public.orders  plain  amount=3  "
            "tags=[a, \"b c\"]  at={x=1}\n");
  EXPECT_THAT(Line("no \x1b[31mJSON", {}, "\xff\xfe"),
              EndsWith("shop.public.orders  (2 bytes)  no \\u001B[31mJSON\n"));
}

TEST(EyesRecord, IsCutToTheTerminal) {
  const std::string line = Line(Value("c", "null", kRow), {.colour = false, .columns = 60});
  EXPECT_EQ(line, "12:03:07.123Z 0/1C3A578  CREATE    public.orders  id=102  i…\n");
  CutLine cut;
  cut.Add("", "日本語");
  EXPECT_EQ(cut.Take(false, 5), "日本…\n");
  cut.Add("", "日本語");
  EXPECT_EQ(cut.Take(false, 6), "日本語\n");
  cut.Add("\x1b[31m", "abc");
  cut.Add("", "def");
  EXPECT_EQ(cut.Take(true, 3), "\x1b[31mab\x1b[0m…\n");
  EXPECT_EQ(ColumnsOf("e\u0301"), 1u);
}

TEST(ShownValue, Decimals) {
  EXPECT_EQ(DecimalText(std::string("\x64"), 2), "1.00");
  EXPECT_EQ(DecimalText(std::string("\x9c"), 2), "-1.00");
  EXPECT_EQ(DecimalText(std::string("\x01"), 4), "0.0001");
  EXPECT_EQ(DecimalText(std::string("\xff"), 1), "-0.1");
  EXPECT_EQ(DecimalText(std::string("\x05"), 0), "5");
  EXPECT_EQ(DecimalText(std::string("\x05"), -3), "5000");
  EXPECT_EQ(DecimalText(std::string("\0", 1), 2), "0.00");
  EXPECT_EQ(DecimalText("", 2), "0");
  EXPECT_EQ(DecimalText(absl::HexStringToBytes("00fedcba98765432100123456789"), 0),
            "20192265560968774111035004381065");
  EXPECT_EQ(DecimalText(absl::HexStringToBytes("80"), 0), "-128");
}

std::string Shown(absl::string_view json, absl::string_view schema) {
  rapidjson::Document value, of;
  value.Parse(json.data(), json.size());
  of.Parse(schema.data(), schema.size());
  std::string text;
  AppendShown(value, &of, &text);
  return text;
}

std::string Named(absl::string_view name, absl::string_view type = "int64") {
  return absl::StrCat(R"({"type":")", type, R"(","name":")", name, R"("})");
}

TEST(ShownValue, Times) {
  EXPECT_EQ(Shown("-1", Named("io.debezium.time.Date")), "1969-12-31");
  EXPECT_EQ(Shown("3723004", Named("io.debezium.time.Time")), "01:02:03.004");
  EXPECT_EQ(Shown("86400000000", Named("io.debezium.time.MicroTime")), "24:00:00");
  EXPECT_EQ(Shown("-1", Named("io.debezium.time.MicroTimestamp")), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(Shown("1000", Named("org.apache.kafka.connect.data.Timestamp")), "1970-01-01 00:00:01");
  EXPECT_EQ(Shown("9223372036825200000", Named("io.debezium.time.MicroTimestamp")), "infinity");
  EXPECT_EQ(Shown("-9223372036832400000", Named("io.debezium.time.MicroTimestamp")), "-infinity");
  EXPECT_EQ(Shown("7", Named("io.debezium.time.MicroDuration")), "7");
}

TEST(ShownValue, StructsAndBytes) {
  EXPECT_EQ(Shown(R"({"scale":3,"value":"ZA=="})",
                  Named("io.debezium.data.VariableScaleDecimal", "struct")),
            "0.100");
  EXPECT_EQ(Shown(R"(["ZA=="])", R"({"type":"array","items":{"type":"bytes"}})"), "[\\x64]");
  EXPECT_EQ(Shown(R"("")", R"({"type":"string"})"), "\"\"");
  EXPECT_EQ(Shown(R"("null")", R"({"type":"string"})"), "\"null\"");
  EXPECT_EQ(Shown("null", R"({"type":"string"})"), "null");
  EXPECT_EQ(Shown(R"("a\nb")", R"({"type":"string"})"), "a\\nb");
  const std::string long_bytes = absl::Base64Escape(std::string(70, 'x'));
  EXPECT_THAT(Shown(absl::StrCat("\"", long_bytes, "\""), R"({"type":"bytes"})"),
              EndsWith("… (70 bytes)"));
}

}  // namespace
}  // namespace walduct::sink
