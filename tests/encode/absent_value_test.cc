// Values that are not there: NULL, columns outside an old key tuple, TOAST values that the server
// did not send.
#include <gmock/gmock.h>

#include "base/error.h"
#include "encode/options/converter_options.h"
#include "encode/options/value_options.h"
#include "encode/types/placeholder.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

class AbsentValueTest : public EncodeTest {
 protected:
  std::string One(const TestColumn& column, const event::Value& value) {
    const auto table = MakeTable("t", {column}, {});
    const std::string after = After(*table, {value});
    return after.substr(5, after.size() - 6);  // {"c":…}
  }
  std::string Filler(std::shared_ptr<event::Type> type, int32_t typmod = -1) {
    return One({"c", std::move(type), typmod, false}, Absent());
  }
  std::string Filler(const std::string& type, int32_t typmod = -1) {
    return Filler(MakeType(type), typmod);
  }
  std::string Unsent(std::shared_ptr<event::Type> type) {
    return One({"c", std::move(type)}, Toast());
  }
  std::string Unsent(const std::string& type) { return Unsent(MakeType(type)); }
};

TEST_F(AbsentValueTest, TYP64_RequiredColumnsTakeAConstantOfTheirType) {
  EXPECT_EQ(Filler("int4"), "0");
  EXPECT_EQ(Filler("float8"), "0.0");
  EXPECT_EQ(Filler("bool"), "false");
  EXPECT_EQ(Filler("bit", 1), "false");
  EXPECT_EQ(Filler("bit", 5), "\"\"");
  EXPECT_EQ(Filler("numeric"), R"({"scale":0,"value":"AA=="})");
  EXPECT_EQ(Filler("numeric", NumericTypmod(10, 2)), "\"AA==\"");
  EXPECT_EQ(Filler("money"), "\"AA==\"");
  EXPECT_EQ(Filler("bytea"), "\"\"");
  EXPECT_EQ(Filler("uuid"), "\"\"");
  EXPECT_EQ(Filler("jsonb"), "\"\"");
  EXPECT_EQ(Filler("int4range"), "\"\"");
  EXPECT_EQ(Filler(EnumOf({"a"})), "\"\"");
  EXPECT_EQ(Filler("hstore"), "\"{}\"");
  EXPECT_EQ(Filler("date"), "0");
  EXPECT_EQ(Filler("time", 3), "0");
  EXPECT_EQ(Filler("timestamp"), "0");
  EXPECT_EQ(Filler("interval"), "0");
  EXPECT_EQ(Filler("timetz"), "\"00:00:00Z\"");
  EXPECT_EQ(Filler("timestamptz"), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(Filler(ArrayOf(MakeType("int4"))), "[]");
}

TEST_F(AbsentValueTest, RequiredColumnsTakeTheirDefaultFirst) {
  EXPECT_EQ(One({"c", MakeType("int8"), -1, false, "7"}, Null()), "7");
}

TEST_F(AbsentValueTest, OptionalColumnsTakeTheirDefault) {
  EXPECT_EQ(One({"c", MakeType("int4"), -1, true, "42"}, Null()), "42");
  EXPECT_EQ(One({"c", MakeType("int4"), -1, true, "42"}, Absent()), "42");
  EXPECT_EQ(One({"c", MakeType("int4")}, Null()), "null");
}

TEST_F(AbsentValueTest, ReplaceNullWithDefaultCanBeSwitchedOff) {
  options_.value.replace_null_with_default = false;
  EXPECT_EQ(One({"c", MakeType("int4"), -1, true, "42"}, Null()), "null");
  EXPECT_THAT(Insert(*OrdersTable(), {Text("1"), Text("a"), Null(), Null()}),
              ::testing::HasSubstr("\"snapshot\":null"));
}

TEST_F(AbsentValueTest, TYP09_NumericNaNIsNullWhereItMayBe) {
  EXPECT_EQ(One({"c", MakeType("numeric"), NumericTypmod(5, 2)}, Text("NaN")), "null");
}

TEST_F(AbsentValueTest, TYP09_AnArrayWithNumericNaNIsNull) {
  const TestColumn column = {"c", ArrayOf(MakeType("numeric")), NumericTypmod(5, 2)};
  EXPECT_EQ(One(column, Text("{1.00,NaN}")), "null");
  EXPECT_EQ(One(column, Text("{-Infinity}")), "null");
  EXPECT_EQ(One(column, Text("{1.00,NULL}")), R"(["ZA==",null])");
}

TEST_F(AbsentValueTest, TYP09_AnArrayWithNumericNaNIsKeptOnRequest) {
  options_.values.keep_lost = true;
  options_.values.decimal = DecimalMode::kDouble;
  EXPECT_EQ(One({"c", ArrayOf(MakeType("numeric"))}, Text("{1.00,NaN}")), R"([1.0,"NaN"])");
}

TEST_F(AbsentValueTest, TYP09_NumericNaNInARequiredColumnIsAnError) {
  const auto table = MakeTable("t", {{"c", MakeType("numeric"), -1, false}}, {});
  event::ChangeEvent change = Change(*table, event::Operation::kCreate);
  const std::vector<event::Value> row = {Text("NaN")};
  change.after = row;
  const absl::Status status = encoder().Encode(Emit(change), &record_);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ErrorReason(status), "special_value");
}

