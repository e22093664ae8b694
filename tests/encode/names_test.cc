// Names of schemas and fields, and keys that are not the table's own. Values were recorded from
// Debezium 3.6.1.
#include <string>

#include "encode/options/column_options.h"
#include "encode/options/converter_options.h"
#include "java/regex/regex_list.h"
#include "names/name_adjustment.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using names::NameAdjustment;
constexpr auto kAvro = NameAdjustment::kAvro;
constexpr auto kUnicode = NameAdjustment::kAvroUnicode;

TEST(NameAdjuster, ENV14SchemaNames) {
  EXPECT_EQ(names::AdjustSchemaName("srv.public.sp-ecial_chars", kAvro),
            "srv.public.sp_ecial_chars");
  EXPECT_EQ(names::AdjustSchemaName("1.2", kAvro), "_1.2");
  EXPECT_EQ(names::AdjustSchemaName("1.2", kUnicode), "_u0031.2");
  EXPECT_EQ(names::AdjustSchemaName(".x", kAvro), "_x");
  EXPECT_EQ(names::AdjustSchemaName(".x", kUnicode), "_u002ex");
  EXPECT_EQ(names::AdjustSchemaName("a_b", kUnicode), "a_u005fb");
  EXPECT_EQ(names::AdjustSchemaName("S\xC3\xA9lect", NameAdjustment::kNone), "S\xC3\xA9lect");
}

TEST(NameAdjuster, ENV14FieldNames) {
  EXPECT_EQ(names::AdjustFieldName("a.b", kAvro), "a_b");
  EXPECT_EQ(names::AdjustFieldName("a.b", kUnicode), "a_u002eb");
  EXPECT_EQ(names::AdjustFieldName("1st", kAvro), "_1st");
  EXPECT_EQ(names::AdjustFieldName("1st", kUnicode), "_u0031st");
  EXPECT_EQ(names::AdjustFieldName("S\xC3\xA9lect", kAvro), "S_lect");
  EXPECT_EQ(names::AdjustFieldName("\xF0\x9F\x98\x80x", kAvro), "__x");
  EXPECT_EQ(names::AdjustFieldName("\xF0\x9F\x98\x80x", kUnicode), "_ud83d_ude00x");
  EXPECT_EQ(names::AdjustFieldName("_u", kUnicode), "_u005fu");
  EXPECT_EQ(names::AdjustFieldName("\xC5\x82", kUnicode), "_u142");
  EXPECT_EQ(names::AdjustFieldName("\t", kUnicode), "_u009");
  EXPECT_EQ(names::AdjustFieldName("1-a", kAvro), "_1_a");
  EXPECT_EQ(names::AdjustFieldName("", kAvro), "");
}

class NamesTest : public EncodeTest {};

TEST_F(NamesTest, AdjustedNamesAreUsedInKeyValueAndSchemas) {
  options_.field_names = kAvro;
  options_.schema_names = kAvro;
  options_.key.schemas_enable = true;
  const auto table = MakeTable("sp-ecial", {{"the id", MakeType("int4"), -1, false}}, {0});
  EXPECT_EQ(After(*table, {Text("1")}), R"({"the_id":1})");
  EXPECT_EQ(
      Key(),
      R"({"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"the_id"}],)"
      R"("optional":false,"name":"srv.public.sp_ecial.Key"},"payload":{"the_id":1}})");
}

TEST_F(NamesTest, TwoColumnsOfOneNameAreAnError) {
  options_.field_names = kAvro;
  const auto table = MakeTable("t", {{"a b", MakeType("int4")}, {"a-b", MakeType("int4")}}, {});
  event::ChangeEvent change = Change(*table, event::Operation::kCreate);
  const std::vector<event::Value> row = {Text("1"), Text("2")};
  change.after = row;
  const absl::Status status = encoder().Encode(Emit(change), &record_);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("a_b"), std::string::npos);
}

class KeyRuleTest : public EncodeTest {
 protected:
  std::string KeyOf(const event::KeyRule& rule, const std::vector<event::Value>& row) {
    event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
    change.after = row;
    event::Emission emission = Emit(change);
    emission.key_rule = &rule;
    emission.key = event::KeySource::kAfter;
    emission.key_header = event::KeyHeader::kNewKey;
    EXPECT_TRUE(encoder().Encode(emission, &record_).ok());
    return Key();
  }

  const std::shared_ptr<event::TableSchema> orders_ = OrdersTable();
  const std::vector<event::Value> row_ = {Text("1"), Text("ann"), Text("2.00"), Null()};
};

TEST_F(KeyRuleTest, KEY05ColumnsInTheOrderOfTheRule) {
  EXPECT_EQ(KeyOf({{1, 0}, "", ""}, row_), R"({"customer":"ann","id":1})");
  EXPECT_EQ(record_.headers[0].value, R"({"customer":"ann","id":1})");
}

TEST_F(KeyRuleTest, KEY05NullableColumnsMayBeNull) {
  EXPECT_EQ(KeyOf({{3}, "", ""}, row_), R"({"note":null})");
}

TEST_F(KeyRuleTest, ExtraFieldNamesTheTable) {
  EXPECT_EQ(KeyOf({{0}, "phys", "srv.public.\"o\""}, row_),
            R"({"id":1,"phys":"srv.public.\"o\""})");
  EXPECT_EQ(record_.headers[0].value, R"({"id":1,"phys":"srv.public.\"o\""})");
}

TEST_F(KeyRuleTest, ExtraFieldAloneIsAKey) {
  options_.key.schemas_enable = true;
  EXPECT_EQ(
      KeyOf({{}, "phys", "t"}, row_),
      R"({"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"phys"}],)"
      R"("optional":false,"name":"srv.public.orders.Key"},"payload":{"phys":"t"}})");
}

