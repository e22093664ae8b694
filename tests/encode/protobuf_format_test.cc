// Protobuf: every type and every kind of record, decoded by the schema alone, is what JsonConverter
// writes of the same; what is left out; the frame; what has no form.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/error.h"
#include "encode/formats/protobuf_writer.h"
#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"
#include "tests/encode/format_fixture.h"
#include "tests/encode/protobuf_reader.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;

class ProtobufFormatTest : public FormatTest<ProtobufWriter, ProtobufReader> {
 protected:
  ProtobufFormatTest() {
    options_.key.kind = ConverterKind::kProtobuf;
    options_.value.kind = ConverterKind::kProtobuf;
    options_.value.protobuf.optional_for_nullables = true;
    encoder_ = nullptr;
  }

  ProtobufWriter MakeWriter(OutBuffer* bytes) override {
    return ProtobufWriter(bytes, options_.value.protobuf);
  }
  ProtobufReader MakeReader(absl::string_view bytes, std::string* json) override {
    return {bytes, json, options_.value.protobuf.wrapper_for_nullables};
  }

  // Arrays of arrays and maps, and years before the first.
  bool HasForm(const ConnectSchema& schema, const event::Value& value) override {
    const bool array = schema.type == event::ConnectType::kArray;
    const ConnectSchema& of = array ? *schema.items : schema;
    const bool nested =
        array && (of.type == event::ConnectType::kArray || of.type == event::ConnectType::kMap);
    const bool timestamp = of.name == java::kConnectTimestamp && value.is_text();
    return !nested && !(timestamp && value.text().find(" BC") != absl::string_view::npos);
  }

  RecordEncoder& protobuf() {
    if (encoder_ == nullptr)
      encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids_, &ids_});
    return *encoder_;
  }

  absl::Status Encode(const event::Emission& emission) {
    return protobuf().Encode(emission, &record_);
  }

  // A row that is created.
  absl::Status EncodeRow(const event::TableSchema& table, const std::vector<event::Value>& row) {
    event::ChangeEvent change = Change(table, event::Operation::kCreate);
    change.after = row;
    return Encode(Emit(change));
  }

  std::string Hex(const std::vector<event::Value>& row, const event::TableSchema& table) {
    const TablePlan plan = CompileTable({.schema = &table, .topic = "srv.public.t"}, options_);
    OutBuffer bytes;
    Scratch scratch;
    ValueContext context;
    context.scratch = &scratch;
    ProtobufWriter writer = MakeWriter(&bytes);
    EXPECT_TRUE(WriteRow(plan, plan.row, {row, {}}, &context, &writer).ok());
    return absl::BytesToHexString(bytes);
  }

  // The message by the table's schema.
  std::string Decoded(absl::string_view framed, const ConnectSchema& schema) {
    std::string json;
    ProtobufReader reader = MakeReader(framed.substr(6), &json);
    reader.Value(schema);
    EXPECT_TRUE(reader.done());
    return json;
  }

  test::FakeSchemaIds ids_;
};

TEST_F(ProtobufFormatTest, HoldsEveryType) { ExpectSameInEveryType(); }

TEST_F(ProtobufFormatTest, HoldsEveryTypeInWrappers) {
  options_.value.protobuf = {.wrapper_for_nullables = true};
  ExpectSameInEveryType();
}

TEST_F(ProtobufFormatTest, HoldsEveryTypeAsText) {
  options_.values.decimal = DecimalMode::kString;
  options_.values.time = TimeMode::kIsoString;
  options_.values.binary = BinaryMode::kHex;
  options_.values.interval_string = true;
  options_.values.hstore_map = true;
  options_.values.include_unknown = true;
  ExpectSameInEveryType();
}

TEST_F(ProtobufFormatTest, HoldsEveryTypeAsNumbers) {
  options_.values.decimal = DecimalMode::kDouble;
  options_.values.time = TimeMode::kConnect;
  ExpectSameInEveryType();
}

TEST_F(ProtobufFormatTest, HoldsManyItems) {
  const auto table = MakeTable("t",
                               {{"a", ArrayOf(MakeType("int4"))},
                                {"b", ArrayOf(MakeType("numeric"))},
                                {"c", ArrayOf(MakeType("text"))}},
                               {});
  for (const int count : {1, 127, 128, 20000}) {
    std::string text = "{1";
    for (int i = 1; i < count; ++i) text += ",5";
    const event::Value items = event::Value::Text(text += "}");
    ExpectSame(*table, {items, items, items});
  }
}

TEST_F(ProtobufFormatTest, LeavesZeroOutUnlessNullIsAnother) {
  const auto table = MakeTable("t",
                               {{"i", MakeType("int4")},
                                {"s", MakeType("text")},
                                {"b", MakeType("bool")},
                                {"f", MakeType("float8")},
                                {"n", MakeType("numeric"), NumericTypmod(4, 2)}},
                               {});
  const std::vector<event::Value> zeros = {Text("0"), Text(""), Text("f"), Text("0"), Text("0.00")};
  const std::vector<event::Value> nulls(5, Null());
  const std::string zero_decimal =
      "2a070a01001001"
      "1802";
  EXPECT_EQ(Hex(zeros, *table),
            "0800"
            "1200"
            "1800"
            "210000000000000000" +
                zero_decimal);
  EXPECT_EQ(Hex(nulls, *table), "");
  options_.value.protobuf = {};
  EXPECT_EQ(Hex(zeros, *table), zero_decimal);
  EXPECT_EQ(Hex(nulls, *table), "");
  options_.value.protobuf = {.wrapper_for_nullables = true};
  EXPECT_EQ(Hex(zeros, *table),
            "0a00"
            "1200"
            "1a00"
            "2200" +
                zero_decimal);
  EXPECT_EQ(Hex(nulls, *table), "");
  EXPECT_EQ(Hex({Text("-1"), Text("x"), Text("t"), Text("-0"), Null()}, *table),
            "0a0b08ffffffffffffffffff01"
            "12030a0178"
            "1a020801"
            "2209090000000000000080");
}

