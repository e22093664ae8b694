// Texts of Avro schemas: those that the real converter registered for the same tables, and what no
// table of the recordings has.
#include "encode/formats/avro_schema.h"

#include "encode/formats/avro_names.h"
#include "encode/table/table_plan.h"
#include "event/tree.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectType;
using event::Schema;
using event::Shared;

// Registered by Debezium 3.6.1 behind io.confluent.connect.avro.AvroConverter 7.0.16.
constexpr absl::string_view kOrdersKey =
    R"({"type":"record","name":"Key","namespace":"srv.public.orders","fields":[{"name":"id",)"
    R"("type":"int"}],"connect.name":"srv.public.orders.Key"})";
constexpr absl::string_view kOrdersEnvelope =
    R"({"type":"record","name":"Envelope","namespace":"srv.public.orders",)"
    R"("fields":[{"name":"before","type":["null",{"type":"record","name":"Value",)"
    R"("fields":[{"name":"id","type":"int"},{"name":"customer","type":"string"},{"name":"total",)"
    R"("type":["null",{"type":"bytes","scale":2,"precision":10,"connect.version":1,)"
    R"("connect.parameters":{"scale":"2","connect.decimal.precision":"10"},)"
    R"("connect.name":"org.apache.kafka.connect.data.Decimal","logicalType":"decimal"}],)"
    R"("default":null},{"name":"note","type":["null","string"],"default":null}],)"
    R"("connect.name":"srv.public.orders.Value"}],"default":null},{"name":"after",)"
    R"("type":["null","Value"],"default":null},{"name":"source","type":{"type":"record",)"
    R"("name":"Source","namespace":"io.debezium.connector.postgresql",)"
    R"("fields":[{"name":"version","type":"string"},{"name":"connector","type":"string"},)"
    R"({"name":"name","type":"string"},{"name":"ts_ms","type":"long"},{"name":"snapshot",)"
    R"("type":[{"type":"string","connect.version":1,"connect.parameters":{"allowed":"true,first,)"
    R"(first_in_data_collection,last_in_data_collection,last,false,incremental"},)"
    R"("connect.default":"false","connect.name":"io.debezium.data.Enum"},"null"],)"
    R"("default":"false"},{"name":"db","type":"string"},{"name":"sequence","type":["null",)"
    R"("string"],"default":null},{"name":"ts_us","type":["null","long"],"default":null},)"
    R"({"name":"ts_ns","type":["null","long"],"default":null},{"name":"schema","type":"string"},)"
    R"({"name":"table","type":"string"},{"name":"txId","type":["null","long"],"default":null},)"
    R"({"name":"lsn","type":["null","long"],"default":null},{"name":"xmin","type":["null",)"
    R"("long"],"default":null},{"name":"origin","type":["null","string"],"default":null},)"
    R"({"name":"origin_lsn","type":["null","long"],"default":null}],"connect.version":1,)"
    R"("connect.name":"io.debezium.connector.postgresql.Source"}},{"name":"transaction",)"
    R"("type":["null",{"type":"record","name":"block","namespace":"event",)"
    R"("fields":[{"name":"id","type":"string"},{"name":"total_order","type":"long"},)"
    R"({"name":"data_collection_order","type":"long"}],"connect.version":1,)"
    R"("connect.name":"event.block"}],"default":null},{"name":"op","type":"string"},)"
    R"({"name":"ts_ms","type":["null","long"],"default":null},{"name":"ts_us","type":["null",)"
    R"("long"],"default":null},{"name":"ts_ns","type":["null","long"],"default":null}],)"
    R"("connect.version":2,"connect.name":"srv.public.orders.Envelope"})";

class AvroSchemaTest : public EncodeTest {
 protected:
  static std::string TextOf(const ConnectSchema& schema, const AvroOptions& options = {}) {
    return MakeAvroSchema(schema, options).text;
  }
  static ConnectSchema Optional(ConnectSchema schema) {
    schema.optional = true;
    return schema;
  }
  static ConnectSchema WithDefault(ConnectSchema schema, const event::Scalar& value) {
    schema.default_value = event::ConnectDefault(value);
    return schema;
  }
  static ConnectSchema Struct(absl::string_view name, std::vector<ConnectField> fields) {
    ConnectSchema schema = Schema(ConnectType::kStruct);
    schema.name = std::string(name);
    schema.fields = std::move(fields);
    return schema;
  }
};