TEST_F(AbsentValueTest, TYP29_RequiredColumnsTakeAConstantOfTheirForm) {
  options_.values.interval_string = true;
  options_.values.decimal = DecimalMode::kString;
  options_.values.time = TimeMode::kIsoString;
  options_.values.binary = BinaryMode::kHex;
  options_.values.hstore_map = true;
  EXPECT_EQ(Filler("interval"), "\"P0Y0M0DT0H0M0S\"");
  EXPECT_EQ(Filler("numeric"), "\"0\"");
  EXPECT_EQ(Filler("numeric", NumericTypmod(5, 2)), "\"0.00\"");
  EXPECT_EQ(Filler("money"), "\"0.00\"");
  EXPECT_EQ(Filler("date"), "\"1970-01-01Z\"");
  EXPECT_EQ(Filler("time"), "\"00:00:00Z\"");
  EXPECT_EQ(Filler("timestamp"), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(Filler("bytea"), "\"\"");
  EXPECT_EQ(Filler("hstore"), "{}");
  EXPECT_EQ(Filler("point"),
            R"({"x":0.0,"y":0.0,"wkb":"AQEAAAAAAAAAAAAAAAAAAAAAAAAA","srid":null})");
  EXPECT_EQ(Filler("geometry"), R"({"wkb":"AQcAAAAAAAAA","srid":null})");
  EXPECT_EQ(Filler("vector"), "[]");
}

TEST_F(AbsentValueTest, NamesAreFillersWhileStreamingAndValuesInKeys) {
  const auto table =
      MakeTable("t", {{"n", MakeType("name"), -1, false}, {"m", MakeType("name")}}, {0});
  EXPECT_EQ(After(*table, {Text("a"), Text("b")}), R"({"n":"","m":null})");
  EXPECT_EQ(Key(), R"({"n":"a"})");
  event::ChangeEvent change = Change(*table, event::Operation::kRead);
  const std::vector<event::Value> row = {Text("a"), Text("b")};
  change.after = row;
  ASSERT_TRUE(encoder().Encode(Emit(change), &record_).ok());
  EXPECT_THAT(std::string(*record_.value), ::testing::HasSubstr(R"("after":{"n":"a","m":"b"})"));
}

TEST_F(AbsentValueTest, RequiredColumnsOfUnknownTypesAreEmpty) {
  options_.values.include_unknown = true;
  for (const auto mode :
       {BinaryMode::kBytes, BinaryMode::kBase64, BinaryMode::kBase64UrlSafe, BinaryMode::kHex}) {
    options_.values.binary = mode;
    encoder_ = nullptr;
    EXPECT_EQ(Filler("circle"), "\"\"");
    EXPECT_EQ(Filler("tsquery"), "\"\"");
    EXPECT_EQ(Filler("bytea"), "\"\"");
  }
}

TEST_F(AbsentValueTest, InfiniteTimestampsAsDefaultsAreTheLimit) {
  const auto filler = [this](const char* expression, int32_t typmod = -1) {
    encoder_ = nullptr;
    return One({"c", MakeType("timestamp"), typmod, true, expression}, Null());
  };
  EXPECT_EQ(filler("'-infinity'::timestamp without time zone"), "-9223372036854775808");
  EXPECT_EQ(filler("'infinity'::timestamp without time zone"), "9223372036854775807");
  EXPECT_EQ(filler("'-infinity'::timestamp(3) without time zone", 3), "null");
  EXPECT_EQ(filler("'2020-01-01 00:00:00'::timestamp without time zone"), "1577836800000000");
  encoder_ = nullptr;
  EXPECT_EQ(
      One({"c", MakeType("timestamptz"), -1, true, "'infinity'::timestamp with time zone"}, Null()),
      "null");
}

TEST_F(AbsentValueTest, PlaceholderOfBytesIsReadAsUtf8ForTexts) {
  options_.unavailable_placeholder = std::string("a\xFF", 2);
  EXPECT_EQ(Unsent("text"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(Unsent("bytea"), "\"Yf8=\"");
}

TEST_F(AbsentValueTest, StringConverterLeavesNullsOutAndKeepsEmptyTexts) {
  options_.value.kind = ConverterKind::kString;
  const auto table = MakeTable("t",
                               {{"id", MakeType("int4"), -1, false},
                                {"n", MakeType("name")},
                                {"t", MakeType("text")},
                                {"v", MakeType("numeric")}},
                               {0});
  EXPECT_THAT(Insert(*table, {Text("1"), Text(""), Text(""), Text("1.5")}),
              ::testing::HasSubstr("after=Struct{id=1,t=,v=Struct{scale=1,value=Dw==}}"));
}

TEST_F(AbsentValueTest, FailuresBecomeNullsOnlyOnRequest) {
  const TestColumn money{"c", MakeType("money")};
  event::ChangeEvent change;
  options_.values.on_failure = FailureMode::kNull;
  EXPECT_EQ(One(money, Text("1,50 €")), "null");
  EXPECT_EQ(One({"c", ArrayOf(MakeType("int2")), -1, true}, Text("{1}")), "[1]");
  EXPECT_EQ(encoder().nulled_values(), 1u);
  const auto table = MakeTable("t", {{"c", MakeType("int4")}}, {});
  const std::vector<event::Value> row = {Text("x")};
  change = Change(*table, event::Operation::kCreate);
  change.after = row;
  EXPECT_EQ(encoder().Encode(Emit(change), &record_).code(), absl::StatusCode::kDataLoss);
}

// Nothing is replaced in silence: counted, and told once of each column.
TEST_F(AbsentValueTest, ReplacedValuesAreCountedAndToldOnce) {
  const auto table = MakeTable("t",
                               {{"n", MakeType("numeric"), NumericTypmod(5, 2)},
                                {"far", MakeType("timestamp")},
                                {"lost", MakeType("name")}},
                               {});
  const std::vector<event::Value> row = {Text("NaN"), Text("294276-12-31 23:59:59"), Text("x")};
  event::ChangeEvent change = Change(*table, event::Operation::kCreate);
  change.after = row;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(encoder().Encode(Emit(change), &record_).ok());
  EXPECT_EQ(encoder().nulled_values(), 3u);
  EXPECT_EQ(encoder().saturated_values(), 3u);
  EXPECT_EQ(encoder().lost_values(), 3u);
  std::vector<std::pair<ColumnNotice::Kind, std::string>> told;
  for (const ColumnNotice& notice : encoder().TakeNotices())
    told.emplace_back(notice.kind, notice.table + "." + notice.column);
  using Kind = ColumnNotice::Kind;
  EXPECT_THAT(told, ::testing::ElementsAre(std::make_pair(Kind::kValueNulled, "public.t.n"),
                                           std::make_pair(Kind::kValueLimited, "public.t.far"),
                                           std::make_pair(Kind::kValueLost, "public.t.lost")));
  change.before = row;
  EXPECT_TRUE(encoder().SameValue(Emit(change)));
  EXPECT_EQ(encoder().nulled_values(), 3u) << "what is only compared is not counted";
}

// With event.converting.failure.handling.mode=fail Debezium's task stops at these; a timestamp
// beyond nanoseconds stays null.
TEST_F(AbsentValueTest, WhatNoSchemaCanExpressStopsOnRequest) {
  const TestColumn numeric{"c", MakeType("numeric"), NumericTypmod(5, 2)};
  const TestColumn varbit{"c", MakeType("varbit"), 1};
  EXPECT_EQ(One(numeric, Text("NaN")), "null");
  EXPECT_EQ(One(varbit, Text("")), "null");
  options_.values.on_failure = FailureMode::kStop;
  options_.values.time = TimeMode::kNanoseconds;
  encoder_ = nullptr;
  for (const auto& [column, text] : {std::make_pair(numeric, "NaN"), std::make_pair(varbit, "")}) {
    const auto table = MakeTable("t", {column}, {});
    const std::vector<event::Value> row = {Text(text)};
    event::ChangeEvent change = Change(*table, event::Operation::kCreate);
    change.after = row;
    const absl::Status status = encoder().Encode(Emit(change), &record_);
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("event.converting.failure.handling.mode is fail"));
  }
  EXPECT_EQ(One({"c", MakeType("timestamp")}, Text("2500-01-01 00:00:00")), "null");
}

TEST_F(AbsentValueTest, UnsentToastOfBytesFollowsItsMode) {
  options_.values.binary = BinaryMode::kHex;
  EXPECT_EQ(Unsent("bytea"), "\"__debezium_unavailable_value\"");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("bytea"))), "null");
  options_.values.binary = BinaryMode::kBase64;
  options_.values.decimal = DecimalMode::kString;
  options_.values.hstore_map = true;
  encoder_ = nullptr;
  EXPECT_EQ(Unsent("bytea"), "null");
  EXPECT_EQ(Unsent("numeric"), "\"__debezium_unavailable_value\"");
  EXPECT_EQ(Unsent("hstore"), R"({"__debezium_unavailable_value":"__debezium_unavailable_value"})");
  options_.values.keep_lost = true;
  encoder_ = nullptr;
  EXPECT_EQ(Unsent("bytea"), "\"__debezium_unavailable_value\"");
}

