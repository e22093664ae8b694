// Column filters, masks and propagated types. Values were recorded from Debezium 3.6.1 unless a
// test says otherwise.
#include "encode/types/column_rules.h"

#include <string>

#include "encode/options/column_options.h"
#include "encode/options/converter_options.h"
#include "encode/table/table_plan.h"
#include "encode/types/source_type.h"
#include "encode/values/text_hash.h"
#include "java/regex/regex_list.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using java::RegexList;

std::shared_ptr<const RegexList> List(const std::string& text) {
  return RegexList::OfChecked(text);
}

ColumnMask Stars(uint32_t length, const std::string& columns) {
  return {ColumnMaskKind::kStars, length, "", "", List(columns)};
}
ColumnMask Truncate(uint32_t length, const std::string& columns) {
  return {ColumnMaskKind::kTruncate, length, "", "", List(columns)};
}
ColumnMask Hash(ColumnMaskKind kind, const std::string& algorithm, const std::string& salt,
                const std::string& columns) {
  return {kind, 0, algorithm, salt, List(columns)};
}

constexpr int32_t kVarchar20 = 24;

class ColumnRulesTest : public EncodeTest {
 protected:
  // One column besides the key; `after` of an insert.
  std::string AfterOf(const TestColumn& column, const event::Value& value) {
    table_ = MakeTable("t", {{"id", MakeType("int4"), -1, false}, column}, {0});
    return After(*table_, {Text("1"), value});
  }

  std::string ColumnOf(const TestColumn& column, const event::Value& value) {
    const std::string after = AfterOf(column, value);
    const std::string begin = "{\"id\":1,\"" + column.name + "\":";
    EXPECT_EQ(after.substr(0, begin.size()), begin);
    return after.substr(begin.size(), after.size() - begin.size() - 1);
  }

  std::string Parameters(const TestColumn& column, bool snapshot = false) {
    table_ = MakeTable("t", {column}, {});
    const TablePlan plan = CompileTable(
        {.schema = table_.get(), .topic = "srv.public.t", .snapshot = snapshot}, options_);
    std::string text;
    for (const auto& [key, value] :
         plan.envelope_schema->fields[0].schema->fields[0].schema->parameters)
      text += key.substr(key.rfind('.') + 1) + "=" + value + " ";
    return text;
  }

  std::shared_ptr<event::TableSchema> table_;
};

TEST_F(ColumnRulesTest, FLT02ExcludedColumnsAreAbsentAndKeysStay) {
  options_.columns.exclude = List("public.orders.id,PUBLIC.orders.NOTE");
  options_.value.schemas_enable = true;
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("1"), Text("ann"), Null(), Text("x")};
  const std::string value = Insert(*orders, row);
  EXPECT_NE(value.find(R"("after":{"customer":"ann","total":null})"), std::string::npos);
  EXPECT_EQ(value.find("note"), std::string::npos);
  EXPECT_EQ(Key(), R"({"id":1})");
}

TEST_F(ColumnRulesTest, FLT02AnExcludedColumnIsOptionalInTheKey) {
  options_.columns.exclude = List("public.t.a");
  options_.key.schemas_enable = true;
  const auto table = MakeTable(
      "t", {{"a", MakeType("int4"), -1, false, "7"}, {"b", MakeType("int4"), -1, false, "7"}},
      {0, 1});
  Insert(*table, {Text("1"), Text("2")});
  EXPECT_NE(Key().find(R"([{"type":"int32","optional":true,"field":"a"},)"
                       R"({"type":"int32","optional":false,"default":7,"field":"b"}])"),
            std::string::npos)
      << Key();
}

TEST_F(ColumnRulesTest, FLT02OnlyIncludedColumnsAreThere) {
  options_.columns.include = List("public\\.orders\\.(id|total)");
  EXPECT_EQ(After(*OrdersTable(), {Text("1"), Text("ann"), Null(), Text("x")}),
            R"({"id":1,"total":null})");
}

TEST_F(ColumnRulesTest, FLT02IncludeListThatMatchesNothingLeavesAnEmptyRow) {
  options_.columns.include = List("orders.id");
  EXPECT_EQ(After(*OrdersTable(), {Text("1"), Text("ann"), Null(), Text("x")}), "{}");
}