TEST_F(AvroSchemaTest, IsThatOfTheRealConverter) {
  const TablePlan plan =
      CompileTable({.schema = OrdersTable().get(), .topic = "srv.public.orders"}, options_);
  EXPECT_EQ(TextOf(*plan.key_schema), kOrdersKey);
  EXPECT_EQ(TextOf(*plan.envelope_schema), kOrdersEnvelope);
  EXPECT_EQ(MakeAvroSchema(*plan.envelope_schema, {}).record_name, "srv.public.orders.Envelope");
}

TEST_F(AvroSchemaTest, SaysWhatAnIntIsNot) {
  EXPECT_EQ(TextOf(Schema(ConnectType::kInt16)), R"({"type":"int","connect.type":"int16"})");
  EXPECT_EQ(TextOf(Schema(ConnectType::kInt8), {.connect_meta_data = false}), R"("int")");
}

TEST_F(AvroSchemaTest, PutsNullLastBehindADefault) {
  const ConnectSchema seven =
      Optional(WithDefault(Schema(ConnectType::kInt32), event::Scalar::Integer(7)));
  EXPECT_EQ(TextOf(seven), R"([{"type":"int","connect.default":7},"null"])");
  EXPECT_EQ(TextOf(Optional(Schema(ConnectType::kInt32))), R"(["null","int"])");
}

TEST_F(AvroSchemaTest, WidensTheDefaultOfAFloatInItsFieldOnly) {
  const ConnectSchema real = WithDefault(Schema(ConnectType::kFloat), event::Scalar::Real(1.1));
  EXPECT_EQ(TextOf(Struct("a.R", {{"f", Shared(real)}})),
            R"({"type":"record","name":"R","namespace":"a","fields":[{"name":"f","type":)"
            R"({"type":"float","connect.default":1.1},"default":1.100000023841858}],)"
            R"("connect.name":"a.R"})");
}

TEST_F(AvroSchemaTest, HasDefaultsOfBytesAsLatin1) {
  const ConnectSchema bytes =
      WithDefault(Schema(ConnectType::kBytes), event::Scalar::Bytes({"\x05\x96\"", 3}));
  EXPECT_EQ(TextOf(bytes), "{\"type\":\"bytes\",\"connect.default\":\"\\u0005\xC2\x96\\\"\"}");
}

TEST_F(AvroSchemaTest, NamesARecordAgainOnlyWhereItIsTheSame) {
  const ConnectSchema inner = Struct("a.b.In", {{"x", Shared(Schema(ConnectType::kInt32))}});
  const ConnectSchema other = Struct("a.b.In", {{"y", Shared(Schema(ConnectType::kInt32))}});
  const std::string text = TextOf(
      Struct("a.Out",
             {{"one", Shared(inner)}, {"two", Shared(Optional(inner))}, {"three", Shared(other)}}),
      {.connect_meta_data = false});
  EXPECT_EQ(
      text,
      R"({"type":"record","name":"Out","namespace":"a","fields":[{"name":"one","type":)"
      R"({"type":"record","name":"In","namespace":"a.b","fields":[{"name":"x","type":"int"}]}},)"
      R"({"name":"two","type":["null","a.b.In"],"default":null},{"name":"three","type":)"
      R"({"type":"record","name":"In","namespace":"a.b","fields":[{"name":"y","type":"int"}]}}]})");
}

// A column that is masked is of a type with a parameter, beside one that is not.
TEST_F(AvroSchemaTest, AnOptionalRecordIsTheFirstOfItsName) {
  ConnectSchema masked = Struct("a.b.In", {{"x", Shared(Schema(ConnectType::kInt32))}});
  const ConnectSchema plain = masked;
  masked.parameters = {{"masked", "true"}};
  EXPECT_EQ(
      TextOf(
          Struct("a.Out", {{"one", Shared(Optional(plain))}, {"two", Shared(Optional(masked))}})),
      R"({"type":"record","name":"Out","namespace":"a","fields":[{"name":"one","type":["null",)"
      R"({"type":"record","name":"In","namespace":"a.b","fields":[{"name":"x","type":"int"}],)"
      R"("connect.name":"a.b.In"}],"default":null},{"name":"two","type":["null","a.b.In"],)"
      R"("default":null}],"connect.name":"a.Out"})");
  EXPECT_EQ(
      TextOf(Struct("a.Out", {{"one", Shared(masked)}, {"two", Shared(Optional(plain))}})),
      R"({"type":"record","name":"Out","namespace":"a","fields":[{"name":"one","type":)"
      R"({"type":"record","name":"In","namespace":"a.b","fields":[{"name":"x","type":"int"}],)"
      R"("connect.parameters":{"masked":"true"},"connect.name":"a.b.In"}},{"name":"two","type":)"
      R"(["null","a.b.In"],"default":null}],"connect.name":"a.Out"})");
}

