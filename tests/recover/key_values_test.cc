#include "recover/read/key_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace walduct::recover {
namespace {

using testing::Contains;
using testing::IsEmpty;

event::TableSchema TableOf(const std::string& type, int32_t typmod = -1) {
  event::Type named;
  named.schema = "pg_catalog";
  named.name = type;
  event::Column column;
  column.name = "k";
  column.type = std::make_shared<const event::Type>(named);
  column.typmod = typmod;
  event::TableSchema schema;
  schema.columns = {column, column};
  schema.columns[1].name = "other";
  schema.key_columns = {0};
  return schema;
}

std::vector<std::string> Guesses(const std::string& type, const std::string& json,
                                 int32_t typmod = -1) {
  std::vector<std::string> texts;
  for (const KeyRow& row : RowsOfKey(TableOf(type, typmod), "{\"k\":" + json + "}")) {
    EXPECT_EQ(row.values[1].kind, event::ValueKind::kAbsent);
    texts.emplace_back(row.values[0].is_text() ? row.values[0].text() : "NULL");
  }
  return texts;
}

TEST(KeyValuesTest, AsPostgresPrintsThem) {
  EXPECT_THAT(Guesses("int4", "-7"), Contains("-7"));
  EXPECT_THAT(Guesses("date", "18321"), Contains("2020-02-29"));
  EXPECT_THAT(Guesses("timestamp", "1582979696789000"), Contains("2020-02-29 12:34:56.789"));
  EXPECT_THAT(Guesses("timestamp", "1582979696789"), Contains("2020-02-29 12:34:56.789"));
  EXPECT_THAT(Guesses("timestamptz", "\"2020-02-29T12:34:56.5Z\""),
              Contains("2020-02-29 12:34:56.5+00"));
  EXPECT_THAT(Guesses("bytea", "\"3q2+7w==\""), Contains("\\xdeadbeef"));
  EXPECT_THAT(Guesses("numeric", "\"+x4=\"", ((8 << 16) | 2) + 4), Contains("-12.50"));
  EXPECT_THAT(Guesses("numeric", "{\"scale\":1,\"value\":\"AP8=\"}"), Contains("25.5"));
  EXPECT_THAT(Guesses("bool", "true"), Contains("t"));
  EXPECT_THAT(Guesses("text", "\"a \\\"b\\\" \\u00fc\""), Contains("a \"b\" ü"));
  EXPECT_THAT(Guesses("text", "null"), Contains("NULL"));
}

TEST(KeyValuesTest, WithASchemaOrAlone) {
  EXPECT_EQ(
      RowsOfKey(TableOf("int4"), R"({"schema":{},"payload":{"k":5}})").front().values[0].text(),
      "5");
  EXPECT_EQ(RowsOfKey(TableOf("int4"), "5").front().values[0].text(), "5");
  EXPECT_THAT(RowsOfKey(TableOf("int4"), R"({"x":5})"), IsEmpty());
  EXPECT_THAT(RowsOfKey(TableOf("int4"), "no json"), IsEmpty());
}

}  // namespace
}  // namespace walduct::recover