TEST_F(ColumnRulesTest, FLT03StarsStandForEveryValueNullToo) {
  options_.columns.masks = {Stars(5, "public.t.c")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Text("secret")), R"("*****")");
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Null()), R"("*****")");
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Toast()), R"("*****")");
  EXPECT_EQ(ColumnOf({"c", MakeType("text"), -1, false}, Absent()), R"("*****")");
  EXPECT_EQ(Parameters({"c", MakeType("text")}), "masked=true ");
}

TEST_F(ColumnRulesTest, FLT03NoStarsAreAnEmptyText) {
  options_.columns.masks = {Stars(0, "public.t.c")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Text("secret")), R"("")");
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Null()), R"("")");
}

TEST_F(ColumnRulesTest, FLT03StarsOfAStructArePrintedForNull) {
  options_.value.kind = ConverterKind::kString;
  options_.columns.masks = {Stars(2, "public.t.c")};
  table_ = MakeTable("t", {{"c", MakeType("text")}}, {});
  EXPECT_NE(Insert(*table_, {Null()}).find("after=Struct{c=**}"), std::string::npos);
}

TEST_F(ColumnRulesTest, FLT04HashesAreCutToTheColumnsLength) {
  options_.columns.masks = {Hash(ColumnMaskKind::kHash, "SHA-256", "CzQMA0cB5K", ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("varchar"), kVarchar20}, Text("test")),
            R"("8e68c68edbbac316dfe2")");
  EXPECT_EQ(ColumnOf({"c", MakeType("varchar"), kVarchar20}, Null()), "null");
  EXPECT_EQ(ColumnOf({"c", DomainOver(MakeType("varchar"), 12)}, Text("dom8")), R"("98111b46")");
  EXPECT_EQ(ColumnOf({"c", EnumOf({"sad", "happy"})}, Text("happy")),
            R"("a2d7e8d859af890ef7a87e7b6fb263b9740cf98115c78919838dabee36ecaba3")");
  EXPECT_EQ(ColumnOf({"c", MakeType("char")}, Text("q")), R"("2")");
}

