// Records that are not of a row: transactions, heartbeats, the content of logical messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "encode/options/converter_options.h"
#include "encode/options/value_options.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using ::testing::HasSubstr;

class OtherRecordsTest : public EncodeTest {
 protected:
  OtherRecordsTest() {
    boundary_.xid = 203840;
    boundary_.lsn = Lsn(2300346128);
    boundary_.commit_time_us = 1795224379871467;
    emission_.boundary = &boundary_;
    emission_.topic = "srv.transaction";
    emission_.kind = event::RecordKind::kTransactionBegin;
  }
  void End() {
    emission_.kind = event::RecordKind::kTransactionEnd;
    boundary_.lsn = Lsn(2300346768);
    boundary_.events = 4;
    boundary_.collections = counts_;
  }
  std::string Value() {
    const absl::Status status = encoder().Encode(emission_, &record_);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(record_.topic, emission_.topic);
    EXPECT_TRUE(record_.headers.empty());
    return record_.value ? std::string(*record_.value) : "<none>";
  }
  void UseStringConverter() { options_.key.kind = options_.value.kind = ConverterKind::kString; }

  const std::vector<event::CollectionCount> counts_ = {{"public.orders", 2}, {"public.t2", 2}};
  event::TransactionBoundary boundary_;
  event::Emission emission_;
};

TEST_F(OtherRecordsTest, TXN02BeginOfATransaction) {
  EXPECT_EQ(Value(), R"({"status":"BEGIN","id":"203840:2300346128","event_count":null,)"
                     R"("data_collections":null,"ts_ms":1795224379871})");
  EXPECT_EQ(Key(), R"({"id":"203840:2300346128"})");
  EXPECT_FALSE(record_.partition.has_value());
}

TEST_F(OtherRecordsTest, TXN01EndOfATransaction) {
  End();
  EXPECT_EQ(Value(),
            R"({"status":"END","id":"203840:2300346768","event_count":4,"data_collections":[)"
            R"({"data_collection":"public.orders","event_count":2},)"
            R"({"data_collection":"public.t2","event_count":2}],"ts_ms":1795224379871})");
  boundary_.events = 0;
  boundary_.collections = {};
  EXPECT_THAT(Value(), HasSubstr(R"("event_count":0,"data_collections":[],)"));
}

TEST_F(OtherRecordsTest, TransactionRecordsWithSchemas) {
  options_.key.schemas_enable = options_.value.schemas_enable = true;
  EXPECT_EQ(
      Value(),
      R"({"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"status"},)"
      R"({"type":"string","optional":false,"field":"id"},)"
      R"({"type":"int64","optional":true,"field":"event_count"},)"
      R"({"type":"array","items":{"type":"struct","fields":[)"
      R"({"type":"string","optional":false,"field":"data_collection"},)"
      R"({"type":"int64","optional":false,"field":"event_count"}],"optional":true,)"
      R"("name":"event.collection","version":1},"optional":true,"field":"data_collections"},)"
      R"({"type":"int64","optional":false,"field":"ts_ms"}],"optional":false,)"
      R"("name":"io.debezium.connector.common.TransactionMetadataValue","version":1},)"
      R"("payload":{"status":"BEGIN","id":"203840:2300346128","event_count":null,)"
      R"("data_collections":null,"ts_ms":1795224379871}})");
  EXPECT_EQ(
      Key(),
      R"({"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"id"}],)"
      R"("optional":false,"name":"io.debezium.connector.common.TransactionMetadataKey",)"
      R"("version":1},"payload":{"id":"203840:2300346128"}})");
}

TEST_F(OtherRecordsTest, TransactionRecordsAsText) {
  UseStringConverter();
  EXPECT_EQ(Value(), "Struct{status=BEGIN,id=203840:2300346128,ts_ms=1795224379871}");
  EXPECT_EQ(Key(), "Struct{id=203840:2300346128}");
  End();
  EXPECT_EQ(Value(),
            "Struct{status=END,id=203840:2300346768,event_count=4,data_collections=["
            "Struct{data_collection=public.orders,event_count=2}, "
            "Struct{data_collection=public.t2,event_count=2}],ts_ms=1795224379871}");
}