TEST_F(ProtobufFormatTest, HoldsDefaultsInThePlaceOfNull) {
  const auto table = MakeTable("t",
                               {{"n", MakeType("numeric"), NumericTypmod(10, 2)},
                                {"d", MakeType("int4"), -1, false, "7"},
                                {"e", MakeType("int4"), -1, true, "7"}},
                               {});
  ExpectSame(*table, {Text("NaN"), Null(), Null()});
  ExpectSame(*table, {Text("-0.01"), Text("8"), Text("8")});
}

// Java's calendar is Julian before 1582-10-15, and counts years before the first backwards.
TEST_F(ProtobufFormatTest, HasDatesOfJavasCalendar) {
  options_.values.time = TimeMode::kConnect;
  const auto table = MakeTable("t", {{"d", MakeType("date")}}, {});
  EXPECT_EQ(Hex({Text("1582-10-15")}, *table),
            "0a07"
            "08ae0c"
            "100a"
            "180f");
  EXPECT_EQ(Hex({Text("1582-10-04")}, *table),
            "0a07"
            "08ae0c"
            "1009"
            "1818");
  EXPECT_EQ(Hex({Text("0044-03-15 BC")}, *table),
            "0a06"
            "082c"
            "1003"
            "1811");
}

TEST_F(ProtobufFormatTest, HasTheFrameOfTheRealConverter) {
  const auto table = MakeTable("t",
                               {{"id", MakeType("int4"), -1, false},
                                {"a", MakeType("text")},
                                {"n", MakeType("numeric"), NumericTypmod(8, 2)}},
                               {0});
  ASSERT_TRUE(EncodeRow(*table, {Text("1"), Text("one"), Text("1.10")}).ok());
  EXPECT_EQ(absl::BytesToHexString(*record_.key),
            "0000000001"
            "00"
            "0801");
  EXPECT_EQ(absl::BytesToHexString(record_.value->substr(0, 36)),
            "0000000002"
            "00"
            "1210"
            "0801"
            "12036f6e65"
            "1a070a016e10031802"
            "1a6f"
            "0a0b332e362e312e4669");
  EXPECT_EQ(ids_.subjects(), (std::vector<std::string>{"srv.public.t-key", "srv.public.t-value"}));
}

TEST_F(ProtobufFormatTest, HoldsRecordsAsJsonDoes) {
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

TEST_F(ProtobufFormatTest, LeavesTombstonesAlone) {
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

TEST_F(ProtobufFormatTest, AsksAgainUntilTheIdIsKnown) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  ids_.set_away(true);
  EXPECT_TRUE(absl::IsResourceExhausted(EncodeRow(*orders, row)));
  ids_.set_away(false);
  ASSERT_TRUE(EncodeRow(*orders, row).ok());
  const size_t asked = ids_.asked();
  ASSERT_TRUE(EncodeRow(*orders, row).ok());
  EXPECT_EQ(ids_.asked(), asked);
}

TEST_F(ProtobufFormatTest, NamesTheFieldThatHasNoForm) {
  options_.values.time = TimeMode::kConnect;
  const auto table = MakeTable("t",
                               {{"id", MakeType("int4"), -1, false},
                                {"tags", ArrayOf(MakeType("int4"))},
                                {"at", MakeType("timestamp")}},
                               {0});
  const absl::Status item = EncodeRow(*table, {Text("1"), Text("{1,NULL}"), Null()});
  EXPECT_EQ(ErrorReason(item), "protobuf_value");
  EXPECT_NE(item.message().find("after.tags"), absl::string_view::npos) << item;
  const absl::Status time =
      EncodeRow(*table, {Text("1"), Text("{1,2}"), Text("0001-01-01 00:00:00 BC")});
  EXPECT_EQ(ErrorReason(time), "protobuf_value");
  EXPECT_NE(time.message().find("after.at"), absl::string_view::npos) << time;
  EXPECT_TRUE(EncodeRow(*table, {Text("1"), Text("{1,2}"), Text("9999-12-31 23:59:59")}).ok());
}

TEST_F(ProtobufFormatTest, NamesSubjectsAfterMessages) {
  options_.key.subject = SubjectStrategy::kRecord;
  options_.value.subject = SubjectStrategy::kTopicRecord;
  ASSERT_TRUE(EncodeRow(*OrdersTable(), {Text("7"), Text("gus"), Text("12.30"), Null()}).ok());
  EXPECT_EQ(ids_.subjects(),
            (std::vector<std::string>{"srv.public.orders.Key",
                                      "srv.public.orders-srv.public.orders.Envelope"}));
}

}  // namespace
}  // namespace walduct::encode