TEST_F(AvroSchemaTest, NumbersRecordsWithoutAName) {
  const ConnectSchema inner = Struct("", {{"x", Shared(Schema(ConnectType::kInt32))}});
  const std::string text = TextOf(Struct("", {{"one", Shared(inner)}, {"two", Shared(inner)}}));
  EXPECT_EQ(text,
            R"({"type":"record","name":"ConnectDefault","namespace":"io.confluent.connect.avro",)"
            R"("fields":[{"name":"one","type":{"type":"record","name":"ConnectDefault2","fields":)"
            R"([{"name":"x","type":"int"}]}},{"name":"two","type":"ConnectDefault2"}]})");
}

TEST_F(AvroSchemaTest, PrintsARecordWithoutFieldsWhereItComesFirst) {
  const ConnectSchema none = Struct("a.None", {});
  EXPECT_EQ(TextOf(Struct("a.Out", {{"one", Shared(none)}, {"two", Shared(none)}}),
                   {.connect_meta_data = false}),
            R"({"type":"record","name":"Out","namespace":"a","fields":[{"name":"one","type":)"
            R"({"type":"record","name":"None","fields":[]}},{"name":"two","type":"None"}]})");
}

TEST_F(AvroSchemaTest, HasMapsOfTextsOnly) {
  ConnectSchema map = Schema(ConnectType::kMap);
  map.keys = Shared(Schema(ConnectType::kString));
  map.items = Shared(Optional(Schema(ConnectType::kString)));
  EXPECT_EQ(TextOf(map), R"({"type":"map","values":["null","string"]})");
  map.keys = Shared(Schema(ConnectType::kInt16));
  EXPECT_EQ(TextOf(map),
            R"({"type":"array","items":{"type":"record","name":"MapEntry",)"
            R"("namespace":"io.confluent.connect.avro","fields":[{"name":"key","type":)"
            R"({"type":"int","connect.type":"int16"}},{"name":"value","type":["null","string"],)"
            R"("default":null}]}})");
  map.keys = Shared(Optional(Schema(ConnectType::kString)));
  EXPECT_EQ(TextOf(map, {.optional_map_keys = true}),
            R"({"type":"map","values":["null","string"]})");
}

TEST_F(AvroSchemaTest, KeepsTextBeyondTheFirstPlane) {
  ConnectSchema text = Schema(ConnectType::kString);
  text.doc = "a\xF0\x9F\x98\x80\x01\"";
  EXPECT_EQ(TextOf(text), "{\"type\":\"string\",\"connect.doc\":\"a\xF0\x9F\x98\x80\\u0001\\\"\"}");
}

TEST_F(AvroSchemaTest, ScrubsNamesButNotConnectsOwn) {
  const ConnectSchema schema =
      Struct("srv.a-b.2x.Value", {{"1 \xC3\xA4", Shared(Schema(ConnectType::kInt32))}});
  EXPECT_EQ(TextOf(schema, {.scrub_invalid_names = true}),
            R"({"type":"record","name":"Value","namespace":"srv.a_b.x2x","fields":)"
            R"([{"name":"x1__C3_A4","type":"int"}],"connect.name":"srv.a-b.2x.Value"})");
  EXPECT_EQ(ScrubAvroName("_a.b"), "_a_b");
}

TEST_F(AvroSchemaTest, KnowsRequiredBytesAtTheTop) {
  EXPECT_TRUE(MakeAvroSchema(Schema(ConnectType::kBytes), {}).plain_bytes);
  EXPECT_FALSE(MakeAvroSchema(Optional(Schema(ConnectType::kBytes)), {}).plain_bytes);
}

}  // namespace
}  // namespace walduct::encode
