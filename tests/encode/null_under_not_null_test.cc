// NULL of a column that is NOT NULL: a constraint that is not valid, a domain, a row older than the
// constraint. A value of the type by default, as Debezium writes it, counted and told once; null in
// an optional field with walduct.lost.values=keep.
#include <gmock/gmock.h>

#include "encode/options/converter_options.h"
#include "encode/options/value_options.h"
#include "encode/types/column_rules.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Kind = ColumnNotice::Kind;

class NullUnderNotNullTest : public EncodeTest {
 protected:
  static std::shared_ptr<event::TableSchema> People(std::vector<uint16_t> key = {0}) {
    return MakeTable("people",
                     {{"id", MakeType("int4"), -1, false},
                      {"email", MakeType("text"), -1, false},
                      {"n", MakeType("int4"), -1, false, "7"},
                      {"tags", ArrayOf(MakeType("text")), -1, false}},
                     std::move(key));
  }

  void Encode(const event::TableSchema& table, event::Operation operation,
              const std::vector<event::Value>& row) {
    event::ChangeEvent change = Change(table, operation);
    (operation == event::Operation::kDelete ? change.before : change.after) = row;
    const absl::Status status = encoder().Encode(Emit(change), &record_);
    ASSERT_TRUE(status.ok()) << status;
  }

  std::vector<std::pair<Kind, std::string>> Told() {
    std::vector<std::pair<Kind, std::string>> told;
    for (const ColumnNotice& notice : encoder().TakeNotices())
      told.emplace_back(notice.kind, notice.table + "." + notice.column);
    return told;
  }

  std::string Value() const { return std::string(*record_.value); }
};

TEST_F(NullUnderNotNullTest, IsAValueOfTheTypeCountedAndToldOnce) {
  const auto table = People();
  const std::vector<event::Value> row = {Text("1"), Null(), Null(), Null()};
  EXPECT_EQ(After(*table, row), R"({"id":1,"email":"","n":7,"tags":[]})");
  EXPECT_EQ(After(*table, row), R"({"id":1,"email":"","n":7,"tags":[]})");
  EXPECT_EQ(encoder().filled_values(), 6u);
  EXPECT_THAT(Told(), ElementsAre(std::make_pair(Kind::kNullFilled, "public.people.email"),
                                  std::make_pair(Kind::kNullFilled, "public.people.n"),
                                  std::make_pair(Kind::kNullFilled, "public.people.tags")));
  EXPECT_EQ(After(*table, row), R"({"id":1,"email":"","n":7,"tags":[]})");
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(NullUnderNotNullTest, OfAKeyIsTold) {
  const auto table = People({1});
  Encode(*table, event::Operation::kDelete, {Text("1"), Null(), Absent(), Absent()});
  EXPECT_EQ(Key(), R"({"email":""})");
  EXPECT_EQ(encoder().filled_values(), 2u);  // in the key and in the old row
  EXPECT_THAT(Told(), ElementsAre(std::make_pair(Kind::kNullFilled, "public.people.email")));
}

// The control: neither is a NULL that the server has sent.
TEST_F(NullUnderNotNullTest, WhatWasNotSentAndWhatAMaskHidesIsNoLoss) {
  Encode(*People(), event::Operation::kDelete, {Text("1"), Absent(), Absent(), Absent()});
  EXPECT_THAT(Value(), HasSubstr(R"("before":{"id":1,"email":"","n":7,"tags":[]})"));
  EXPECT_EQ(encoder().filled_values(), 0u);
  EXPECT_THAT(Told(), IsEmpty());
  const auto table = MakeTable("t", {{"c", MakeType("text")}}, {});
  EXPECT_EQ(After(*table, {Null()}), R"({"c":null})");
  EXPECT_EQ(encoder().filled_values(), 0u);
}

TEST_F(NullUnderNotNullTest, IsKeptInAnOptionalField) {
  options_.values.keep_lost = true;
  options_.value.schemas_enable = true;
  const auto table = People();
  const std::vector<event::Value> whole = {Text("1"), Text("a"), Text("2"), Text("{}")};
  Encode(*table, event::Operation::kCreate, whole);
  EXPECT_THAT(Value(), HasSubstr(R"({"type":"string","optional":false,"field":"email"})"));
  Encode(*table, event::Operation::kCreate, {Text("2"), Null(), Null(), Text("{b}")});
  EXPECT_THAT(Value(), HasSubstr(R"("after":{"id":2,"email":null,"n":null,"tags":["b"]})"));
  EXPECT_THAT(Value(), HasSubstr(R"({"type":"string","optional":true,"field":"email"})"));
  EXPECT_THAT(Value(), HasSubstr(R"({"type":"int32","optional":true,"field":"n"})"));
  EXPECT_THAT(Told(), ElementsAre(std::make_pair(Kind::kNullKept, "public.people.email"),
                                  std::make_pair(Kind::kNullKept, "public.people.n")));
  // The field stays so, also in other versions of the table and in its snapshot.
  const auto later = People();
  Encode(*later, event::Operation::kRead, whole);
  EXPECT_THAT(Value(), HasSubstr(R"({"type":"string","optional":true,"field":"email"})"));
  EXPECT_THAT(Value(), HasSubstr(R"("tags":[])"));
  EXPECT_EQ(encoder().filled_values(), 0u);
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(NullUnderNotNullTest, IsKeptInAKeyAndIsNotTheEmptyText) {
  options_.values.keep_lost = true;
  options_.key.schemas_enable = true;
  const auto table = People({1});
  Encode(*table, event::Operation::kCreate, {Text("1"), Null(), Text("1"), Text("{}")});
  EXPECT_THAT(Key(), HasSubstr(R"({"type":"string","optional":true,"field":"email"})"));
  EXPECT_THAT(Key(), HasSubstr(R"("payload":{"email":null})"));
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  const std::vector<event::Value> null = {Text("1"), Null(), Text("1"), Text("{}")};
  const std::vector<event::Value> empty = {Text("1"), Text(""), Text("1"), Text("{}")};
  change.before = null;
  change.after = empty;
  EXPECT_FALSE(encoder().SameKey(Emit(change)));
  EXPECT_FALSE(encoder().SameValue(Emit(change)));
  change.after = null;
  EXPECT_TRUE(encoder().SameKey(Emit(change)));
}

// As in Debezium: both are published as "".
TEST_F(NullUnderNotNullTest, IsTheEmptyTextByDefault) {
  const auto table = People({1});
  event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
  const std::vector<event::Value> null = {Text("1"), Null(), Text("1"), Text("{}")};
  const std::vector<event::Value> empty = {Text("1"), Text(""), Text("1"), Text("{}")};
  change.before = null;
  change.after = empty;
  EXPECT_TRUE(encoder().SameKey(Emit(change)));
  EXPECT_EQ(encoder().filled_values(), 0u) << "what is only compared is not counted";
}

TEST_F(NullUnderNotNullTest, IsKeptInAvroUnderAnotherSchema) {
  options_.values.keep_lost = true;
  options_.value.kind = ConverterKind::kAvro;
  test::FakeSchemaIds ids;
  encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids, &ids});
  const auto table = People();
  Encode(*table, event::Operation::kCreate, {Text("1"), Text("a"), Text("1"), Text("{}")});
  const std::string id = Value().substr(0, 5);
  Encode(*table, event::Operation::kCreate, {Text("1"), Null(), Text("1"), Text("{}")});
  EXPECT_NE(Value().substr(0, 5), id);
  EXPECT_EQ(encoder().filled_values(), 0u);
}

}  // namespace
}  // namespace walduct::encode
