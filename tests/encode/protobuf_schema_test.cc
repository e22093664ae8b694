// Texts of Protobuf schemas: those that the real converter registered for the same tables, and what
// no table of the recordings has.
#include "encode/formats/protobuf_schema.h"

#include "base/error.h"
#include "encode/table/table_plan.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectType;
using event::Schema;
using event::Shared;

// Registered by Debezium 3.6.1 behind io.confluent.connect.protobuf.ProtobufConverter 7.0.16.
constexpr absl::string_view kOrdersKey = R"(syntax = "proto3";
package srv.public.orders;

message Key {
  int32 id = 1;
}
)";
constexpr absl::string_view kOrdersEnvelope = R"(syntax = "proto3";
package srv.public.orders;

import "confluent/type/decimal.proto";

message Envelope {
  Value before = 1;
  Value after = 2;
  Source source = 3;
  block transaction = 4;
  string op = 5;
  int64 ts_ms = 6;
  int64 ts_us = 7;
  int64 ts_ns = 8;

  message Value {
    int32 id = 1;
    string customer = 2;
    confluent.type.Decimal total = 3 [(confluent.field_meta) = {
      params: [
        {
          value: "10",
          key: "precision"
        },
        {
          value: "2",
          key: "scale"
        }
      ]
    }];
    string note = 4;
  }
  message Source {
    string version = 1;
    string connector = 2;
    string name = 3;
    int64 ts_ms = 4;
    string snapshot = 5;
    string db = 6;
    string sequence = 7;
    int64 ts_us = 8;
    int64 ts_ns = 9;
    string schema = 10;
    string table = 11;
    int64 txId = 12;
    int64 lsn = 13;
    int64 xmin = 14;
    string origin = 15;
    int64 origin_lsn = 16;
  }
  message block {
    string id = 1;
    int64 total_order = 2;
    int64 data_collection_order = 3;
  }
}
)";

class ProtobufSchemaTest : public EncodeTest {
 protected:
  static std::string TextOf(const ConnectSchema& schema, const ProtobufForm& options = {}) {
    const auto made = MakeProtobufSchema(schema, options);
    return made.ok() ? made->text : std::string(made.status().message());
  }
  // What stands in the only message.
  static std::string FieldsOf(std::vector<ConnectField> fields, const ProtobufForm& options = {}) {
    const std::string text = TextOf(Struct("M", std::move(fields)), options);
    const size_t begin = text.find("message M {\n");
    return begin == std::string::npos ? text : text.substr(begin + 12);
  }
  static std::string ReasonOf(std::vector<ConnectField> fields) {
    return ErrorReason(MakeProtobufSchema(Struct("M", std::move(fields)), {}).status());
  }
  static ConnectSchema Optional(ConnectSchema schema) {
    schema.optional = true;
    return schema;
  }
  static ConnectSchema Struct(absl::string_view name, std::vector<ConnectField> fields) {
    ConnectSchema schema = Schema(ConnectType::kStruct);
    schema.name = std::string(name);
    schema.fields = std::move(fields);
    return schema;
  }
  static ConnectSchema ArrayOfSchema(const ConnectSchema& items) {
    ConnectSchema array = Schema(ConnectType::kArray);
    array.items = Shared(items);
    return array;
  }
  static ConnectSchema Map(ConnectType key, const ConnectSchema& value) {
    ConnectSchema map = Schema(ConnectType::kMap);
    map.keys = Shared(Schema(key));
    map.items = Shared(value);
    return map;
  }
  static ConnectSchema Int() { return Schema(ConnectType::kInt32); }
};

TEST_F(ProtobufSchemaTest, IsThatOfTheRealConverter) {
  const TablePlan plan =
      CompileTable({.schema = OrdersTable().get(), .topic = "srv.public.orders"}, options_);
  EXPECT_EQ(TextOf(*plan.key_schema), kOrdersKey);
  EXPECT_EQ(TextOf(*plan.envelope_schema), kOrdersEnvelope);
  EXPECT_EQ(MakeProtobufSchema(*plan.envelope_schema, {})->record_name,
            "srv.public.orders.Envelope");
}

TEST_F(ProtobufSchemaTest, SaysWhatMayBeNullByLabelsOrWrappers) {
  const std::vector<ConnectField> fields = {
      {"a", Shared(Int())},
      {"b", Shared(Optional(Int()))},
      {"c", Shared(Optional(Schema(ConnectType::kInt16)))},
      {"d", Shared(Optional(ArrayOfSchema(Optional(Schema(ConnectType::kString)))))},
      {"e", Shared(Optional(Struct("x.E", {{"f", Shared(Optional(Int()))}})))}};
  EXPECT_EQ(FieldsOf(fields, {.optional_for_nullables = true}), R"(  int32 a = 1;
  optional int32 b = 2 [deprecated = false];
  optional int32 c = 3 [
    deprecated = false,
    (confluent.field_meta) = {
      params: [
        {
          key: "connect.type",
          value: "int16"
        }
      ]
    }
  ];
  repeated string d = 4;
  optional E e = 5 [deprecated = false];

  message E {
    optional int32 f = 1 [deprecated = false];
  }
}
)");
  EXPECT_EQ(FieldsOf(fields, {.wrapper_for_nullables = true}), R"(  int32 a = 1;
  google.protobuf.Int32Value b = 2;
  google.protobuf.Int32Value c = 3 [(confluent.field_meta) = {
    params: [
      {
        key: "connect.type",
        value: "int16"
      }
    ]
  }];
  repeated google.protobuf.StringValue d = 4;
  E e = 5;

  message E {
    google.protobuf.Int32Value f = 1;
  }
}
)");
}