TEST_F(KeyRuleTest, ExtraFieldInAStruct) {
  options_.key.kind = ConverterKind::kString;
  EXPECT_EQ(KeyOf({{3, 0}, "phys", "t"}, row_), "Struct{id=1,phys=t}");
  encoder_ = nullptr;
  EXPECT_EQ(KeyOf({{3}, "phys", "t"}, row_), "Struct{phys=t}");
}

class ComparisonTest : public EncodeTest {
 protected:
  bool SameValue(const TestColumn& column, const event::Value& before, const event::Value& after,
                 event::OldRow sent = event::OldRow::kWhole) {
    table_ = MakeTable("t", {column}, {});
    event::ChangeEvent change = Change(*table_, event::Operation::kUpdate);
    const std::vector<event::Value> old_row = {before}, row = {after};
    change.before = old_row;
    change.after = row;
    change.old_row = sent;
    return encoder().SameValue(Emit(change));
  }

  std::shared_ptr<event::TableSchema> table_;
};

TEST_F(ComparisonTest, FLT07PublishedValuesAreCompared) {
  EXPECT_TRUE(SameValue({"n", MakeType("numeric")}, Text("1.0"), Text("1.00")));
  EXPECT_FALSE(SameValue({"n", MakeType("numeric")}, Text("1.0"), Text("1.01")));
  EXPECT_TRUE(SameValue({"n", MakeType("text")}, Null(), Null()));
  EXPECT_TRUE(SameValue({"n", MakeType("text")}, Text("long"), Toast()));
  EXPECT_TRUE(SameValue({"l", MakeType("pg_lsn")}, Text("0/1"), Text("0/2"))) << "left out";
}

TEST_F(ComparisonTest, FLT07WhatMayNotHaveBeenSentIsNotNull) {
  const event::Value absent{nullptr, 0, event::ValueKind::kAbsent};
  for (const event::OldRow old_row : {event::OldRow::kKey, event::OldRow::kUnsure}) {
    EXPECT_FALSE(SameValue({"n", MakeType("text")}, absent, Null(), old_row));
    EXPECT_FALSE(SameValue({"n", MakeType("text")}, absent, Text("x"), old_row));
    EXPECT_TRUE(SameValue({"n", MakeType("text")}, Text("x"), Text("x"), old_row));
    EXPECT_TRUE(SameValue({"l", MakeType("pg_lsn")}, absent, Null(), old_row)) << "left out";
  }
}

TEST_F(ComparisonTest, FLT07NullIsNotItsDefault) {
  EXPECT_FALSE(SameValue({"n", MakeType("text"), -1, true, "'x'::text"}, Null(), Text("x")));
}

TEST_F(ComparisonTest, FLT07MaskedAndExcludedColumnsDoNotCount) {
  options_.columns.masks = {
      {ColumnMaskKind::kTruncate, 2, "", "", java::RegexList::OfChecked("public.t.x")},
      {ColumnMaskKind::kStars, 3, "", "", java::RegexList::OfChecked("public.t.m")}};
  options_.columns.exclude = java::RegexList::OfChecked("public.t.e");
  EXPECT_TRUE(SameValue({"x", MakeType("text")}, Text("xyz"), Text("xyw")));
  EXPECT_FALSE(SameValue({"x", MakeType("text")}, Text("xyz"), Text("xzz")));
  EXPECT_TRUE(SameValue({"m", MakeType("text")}, Null(), Text("secret")));
  EXPECT_TRUE(SameValue({"e", MakeType("text")}, Text("a"), Text("b")));
}

TEST_F(ComparisonTest, ValuesThatCannotBeWrittenDiffer) {
  EXPECT_FALSE(SameValue({"i", MakeType("int4")}, Text("1"), Text("one")));
}

class PlanCacheTest : public EncodeTest {};

TEST_F(PlanCacheTest, TwoVersionsAndTopicsOfOneTableAlternate) {
  const auto first = OrdersTable();
  const auto second = std::make_shared<event::TableSchema>(*first);
  second->columns[1].name = "client";
  const std::vector<event::Value> row = {Text("1"), Text("ann"), Null(), Null()};
  options_.value.schemas_enable = true;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(Insert(*first, row).find(R"("customer":"ann")"), std::string::npos);
    EXPECT_NE(Insert(*second, row).find(R"("client":"ann")"), std::string::npos);
    event::ChangeEvent change = Change(*first, event::Operation::kCreate);
    change.after = row;
    event::Emission emission = Emit(change);
    emission.topic = "elsewhere";
    ASSERT_TRUE(encoder().Encode(emission, &record_).ok());
    EXPECT_NE(record_.value->find(R"("name":"elsewhere.Envelope")"), std::string::npos);
  }
}

// More versions than are kept: the oldest are compiled anew.
TEST_F(PlanCacheTest, OldVersionsMakeRoom) {
  std::vector<std::shared_ptr<event::TableSchema>> versions;
  for (int i = 0; i < 20; ++i) {
    versions.push_back(std::make_shared<event::TableSchema>(*OrdersTable()));
    versions.back()->columns[3].name = "note" + std::to_string(i);
  }
  const std::vector<event::Value> row = {Text("1"), Text("ann"), Null(), Null()};
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i)
      EXPECT_NE(
          After(*versions[static_cast<size_t>(i)], row).find("note" + std::to_string(i) + "\""),
          std::string::npos);
  }
}

}  // namespace
}  // namespace walduct::encode
