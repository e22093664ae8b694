// CloudEventsConverter: events as the real one writes them, in JSON and in Avro; which records have
// none; what is refused.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "encode/options/cloud_events_options.h"
#include "encode/program/record_program.h"
#include "encode/record_encoder.h"
#include "encode/records/record_inputs.h"
#include "gmock/gmock.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CloudEventsTest : public EncodeTest {
 protected:
  CloudEventsTest() {
    options_.value.schemas_enable = false;
    options_.database = "shop";
  }

  absl::Status Encode(const event::Emission& emission) {
    options_.value.cloud_events = std::make_shared<const CloudEventsOptions>(events_);
    encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids_, &ids_});
    return encoder_->Encode(emission, &record_);
  }

  absl::Status EncodeOrder() {
    row_ = {Text("7"), Text("gus"), Text("12.30"), Null()};
    change_ = Change(*orders_, event::Operation::kCreate);
    change_.after = row_;
    return Encode(Emit(change_));
  }

  const std::shared_ptr<const event::TableSchema> orders_ = OrdersTable();
  std::vector<event::Value> row_;
  event::ChangeEvent change_;
  CloudEventsOptions events_;
  test::FakeSchemaIds ids_;
};

constexpr char kBegin[] =
    R"({"id":"name:srv;lsn:2393226040;txId:204126;sequence:[null,\"2393226040\"]",)"
    R"("source":"/debezium/postgresql/srv","specversion":"1.0",)"
    R"("type":"io.debezium.connector.postgresql.DataChangeEvent",)"
    R"("time":"2026-11-21T01:27:29.141Z","datacontenttype":"application/)";
constexpr char kExtensions[] =
    R"("iodebeziumop":"c","iodebeziumversion":"3.6.1.Final","iodebeziumconnector":"postgresql",)"
    R"("iodebeziumname":"srv","iodebeziumtsms":"1795224449141","iodebeziumsnapshot":"false",)"
    R"("iodebeziumdb":"shop","iodebeziumsequence":"[null,\"2393226040\"]",)"
    R"("iodebeziumtsus":"1795224449141730","iodebeziumtsns":"1795224449141730000",)"
    R"("iodebeziumschema":"public","iodebeziumtable":"orders","iodebeziumtxId":"204126",)"
    R"("iodebeziumlsn":"2393226040","iodebeziumxmin":null,"iodebeziumorigin":null,)"
    R"("iodebeziumoriginlsn":null,)";
constexpr char kNoTransaction[] = R"("iodebeziumtxid":null,"iodebeziumtxtotalorder":null,)"
                                  R"("iodebeziumtxdatacollectionorder":null,)";
constexpr char kRows[] =
    R"("data":{"before":null,"after":{"id":7,"customer":"gus","total":"BM4=","note":null}}})";

TEST_F(CloudEventsTest, WritesAChangeAsTheRealConverterDoes) {
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_EQ(*record_.key, R"({"id":7})");
  EXPECT_EQ(*record_.value, absl::StrCat(kBegin, "json\",", kExtensions, kNoTransaction, kRows));
}

TEST_F(CloudEventsTest, LeavesExtensionsOut) {
  events_.extensions = false;
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_EQ(*record_.value, absl::StrCat(kBegin, "json\",", kRows));
}

TEST_F(CloudEventsTest, ShowsTheSchemaOfDataAlone) {
  options_.value.schemas_enable = true;
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_THAT(*record_.value,
              HasSubstr(R"("data":{"schema":{"type":"struct","fields":[{"type":"struct",)"));
  EXPECT_THAT(*record_.value,
              HasSubstr(R"("optional":false,"name":"io.debezium.connector.postgresql.Data"},)"
                        R"("payload":{"before":null,"after":{"id":7,)"));
}

TEST_F(CloudEventsTest, NumbersTheChangesOfATransaction) {
  row_ = {Text("7"), Text("gus"), Text("12.30"), Null()};
  change_ = Change(*orders_, event::Operation::kCreate);
  change_.after = row_;
  event::Emission emission = Emit(change_);
  emission.order = {.total = 4, .in_collection = 2};
  ASSERT_TRUE(Encode(emission).ok());
  EXPECT_THAT(*record_.value,
              HasSubstr(R"("iodebeziumtxid":"204126:2393226040","iodebeziumtxtotalorder":"4",)"
                        R"("iodebeziumtxdatacollectionorder":"2","data":{)"));
}

TEST_F(CloudEventsTest, HasNoValueForOtherRecords) {
  event::Emission emission;
  emission.kind = event::RecordKind::kHeartbeat;
  emission.topic = "__debezium-heartbeat.srv";
  ASSERT_TRUE(Encode(emission).ok());
  EXPECT_TRUE(record_.key.has_value());
  EXPECT_FALSE(record_.value.has_value());
}

// The id of data's schema is part of the event around it.
TEST_F(CloudEventsTest, HoldsAvroInJson) {
  options_.value.kind = ConverterKind::kAvro;
  events_.registry = "http://r:8081";
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_EQ(*record_.value,
            absl::StrCat(kBegin, R"(avro","dataschema":"http://r:8081/schemas/ids/1",)",
                         kExtensions, kNoTransaction, R"("data":"AAAAAAEAAg4GZ3VzAgQEzgA="})"));
  EXPECT_THAT(ids_.subjects(), ElementsAre("srv.public.orders-value"));
}