TEST_F(ProtobufSchemaTest, NestsStructuresAndMaps) {
  const ConnectSchema point = Struct("io.debezium.data.geometry.Point", {{"x", Shared(Int())}});
  const ConnectSchema map = Map(ConnectType::kString, Schema(ConnectType::kInt16));
  EXPECT_EQ(FieldsOf({{"p", Shared(point)},
                      {"q", Shared(Optional(point))},
                      {"m", Shared(map)},
                      {"s", Shared(Struct("", {{"m", Shared(map)}, {"p", Shared(point)}}))},
                      {"Date", Shared(Struct("x.Date", {}))}}),
            R"(  Point p = 1;
  Point q = 2;
  repeated ConnectDefault1Entry m = 3;
  ConnectDefault2 s = 4;
  DateMessage Date = 5;

  message Point {
    int32 x = 1;
  }
  message ConnectDefault1Entry {
    string key = 1;
    int32 value = 2;
  }
  message ConnectDefault2 {
    repeated ConnectDefault3Entry m = 1;
    Point p = 2;
  
    message ConnectDefault3Entry {
      string key = 1;
      int32 value = 2;
    }
    message Point {
      int32 x = 1;
    }
  }
  message DateMessage {}
}
)");
}

TEST_F(ProtobufSchemaTest, IsAWrapperWhereItIsNoRecord) {
  const auto text = MakeProtobufSchema(Schema(ConnectType::kString), {});
  EXPECT_EQ(text->index, 7);
  EXPECT_EQ(text->record_name, "google.protobuf.StringValue");
  EXPECT_EQ(text->text.substr(text->text.rfind("message")),
            "message BytesValue {\n  bytes value = 1 [json_name = \"value\"];\n}\n");
  EXPECT_EQ(MakeProtobufSchema(Optional(Schema(ConnectType::kInt16)), {})->index, 4);
  EXPECT_FALSE(MakeProtobufSchema(ArrayOfSchema(Int()), {}).ok());
  EXPECT_FALSE(
      MakeProtobufSchema(Schema(ConnectType::kInt32, "org.apache.kafka.connect.data.Date"), {})
          .ok());
}

TEST_F(ProtobufSchemaTest, ScrubsNamesButNotThePackage) {
  const ConnectSchema schema = Struct(
      "srv.a-b.2x", {{"1 \xC3\xA4", Shared(Int())}, {"_a", Shared(Int())}, {"b_", Shared(Int())}});
  EXPECT_EQ(TextOf(schema, {.scrub_invalid_names = true}), R"(syntax = "proto3";
package srv.a-b;

message x2x {
  int32 x1__C3_A4 = 1;
  int32 x_a = 2;
  int32 b_ = 3;
}
)");
}

TEST_F(ProtobufSchemaTest, RefusesWhatHasNoForm) {
  EXPECT_EQ(ReasonOf({{"a b", Shared(Int())}}), "protobuf_schema");
  EXPECT_EQ(ReasonOf({{"2a", Shared(Int())}}), "protobuf_schema");
  EXPECT_EQ(ReasonOf({{"a", Shared(ArrayOfSchema(ArrayOfSchema(Int())))}}), "protobuf_schema");
  // The type of a would be taken for the message around it.
  EXPECT_EQ(ReasonOf({{"a", Shared(Struct("x.M", {}))}}), "protobuf_schema");
  EXPECT_EQ(ReasonOf({{"a", Shared(Struct("x.T", {{"i", Shared(Int())}}))},
                      {"b", Shared(Struct("y.T", {{"j", Shared(Int())}}))}}),
            "protobuf_schema");
  // A column that is named as the type of another.
  EXPECT_EQ(ReasonOf({{"a", Shared(Struct("x.T", {}))}, {"T", Shared(Int())}}), "protobuf_schema");
}

TEST_F(ProtobufSchemaTest, KnowsThePathOfAField) {
  const ConnectSchema schema = Struct(
      "M",
      {{"a", Shared(Int())},
       {"b", Shared(ArrayOfSchema(Struct("S", {{"c", Shared(Int())}, {"d", Shared(Int())}})))}});
  EXPECT_EQ(ProtobufPath(schema, {2, 2}), "b.d");
  EXPECT_EQ(ProtobufPath(schema, {1}), "a");
}

}  // namespace
}  // namespace walduct::encode
