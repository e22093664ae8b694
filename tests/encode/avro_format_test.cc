// Avro: every type and every kind of record, decoded by the schema alone, is what JsonConverter
// writes of the same; the frame; what is waited for.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "base/error.h"
#include "encode/formats/avro_writer.h"
#include "encode/options/column_options.h"
#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"
#include "java/regex/regex_list.h"
#include "tests/encode/format_fixture.h"
#include "tests/encode/toy_reader.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;

class AvroFormatTest : public FormatTest<AvroWriter, AvroReader> {
 protected:
  AvroFormatTest() {
    options_.key.kind = ConverterKind::kAvro;
    options_.value.kind = ConverterKind::kAvro;
    encoder_ = nullptr;
  }

  RecordEncoder& avro() {
    if (encoder_ == nullptr)
      encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids_, &ids_});
    return *encoder_;
  }

  absl::Status Encode(const event::Emission& emission) { return avro().Encode(emission, &record_); }

  // The body by the table's schema.
  std::string Decoded(absl::string_view framed, const ConnectSchema& schema) {
    std::string json;
    AvroReader reader(framed.substr(5), &json);
    reader.Value(schema);
    EXPECT_TRUE(reader.done());
    return json;
  }

  test::FakeSchemaIds ids_;
};

TEST_F(AvroFormatTest, HoldsEveryType) { ExpectSameInEveryType(); }

TEST_F(AvroFormatTest, HoldsEveryTypeAsText) {
  options_.values.decimal = DecimalMode::kString;
  options_.values.time = TimeMode::kIsoString;
  options_.values.binary = BinaryMode::kHex;
  options_.values.interval_string = true;
  options_.values.hstore_map = true;
  options_.values.include_unknown = true;
  ExpectSameInEveryType();
}

TEST_F(AvroFormatTest, HoldsEveryTypeAsNumbers) {
  options_.values.decimal = DecimalMode::kDouble;
  options_.values.time = TimeMode::kConnect;
  ExpectSameInEveryType();
}

TEST_F(AvroFormatTest, HoldsDefaultsInThePlaceOfNull) {
  const auto table = MakeTable("t",
                               {{"a", ArrayOf(MakeType("int4"))},
                                {"n", MakeType("numeric"), NumericTypmod(10, 2)},
                                {"d", MakeType("int4"), -1, false, "7"},
                                {"e", MakeType("int4"), -1, true, "7"},
                                {"f", MakeType("float8"), -1, true, "1.5"}},
                               {});
  ExpectSame(*table, {Text("{1,NULL,3}"), Text("NaN"), Null(), Null(), Null()});
  ExpectSame(*table, {Toast(), Text("-0.01"), Text("8"), Text("8"), Text("-Infinity")});
}

// The count of items does not fit in one byte, and an array of arrays of counts neither.
TEST_F(AvroFormatTest, HoldsManyItems) {
  const auto table = MakeTable("t", {{"a", ArrayOf(MakeType("int4"))}}, {});
  for (const int count : {1, 63, 64, 8191, 8192}) {
    std::string text = "{0";
    for (int i = 1; i < count; ++i) text += ",5";
    ExpectSame(*table, {event::Value::Text(text + "}")});
  }
}

TEST_F(AvroFormatTest, WritesWhatTheRealConverterDoes) {
  const auto table = MakeTable("t",
                               {{"id", MakeType("int4"), -1, false},
                                {"a", MakeType("text")},
                                {"n", MakeType("numeric"), NumericTypmod(8, 2)}},
                               {0});
  event::ChangeEvent change = Change(*table, event::Operation::kCreate);
  const std::vector<event::Value> row = {Text("1"), Text("one"), Text("1.10")};
  change.after = row;
  ASSERT_TRUE(Encode(Emit(change)).ok());
  EXPECT_EQ(absl::BytesToHexString(*record_.key), "000000000102");
  EXPECT_EQ(
      absl::BytesToHexString(record_.value->substr(0, 43)),
      "000000000200020202066f6e6502026e16332e362e312e46696e616c14706f737467726573716c06737276");
  EXPECT_EQ(ids_.subjects(), (std::vector<std::string>{"srv.public.t-key", "srv.public.t-value"}));
}