TEST_F(OtherRecordsTest, TransactionBlockOfARow) {
  const auto table = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("g"), Null(), Null()};
  event::ChangeEvent change = Change(*table, event::Operation::kCreate);
  change.after = row;
  emission_ = Emit(change);
  emission_.order = {.total = 4, .in_collection = 2};
  ASSERT_TRUE(encoder().Encode(emission_, &record_).ok());
  EXPECT_THAT(std::string(*record_.value),
              HasSubstr(R"(},"transaction":{"id":"204126:2393226040","total_order":4,)"
                        R"("data_collection_order":2},"op":"c")"));
  UseStringConverter();
  encoder_.reset();
  ASSERT_TRUE(encoder().Encode(emission_, &record_).ok());
  EXPECT_THAT(std::string(*record_.value),
              HasSubstr("},transaction=Struct{id=204126:2393226040,total_order=4,"
                        "data_collection_order=2},op=c"));
}

TEST_F(OtherRecordsTest, HBT01Heartbeat) {
  emission_ = event::Emission();
  emission_.kind = event::RecordKind::kHeartbeat;
  emission_.topic = "__debezium-heartbeat.srv";
  EXPECT_EQ(Value(), R"({"ts_ms":1795224448748})");
  EXPECT_EQ(Key(), R"({"serverName":"srv"})");
  EXPECT_EQ(record_.partition, 0);
}

TEST_F(OtherRecordsTest, HeartbeatWithSchemasAndAsText) {
  emission_ = event::Emission();
  emission_.kind = event::RecordKind::kHeartbeat;
  emission_.topic = "__debezium-heartbeat.srv";
  options_.key.schemas_enable = options_.value.schemas_enable = true;
  EXPECT_EQ(
      Value(),
      R"({"schema":{"type":"struct","fields":[{"type":"int64","optional":false,"field":"ts_ms"}],)"
      R"("optional":false,"name":"io.debezium.connector.common.Heartbeat","version":1},)"
      R"("payload":{"ts_ms":1795224448748}})");
  EXPECT_EQ(
      Key(),
      R"({"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"serverName"}],)"
      R"("optional":false,"name":"io.debezium.connector.common.ServerNameKey","version":1},)"
      R"("payload":{"serverName":"srv"}})");
  UseStringConverter();
  encoder_.reset();
  EXPECT_EQ(Value(), "Struct{ts_ms=1795224448748}");
  EXPECT_EQ(Key(), "Struct{serverName=srv}");
}

TEST_F(OtherRecordsTest, MSG05ContentOfAMessageFollowsBinaryHandlingMode) {
  const event::LogicalMessage message{true, "p", "\xFB\xEF"};
  event::ChangeEvent change;
  change.operation = event::Operation::kMessage;
  change.message = &message;
  const auto content = [&](BinaryMode mode) {
    options_.values.binary = mode;
    encoder_.reset();
    EXPECT_TRUE(encoder().Encode(Emit(change), &record_).ok());
    const std::string value(*record_.value);
    return value.substr(value.find("\"content\""));
  };
  EXPECT_EQ(content(BinaryMode::kBytes), R"("content":"++8="}})");
  EXPECT_EQ(content(BinaryMode::kBase64), R"("content":"++8="}})");
  EXPECT_EQ(content(BinaryMode::kBase64UrlSafe), R"("content":"--8="}})");
  EXPECT_EQ(content(BinaryMode::kHex), R"("content":"fbef"}})");
  options_.value.schemas_enable = true;
  encoder_.reset();
  EXPECT_TRUE(encoder().Encode(Emit(change), &record_).ok());
  EXPECT_THAT(std::string(*record_.value),
              HasSubstr(R"({"type":"string","optional":true,"field":"content"})"));
}

}  // namespace
}  // namespace walduct::encode