TEST_F(AbsentValueTest, TST01_TST04_TST05_TST08_UnsentToastIsAPlaceholderOfTheType) {
  EXPECT_EQ(Unsent("text"), "\"__debezium_unavailable_value\"");
  EXPECT_EQ(Unsent("jsonb"), "\"__debezium_unavailable_value\"");
  EXPECT_EQ(Unsent("bytea"), "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"");
  EXPECT_EQ(Unsent("hstore"),
            R"("{\"__debezium_unavailable_value\":\"__debezium_unavailable_value\"}")");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("text"))), R"(["__debezium_unavailable_value"])");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("bytea"))), R"(["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="])");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("uuid"))), R"(["b68a35a7-17ad-35b3-af2a-ae46edb4545a"])");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("int4"))),
            "[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,"
            "118,97,108,117,101]");
}

TEST_F(AbsentValueTest, UnsentToastWithoutAPlaceholderIsNullAndNeverTheDefault) {
  EXPECT_EQ(One({"c", MakeType("numeric"), NumericTypmod(5, 2), true, "1.50"}, Toast()), "null");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("float8"))), "null");
}

// The schema of a geometry is optional in any case; what a delete has for it is not null.
TEST_F(AbsentValueTest, RequiredGeometryIsAnEmptyCollectionInAnOptionalField) {
  const char* empty = R"({"wkb":"AQcAAAAAAAAA","srid":null})";
  EXPECT_EQ(Filler("geometry"), empty);
  EXPECT_EQ(Filler(DomainOver(MakeType("geometry"))), empty);
  EXPECT_EQ(One({"c", MakeType("geometry"), -1, false, "'01'::geometry"}, Absent()), empty);
  EXPECT_EQ(One({"c", MakeType("geometry")}, Absent()), "null");
  EXPECT_EQ(Filler("geography"), empty);
  EXPECT_EQ(One({"c", MakeType("geometry"), -1, false}, Toast()), "null");
}