TEST_F(AvroFormatTest, HoldsRecordsAsJsonDoes) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  EncodeOptions json_options = options_;
  json_options.key.kind = json_options.value.kind = ConverterKind::kJson;
  auto json = *RecordEncoder::Create(json_options, clock_, "01a1fbb7");
  const TablePlan plan =
      CompileTable({.schema = orders.get(), .topic = "srv.public.orders"}, options_);
  for (const event::Operation operation : {event::Operation::kRead, event::Operation::kCreate,
                                           event::Operation::kUpdate, event::Operation::kDelete}) {
    for (const uint32_t xid : {204126u, 204127u}) {
      event::ChangeEvent change = Change(*orders, operation);
      change.xid = xid;
      if (operation != event::Operation::kCreate) change.before = row;
      if (operation != event::Operation::kDelete) change.after = row;
      if (operation == event::Operation::kRead) change.snapshot = event::SnapshotMarker::kLast;
      if (operation == event::Operation::kUpdate) change.origin = "other";
      event::Emission emission = Emit(change);
      if (operation == event::Operation::kUpdate) emission.order = {.total = 4, .in_collection = 2};
      ASSERT_TRUE(Encode(emission).ok());
      const std::string key = Decoded(*record_.key, *plan.key_schema);
      const std::string value = Decoded(*record_.value, *plan.envelope_schema);
      ASSERT_TRUE(json->Encode(emission, &record_).ok());
      EXPECT_EQ(key, *record_.key);
      EXPECT_EQ(value, *record_.value);
    }
  }
}

TEST_F(AvroFormatTest, LeavesTombstonesAlone) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kDelete);
  change.before = row;
  event::Emission emission = Emit(change);
  emission.value = event::PublishedValue::kTombstone;
  ASSERT_TRUE(Encode(emission).ok());
  EXPECT_FALSE(record_.value.has_value());
  EXPECT_EQ(ids_.subjects(), (std::vector<std::string>{"srv.public.orders-key"}));
}

TEST_F(AvroFormatTest, AsksAgainUntilTheIdIsKnown) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kCreate);
  change.after = row;
  ids_.set_away(true);
  EXPECT_TRUE(absl::IsResourceExhausted(Encode(Emit(change))));
  EXPECT_TRUE(absl::IsResourceExhausted(Encode(Emit(change))));
  ids_.set_away(false);
  ASSERT_TRUE(Encode(Emit(change)).ok());
  const size_t asked = ids_.asked();
  ASSERT_TRUE(Encode(Emit(change)).ok());
  EXPECT_EQ(ids_.asked(), asked);
}

struct Shouting final : event::ValueRewriter {
  absl::Status Rewrite(absl::string_view value, std::string* out) const override {
    if (value.empty()) return absl::InvalidArgumentError("nothing to shout");
    absl::StrAppend(out, value.size(), "!");
    return absl::OkStatus();
  }
};

TEST_F(AvroFormatTest, WritesAsASchemaThatStandsForItsOwn) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kCreate);
  change.after = row;
  ids_.set_rewriter(std::make_shared<Shouting>());
  for (int record = 0; record < 2; ++record) {
    ASSERT_TRUE(Encode(Emit(change)).ok());
    EXPECT_EQ(record_.key->substr(0, 5), std::string("\0\0\0\0\1", 5));
    EXPECT_EQ(record_.key->substr(5), "1!");  // 7, as a varint
    EXPECT_EQ(record_.value->back(), '!');
  }
}

TEST_F(AvroFormatTest, SaysWhatTheRegistryRefuses) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kCreate);
  change.after = row;
  ids_.Refuse("srv.public.orders-value");
  EXPECT_TRUE(absl::IsInvalidArgument(Encode(Emit(change))));
}

// Debezium's "Can't redefine: io.debezium.data.VariableScaleDecimal".
TEST_F(AvroFormatTest, SaysWhatTheRegistryCannotKnow) {
  options_.columns.masks = {
      {ColumnMaskKind::kTruncate, 20, "", "", java::RegexList::OfChecked("public.t.b")}};
  ids_.Refuse("srv.public.t-value");
  const auto refusal = [&](const char* type_of_b) {
    const auto table = MakeTable("t",
                                 {{"id", MakeType("int4"), -1, false},
                                  {"a", MakeType("numeric")},
                                  {"b", MakeType(type_of_b), -1, false}},
                                 {0});
    encoder_ = nullptr;
    event::ChangeEvent change = Change(*table, event::Operation::kCreate);
    const std::vector<event::Value> row = {Text("1"), Text("2.5"), Text("3.5")};
    change.after = row;
    return Encode(Emit(change));
  };
  const absl::Status redefined = refusal("numeric");
  EXPECT_EQ(ErrorReason(redefined), "schema_refused");
  EXPECT_TRUE(absl::StrContains(redefined.message(), "io.debezium.data.VariableScaleDecimal"));
  EXPECT_TRUE(absl::StrContains(ErrorHint(redefined), "column.truncate"));
  EXPECT_FALSE(absl::StrContains(refusal("text").message(), "VariableScaleDecimal"));
}

TEST_F(AvroFormatTest, NamesSubjectsAfterRecords) {
  options_.key.subject = SubjectStrategy::kRecord;
  options_.value.subject = SubjectStrategy::kTopicRecord;
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kCreate);
  change.after = row;
  ASSERT_TRUE(Encode(Emit(change)).ok());
  EXPECT_EQ(ids_.subjects(),
            (std::vector<std::string>{"srv.public.orders.Key",
                                      "srv.public.orders-srv.public.orders.Envelope"}));
}

}  // namespace
}  // namespace walduct::encode