TEST_F(CloudEventsTest, HoldsAvroInAvro) {
  options_.value.kind = ConverterKind::kAvro;
  events_.avro = true;
  events_.registry = "http://r:8081";
  ids_.set_away(true);
  EXPECT_TRUE(absl::IsResourceExhausted(EncodeOrder()));
  ids_.set_away(false);
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_THAT(ids_.subjects(),
              ElementsAre("srv.public.orders-data-value", "srv.public.orders-value"));
  EXPECT_THAT(ids_.schemas()[1],
              HasSubstr(R"("name":"Envelope","namespace":"srv.shop.CloudEvents")"));
  EXPECT_THAT(ids_.schemas()[1], HasSubstr(R"({"name":"data","type":"bytes"}],"connect.name":)"));
  EXPECT_EQ(absl::BytesToHexString(record_.value->substr(0, 5)), "0000000002");
  EXPECT_THAT(*record_.value, HasSubstr("http://r:8081/schemas/ids/1"));
  EXPECT_EQ(absl::BytesToHexString(record_.value->substr(record_.value->size() - 18)),
            "22000000000100020e06677573020404ce00");
}

TEST_F(CloudEventsTest, NamesTheSchemaOfTheEvent) {
  options_.value.kind = ConverterKind::kAvro;
  options_.topic_prefix = "my-srv";
  events_.avro = true;
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_THAT(ids_.schemas()[1], HasSubstr(R"("connect.name":"my_srv.shop.CloudEvents.Envelope")"));
  events_.schema_name = "shop.Event";
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_THAT(ids_.schemas().back(), HasSubstr(R"("connect.name":"shop.Event")"));
}

// Eight bytes of an id, of which the reader takes the first four.
TEST_F(CloudEventsTest, NamesApicuriosIdsAsTheyAreRead) {
  options_.value.kind = ConverterKind::kAvro;
  options_.value.id_place = IdPlace::kEightBytes;
  ASSERT_TRUE(EncodeOrder().ok());
  EXPECT_THAT(*record_.value, HasSubstr(R"("dataschema":"/schemas/ids/0")"));
}

// What headers say, without a chain that puts it there.
class EventOfHeadersTest : public CloudEventsTest {
 protected:
  EventOfHeadersTest() {
    events_.source_in_header = true;
    events_.header_schemas = true;
    const auto text = Shared(event::Schema(event::ConnectType::kString));
    const auto number = Shared(event::Schema(event::ConnectType::kInt64));
    const auto constant = [&](const char* name, const char* value) {
      return event::ConstantNode(text, event::Scalar::Text(value), name);
    };
    const auto integer = [&](const char* name, int64_t value) {
      return event::ConstantNode(number, event::Scalar::Integer(value), name);
    };
    event::ConnectSchema source = event::Schema(event::ConnectType::kStruct, "Source");
    headers_ = {event::StructNode(Shared(source),
                                  {constant("connector", "postgresql"), constant("name", "srv"),
                                   constant("db", "shop"), integer("ts_ms", -1), integer("lsn", 5),
                                   integer("txId", 6), constant("sequence", "[]")},
                                  "source"),
                constant("op", "c"), constant("id", "one"), constant("id", "two")};
    event::ConnectSchema value = event::Schema(event::ConnectType::kStruct, "Anything");
    value.fields = {{"a", text}};
    value_ = event::StructNode(Shared(value), {constant("a", "x")});
  }

  absl::StatusOr<std::string> Write() {
    ConverterOptions converter = options_.value;
    converter.cloud_events = std::make_shared<const CloudEventsOptions>(events_);
    event::RecordTemplate record;
    record.value = value_;
    record.headers = headers_;
    auto program = RecordProgram::Compile(
        record, nullptr, {.key = converter, .value = converter, .header = std::nullopt});
    if (!program.ok()) return program.status();
    RecordInputs inputs(options_.values);
    Scratch scratch;
    ValueContext context;
    context.scratch = &scratch;
    ProgramBuffers buffers;
    event::Record written;
    const absl::Status status = (*program)->Run(inputs, &context, &buffers, &written);
    if (!status.ok()) return status;
    return std::string(written.value.value_or("null"));
  }

  std::vector<event::Node> headers_;
  event::Node value_;
};

TEST_F(EventOfHeadersTest, HoldsAnyStructure) {
  const auto written = Write();
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(*written, HasSubstr(R"({"id":"name:srv;lsn:5;txId:6;sequence:[]",)"));
  EXPECT_THAT(*written, HasSubstr(R"("time":"1969-12-31T23:59:59.999Z")"));
  EXPECT_THAT(*written, HasSubstr(R"("iodebeziumtsms":"-1")"));
  EXPECT_THAT(*written, HasSubstr(R"("data":{"a":"x"}})"));
}

TEST_F(EventOfHeadersTest, TakesTheLastOfEqualNames) {
  events_.id_in_header = true;
  EXPECT_THAT(*Write(), HasSubstr(R"({"id":"two","source":)"));
}

TEST_F(EventOfHeadersTest, SaysWhichHeaderIsMissing) {
  events_.type_in_header = true;
  EXPECT_THAT(std::string(Write().status().message()), HasSubstr("it has no header type"));
}

TEST_F(EventOfHeadersTest, HasNoValueWithoutSourceOrOperation) {
  headers_[1].name = "operation";
  EXPECT_EQ(*Write(), "null");
  headers_[1].name = "op";
  headers_[0].name = "from";
  EXPECT_EQ(*Write(), "null");
}

TEST_F(EventOfHeadersTest, NeedsHeadersThatCanBeReadBack) {
  events_.header_schemas = false;
  EXPECT_THAT(std::string(Write().status().message()), HasSubstr("not JSON with schemas"));
}

TEST_F(EventOfHeadersTest, SaysWhatIsMissingOfTheSource) {
  headers_[0].members.erase(headers_[0].members.begin() + 4);
  EXPECT_THAT(std::string(Write().status().message()), HasSubstr("it has no source.lsn"));
}

}  // namespace
}  // namespace walduct::encode