TEST_F(AbsentValueTest, UnsentToastOfUnknownTypesIsThePlaceholdersBytes) {
  options_.values.include_unknown = true;
  using event::TypeKind;
  auto own = MakeType("hstore");
  own->schema = "app";
  own->by_hand = true;
  const std::shared_ptr<event::Type> types[] = {MakeType("jsonpath"),
                                                MakeType("path"),
                                                MakeType("int4multirange", TypeKind::kMultirange),
                                                MakeType("pair", TypeKind::kComposite),
                                                MakeType("some_range", TypeKind::kRange),
                                                DomainOver(MakeType("pair", TypeKind::kComposite)),
                                                own};
  const std::string bytes = "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"";
  for (const auto& type : types) {
    EXPECT_EQ(Unsent(type), bytes) << type->name;
    EXPECT_EQ(One({"c", type, -1, false}, Toast()), bytes) << type->name;
    EXPECT_EQ(One({"c", type, -1, true, "'x'"}, Toast()), bytes) << type->name;
    EXPECT_EQ(Unsent(ArrayOf(type)), "null") << type->name;
  }
  options_.unavailable_placeholder = "\x01\xff";
  encoder_ = nullptr;
  EXPECT_EQ(Unsent("jsonpath"), "\"Af8=\"");
  for (const BinaryMode mode : {BinaryMode::kBase64, BinaryMode::kBase64UrlSafe}) {
    options_.values.binary = mode;
    encoder_ = nullptr;
    EXPECT_EQ(Unsent("jsonpath"), "null");
    EXPECT_EQ(Unsent("path"), "null");
  }
  options_.unavailable_placeholder = "P";
  options_.values.binary = BinaryMode::kHex;
  encoder_ = nullptr;
  EXPECT_EQ(Unsent("jsonpath"), "\"P\"");
  EXPECT_EQ(Unsent("path"), "\"P\"");
}