TEST_F(ColumnRulesTest, FLT04SecondFormHashesUtf8) {
  options_.columns.masks = {Hash(ColumnMaskKind::kHashV2, "MD5", "s.a.l.t", "public.t.*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Text("hello w\xC3\xB6rld \xF0\x9F\x98\x80 and more")),
            R"("c54533b99776a9bab267143c4a4ab7dc")");
  EXPECT_EQ(ColumnOf({"c", MakeType("bpchar"), 14}, Text("pad       ")), R"("25b161c617")");
}

TEST_F(ColumnRulesTest, FLT04RequiredColumnsHashWhatReplacesNull) {
  options_.columns.masks = {Hash(ColumnMaskKind::kHashV2, "SHA-256", "CzQMA0cB5K", ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text"), -1, false}, Absent()),
            R"("38bc986eb4a5475fab16ac693f6c1b4c2445600da5c5aec3d04301e48d6d0d68")");
}

// Every algorithm over "value", alternately in the first and the second form.
TEST_F(ColumnRulesTest, FLT04Algorithms) {
  const auto hash = [](ColumnMaskKind kind, const std::string& algorithm, const std::string& salt,
                       const std::string& text) {
    TextHash hasher(Hash(kind, algorithm, salt, ""));
    std::string buffer, hex;
    hasher.Compute(text, &buffer, &hex);
    return hex;
  };
  const auto v1 = ColumnMaskKind::kHash, v2 = ColumnMaskKind::kHashV2;
  EXPECT_EQ(hash(v2, "MD5", "S1", "value"), "de27f07544bb94480ff8c14626bed86e");
  EXPECT_EQ(hash(v1, "SHA-1", "S2", "value"), "a734698a9609d553454d09a29e5825864ae9d66f");
  EXPECT_EQ(hash(v1, "SHA-256", "S4", "value"),
            "b4441897784305daebe636432bc77009f5dfe56b9a8e612bc0654558d98a1953");
  EXPECT_EQ(hash(v2, "SHA-224", "S5", "value"),
            "df2eca9180392a44fbdbe35bd8d72f201f6dd33c27e979d976cfa879");
  EXPECT_EQ(
      hash(v1, "SHA-384", "S6", "value"),
      "fbf8b0093edcdb9427300f90acd29ce0a5dfde80124bfc2d85c9faf4906831bd3686347b05e16ae2dcfb83af"
      "1d66c8d0");
  EXPECT_EQ(hash(v2, "SHA-512/256", "S7", "value"),
            "eea6b7dd627ef3def9bf18f8f72315dbf9447d0572130b65c5807f61bb7bf9f3");
  EXPECT_EQ(hash(v1, "SHA3-256", "S8", "value"),
            "35875f8a745b790bb5951b6dce12e6fa1b5d3c7466e949662f98d79c1d25d51b");
  EXPECT_EQ(hash(v2, "SHA-512/224", "S9", "value"),
            "0c61eaed4409a1b9457e97cdcc8fa33b3d7bcb0632a36be54fa83733");
  EXPECT_EQ(hash(v1, "SHA-256", "CzQMA0cB5K", "h\xC3\xA9llo"),
            "e1cabcbccd0599b70ea60ecae7b77462ff6c9ea7198d9aeccfe683eb96fd9667");
  EXPECT_EQ(hash(v2, "MD5", "S1", "\xF0\x9F\x98\x80"), "830c27f84eed34a9e90b816c7016c063");
}

TEST_F(ColumnRulesTest, FLT04LongTextsTakeJavasOtherForm) {
  std::string text, java;
  for (int i = 0; i < 40000; ++i) text += "\xC3\xA9";
  TextHash hasher(Hash(ColumnMaskKind::kHash, "MD5", "long", ""));
  std::string hex;
  hasher.Compute(text, &java, &hex);
  EXPECT_EQ(hex, "f41915680672ead21cdaa926b191b530");
  EXPECT_EQ(java.size(), 4u + 1 + 8 + 80000);
}

TEST_F(ColumnRulesTest, FLT04JavaSplitsCharactersBeyondU_FFFF) {
  std::string java;
  AppendJavaString("a\xF0\x9F\x98\x80", &java);
  EXPECT_EQ(java, std::string("\xAC\xED\x00\x05\x74\x00\x07"
                              "a\xED\xA0\xBD\xED\xB8\x80",
                              14));
}

TEST_F(ColumnRulesTest, FLT05TruncatedByCharacters) {
  options_.columns.masks = {Truncate(12, ".*")};
  const auto cut = [&](const std::string& type, const std::string& text) {
    return ColumnOf({"c", MakeType(type)}, Text(text));
  };
  EXPECT_EQ(cut("text", "hello w\xC3\xB6rld \xF0\x9F\x98\x80 and more"), "\"hello w\xC3\xB6rld \"");
  EXPECT_EQ(cut("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), R"("a0eebc99-9c0")");
  EXPECT_EQ(cut("timestamptz", "2020-01-02 03:04:05.678+00"), R"("2020-01-02T0")");
  EXPECT_EQ(cut("bytea", "\\x0102030405060708090a0b0c0d0e0f"), R"("AQIDBAUGBwgJCgsM")");
  EXPECT_EQ(cut("int4", "1234567890"), "1234567890");
}

TEST_F(ColumnRulesTest, FLT05BytesOfUnknownTypesAreTruncated) {
  options_.values.include_unknown = true;
  options_.columns.masks = {Truncate(3, ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("path")}, Text("[(1,2),(3,4)]")), R"("Wygx")");
}

// It may have been one of text: what is to be hidden is never shown.
TEST_F(ColumnRulesTest, ColumnsOfDroppedTypesAreMasked) {
  options_.columns.masks = {Stars(5, ".*")};
  const auto dropped = [](const std::string& name, const std::string& schema) {
    auto type = MakeType(name, event::TypeKind::kUnknown);
    type->schema = schema;
    return type;
  };
  EXPECT_EQ(ColumnOf({"c", dropped("status", "public")}, Text("draft")), R"("*****")");
  EXPECT_EQ(ColumnOf({"c", dropped("varchar", "pg_catalog")}, Text("draft")), R"("*****")");
  EXPECT_EQ(ColumnOf({"c", dropped("int4", "pg_catalog")}, Text("7")), "7");
}

TEST_F(ColumnRulesTest, FLT05OnlyColumnsThatCanBeLonger) {
  options_.columns.masks = {Truncate(12, ".*")};
  EXPECT_EQ(Parameters({"c", MakeType("text")}), "truncateLength=12 ");
  EXPECT_EQ(Parameters({"c", MakeType("int8")}), "truncateLength=12 ");
  EXPECT_EQ(Parameters({"c", MakeType("int4")}), "");
  EXPECT_EQ(Parameters({"c", MakeType("varchar"), 14}), "");
  EXPECT_EQ(Parameters({"c", MakeType("varchar"), kVarchar20}), "truncateLength=12 ");
}

// Debezium would write half a pair of surrogates.
TEST_F(ColumnRulesTest, FLT05ACharacterIsNeverSplit) {
  options_.columns.masks = {Truncate(2, ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Text("a\xF0\x9F\x98\x80")), R"("a")");
}

TEST_F(ColumnRulesTest, PlaceholdersAreMaskedLikeValues) {
  options_.columns.masks = {Truncate(2, ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Toast()), R"("__")");
  EXPECT_EQ(ColumnOf({"c", MakeType("bytea")}, Toast()),
            R"("X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==")");
}

TEST_F(ColumnRulesTest, MasksApplyToCharacterTypesOnlyAndSaySo) {
  options_.columns.masks = {Stars(5, ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("jsonb")}, Text("{}")), R"("{}")");
  const auto notices = encoder().TakeNotices();
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices.back().kind, ColumnNotice::Kind::kMaskWithoutEffect);
  EXPECT_EQ(notices.back().column, "c");
  EXPECT_EQ(Parameters({"c", MakeType("jsonb")}), "masked=true ");
}

TEST_F(ColumnRulesTest, FLT12MaskedKeyIsWrittenAsItIsAndReported) {
  options_.columns.masks = {Stars(5, ".*")};
  table_ = MakeTable("t", {{"k", MakeType("text"), -1, false}}, {0});
  EXPECT_EQ(After(*table_, {Text("secret")}), R"({"k":"*****"})");
  EXPECT_EQ(Key(), R"({"k":"secret"})");
  const auto notices = encoder().TakeNotices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].kind, ColumnNotice::Kind::kMaskedKey);
}