// Debezium goes by the name of the column's own type, which is the domain's.
TEST_F(AbsentValueTest, UnsentToastOfDomains) {
  options_.unavailable_placeholder = "P";
  const auto texts = DomainOver(ArrayOf(MakeType("text")));
  const auto numbers = DomainOver(DomainOver(ArrayOf(MakeType("int4"))));
  const auto hstore = DomainOver(MakeType("hstore"));
  EXPECT_EQ(Unsent(texts), "null");
  EXPECT_EQ(Unsent(numbers), "null");
  EXPECT_EQ(Unsent(hstore), "\"P\"");
  EXPECT_EQ(Unsent(DomainOver(MakeType("text"))), "\"P\"");
  EXPECT_EQ(Unsent(DomainOver(MakeType("bytea"))), "\"UA==\"");
  options_.values.hstore_map = true;
  encoder_ = nullptr;
  EXPECT_EQ(Unsent(hstore), "null");
  options_.values.keep_lost = true;
  encoder_ = nullptr;
  EXPECT_EQ(Unsent(texts), "[\"P\"]");
  EXPECT_EQ(Unsent(numbers), "[80]");
  EXPECT_EQ(Unsent(hstore), "{\"P\":\"P\"}");
}

TEST_F(AbsentValueTest, UnsentToastThatBecomesNullIsToldOnce) {
  const auto table = MakeTable("t",
                               {{"n", MakeType("numeric")},
                                {"text", MakeType("text")},
                                {"always", ArrayOf(MakeType("bit"))}},
                               {});
  const std::vector<event::Value> row = {Toast(), Toast(), Toast()};
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  change.after = row;
  std::vector<std::string> told;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(encoder().Encode(Emit(change), &record_).ok());
    for (const ColumnNotice& notice : encoder().TakeNotices()) {
      EXPECT_EQ(notice.kind, ColumnNotice::Kind::kUnsentNulled);
      told.push_back(notice.column);
    }
  }
  EXPECT_THAT(told, ::testing::ElementsAre("n"));
}

TEST_F(AbsentValueTest, PlaceholderCanBeSet) {
  options_.unavailable_placeholder = "<unchanged>";
  EXPECT_EQ(Unsent("text"), "\"<unchanged>\"");
  EXPECT_EQ(Unsent("bytea"), "\"PHVuY2hhbmdlZD4=\"");
  EXPECT_EQ(Unsent(ArrayOf(MakeType("text"))), R"(["<unchanged>"])");
}

TEST_F(AbsentValueTest, TST10_UnsentToastIsTakenFromTheOldRow) {
  const auto table =
      MakeTable("toast", {{"id", MakeType("int4"), -1, false}, {"big", MakeType("text")}}, {0});
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  const std::vector<event::Value> before = {Text("1"), Text("long")};
  const std::vector<event::Value> after = {Text("1"), Toast()};
  change.before = before;
  change.after = after;
  ASSERT_TRUE(encoder().Encode(Emit(change), &record_).ok());
  EXPECT_THAT(std::string(*record_.value),
              ::testing::HasSubstr(R"("after":{"id":1,"big":"long"})"));
}

TEST_F(AbsentValueTest, UnsentToastInTheKeyIsAnError) {
  const auto table = MakeTable("t", {{"id", MakeType("text"), -1, false}}, {0});
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  const std::vector<event::Value> after = {Toast()};
  change.after = after;
  const absl::Status status = encoder().Encode(Emit(change), &record_);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorReason(status), "toast_value_not_sent");
}

TEST_F(AbsentValueTest, UnsentToastInARequiredColumnWithoutPlaceholderIsAnError) {
  const auto table = MakeTable(
      "t", {{"id", MakeType("int4"), -1, false}, {"n", MakeType("numeric"), -1, false}}, {0});
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  const std::vector<event::Value> after = {Text("1"), Toast()};
  change.after = after;
  EXPECT_EQ(encoder().Encode(Emit(change), &record_).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Placeholder, UuidIsNameBased) {
  EXPECT_EQ(*NameBasedUuid("__debezium_unavailable_value"), "b68a35a7-17ad-35b3-af2a-ae46edb4545a");
  EXPECT_EQ(*NameBasedUuid(""), "d41d8cd9-8f00-3204-a980-0998ecf8427e");
}

}  // namespace
}  // namespace walduct::encode