// Unlike Debezium, which takes the first rule alone and lets the text through.
TEST_F(ColumnRulesTest, AMaskIsNeverLostToAnotherRule) {
  options_.columns.propagate_columns = List(".*");
  options_.columns.masks = {Truncate(3, ".*"), Hash(ColumnMaskKind::kHashV2, "MD5", "S1", ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("text")}, Text("value")),
            R"("de27f07544bb94480ff8c14626bed86e")");
  EXPECT_EQ(Parameters({"c", MakeType("text")}), "masked=true ");
  options_.columns.masks = {Hash(ColumnMaskKind::kHashV2, "MD5", "S1", ".*")};
  EXPECT_EQ(Parameters({"c", MakeType("text")}),
            "type=TEXT length=2147483647 scale=0 name=c masked=true ");
}

TEST_F(ColumnRulesTest, WhereAMaskDoesNotApplyDebeziumsOrderDecides) {
  options_.columns.masks = {Truncate(3, ".*"), Stars(5, ".*")};
  EXPECT_EQ(ColumnOf({"c", MakeType("uuid")}, Text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
            R"("a0e")");
  EXPECT_EQ(Parameters({"c", MakeType("uuid")}), "truncateLength=3 ");
}

TEST_F(ColumnRulesTest, TYP62SourceTypesArePropagated) {
  options_.columns.propagate_columns = List("public.t.*");
  const auto of = [&](const std::string& type, int32_t typmod = -1) {
    return Parameters({"c", MakeType(type), typmod});
  };
  EXPECT_EQ(of("int4"), "type=INT4 length=10 scale=0 name=c ");
  EXPECT_EQ(of("float8"), "type=FLOAT8 length=17 scale=17 name=c ");
  EXPECT_EQ(of("numeric", NumericTypmod(10, 2)),
            "scale=2 precision=10 type=NUMERIC length=10 scale=2 name=c ");
  EXPECT_EQ(of("varchar", kVarchar20), "type=VARCHAR length=20 scale=0 name=c ");
  EXPECT_EQ(of("date"), "type=DATE length=13 scale=0 name=c ");
  EXPECT_EQ(of("time", 1), "type=TIME length=11 scale=1 name=c ");
  EXPECT_EQ(of("timetz"), "type=TIMETZ length=21 scale=6 name=c ");
  EXPECT_EQ(of("timestamp", 0), "type=TIMESTAMP length=22 scale=0 name=c ");
  EXPECT_EQ(of("timestamptz", 1), "type=TIMESTAMPTZ length=31 scale=1 name=c ");
  EXPECT_EQ(of("interval"), "type=INTERVAL length=49 scale=6 name=c ");
  EXPECT_EQ(of("varbit", 9), "length=9 type=VARBIT length=9 scale=0 name=c ");
  EXPECT_EQ(of("citext"), "type=CITEXT length=2147483647 scale=0 name=c ");
  EXPECT_EQ(Parameters({"c", ArrayOf(MakeType("int4"))}), "type=_INT4 length=10 scale=0 name=c ");
  EXPECT_EQ(Parameters({"c", ArrayOf(MakeType("numeric"))}),
            "type=_NUMERIC length=131089 scale=0 name=c ");
  EXPECT_EQ(Parameters({"c", DomainOver(MakeType("text"))}),
            "type=SOME_DOMAIN length=2147483647 scale=0 name=c ");
}

TEST_F(ColumnRulesTest, TYP62TheLengthOfAnArrayOfDomainsIsUnknown) {
  event::Column column;
  column.type = ArrayOf(DomainOver(MakeType("timestamp")));
  const SourceType source = SourceTypeOf(column, false);
  EXPECT_EQ(source.length, 2147483647);
  EXPECT_EQ(source.scale, 0);
}

TEST_F(ColumnRulesTest, TYP62NumericWithoutModifierDiffersInASnapshot) {
  options_.columns.propagate_columns = List("public.t.*");
  EXPECT_EQ(Parameters({"c", MakeType("numeric")}), "type=NUMERIC length=131089 scale=0 name=c ");
  EXPECT_EQ(Parameters({"c", MakeType("numeric")}, true), "type=NUMERIC length=0 name=c ");
  EXPECT_EQ(Parameters({"c", DomainOver(MakeType("numeric"))}, true),
            "type=SOME_DOMAIN length=131089 scale=0 name=c ");
}

TEST_F(ColumnRulesTest, IntegersWithASequenceAreSerialInASnapshot) {
  const auto name = [](const char* type, const char* expression, bool snapshot) {
    event::Column column;
    column.type = MakeType(type);
    column.default_expression = expression;
    return SourceTypeOf(column, snapshot).name;
  };
  const char* next = "nextval('public.t_s_seq'::regclass)";
  EXPECT_EQ(name("int2", next, true), "smallserial");
  EXPECT_EQ(name("int4", next, true), "serial");
  EXPECT_EQ(name("int8", "(nextval('s'::regclass) * 2)", true), "bigserial");
  EXPECT_EQ(name("int4", next, false), "int4");
  EXPECT_EQ(name("int4", "7", true), "int4");
  EXPECT_EQ(name("text", "('a'::text || nextval('s'::regclass))", true), "text");
}

TEST_F(ColumnRulesTest, TYP62SourceTypesByType) {
  options_.columns.propagate_types = List(R"(public\.t\.(TEXT|_int4))");
  EXPECT_NE(Parameters({"c", MakeType("text")}), "");
  EXPECT_NE(Parameters({"c", ArrayOf(MakeType("int4"))}), "");
  EXPECT_EQ(Parameters({"c", MakeType("int4")}), "");
  EXPECT_EQ(Parameters({"c", MakeType("varchar")}), "");
}

TEST_F(ColumnRulesTest, KeysCarryNoParameters) {
  options_.columns.propagate_columns = List(".*");
  options_.key.schemas_enable = true;
  table_ = MakeTable("t", {{"id", MakeType("int4"), -1, false}}, {0});
  After(*table_, {Text("1")});
  EXPECT_EQ(
      Key(),
      R"({"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],)"
      R"("optional":false,"name":"srv.public.t.Key"},"payload":{"id":1}})");
}

}  // namespace
}  // namespace walduct::encode
