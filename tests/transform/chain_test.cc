// Chains behind the real encoder: rows in, records out. What only a value can decide makes
// branches.
#include "transform/chain/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "encode/options/converter_options.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/chain_config.h"

namespace walduct::encode {
namespace {

using event::Operation;

constexpr char kUnwrap[] =
    "transforms=u\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n";

class ChainTest : public EncodeTest {
 protected:
  void Use(const std::string& lines) {
    options_.extended_headers = false;
    chain_ = transform::Chain::Create(test::ChainOf(test::ParseLines(lines)));
    chained_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", chain_.get());
  }

  // "topic key value", "dropped", or the error.
  std::string Write(Operation operation, std::vector<event::Value> row) {
    event::ChangeEvent change = Change(*table_, operation);
    (operation == Operation::kDelete ? change.before : change.after) = row;
    return Write(Emit(change));
  }
  std::string Write(const event::Emission& emission) {
    event::Record record;
    const absl::Status status = chained_->Encode(emission, &record);
    if (!status.ok()) return std::string(status.message());
    warned_ = record.warned;
    if (record.dropped) return "dropped";
    std::string text = absl::StrCat(record.topic, " ", record.key.value_or("null"), " ",
                                    record.value.value_or("null"));
    for (const event::Header& header : record.headers)
      absl::StrAppend(&text, " ", header.name, "=", header.is_null ? "null" : header.value);
    if (record.partition) absl::StrAppend(&text, " partition ", *record.partition);
    return text;
  }
  std::string Insert(absl::string_view id, absl::string_view customer) {
    return Write(Operation::kCreate, {Text(id), Text(customer), Text("1.50"), Null()});
  }
  std::string Delete(absl::string_view id) {
    return Write(Operation::kDelete, {Text(id), Null(), Null(), Null()});
  }

  std::shared_ptr<event::TableSchema> table_ = OrdersTable();
  std::unique_ptr<const transform::Chain> chain_;
  std::unique_ptr<RecordEncoder> chained_;
  bool warned_ = false;  // the last record
};

TEST_F(ChainTest, SMT01_TheNewRowTakesThePlaceOfTheEnvelope) {
  Use(kUnwrap);
  EXPECT_EQ(Insert("1", "ann"),
            "srv.public.orders {\"id\":1} "
            "{\"id\":1,\"customer\":\"ann\",\"total\":\"AJY=\",\"note\":null}");
  EXPECT_EQ(Delete("1"), "srv.public.orders {\"id\":1} null");
}

TEST_F(ChainTest, SMT01_AColumnGivesTheTopicOfEachRow) {
  Use(absl::StrCat(kUnwrap, "transforms.u.route.by.field=customer\n"));
  const std::string value = "{\"id\":1,\"customer\":\"ann\",\"total\":\"AJY=\",\"note\":null}";
  EXPECT_EQ(Insert("1", "ann"), "ann {\"id\":1} " + value);
  EXPECT_THAT(Insert("2", "bob"), testing::StartsWith("bob {\"id\":2}"));
  EXPECT_EQ(Insert("1", "ann"), "ann {\"id\":1} " + value);
}

TEST_F(ChainTest, ManyAnswersAreForgottenNotMixedUp) {
  Use(absl::StrCat(kUnwrap, "transforms.u.route.by.field=customer\n"));
  for (int i = 0; i < 10000; ++i) {
    const std::string topic = absl::StrCat("t", i);
    ASSERT_THAT(Insert("1", topic), testing::StartsWith(topic + " "));
  }
  EXPECT_THAT(Insert("1", "t5"), testing::StartsWith("t5 "));
}

TEST_F(ChainTest, SMT03_SeveralTablesShareATopicAndTheirKeysTellThemApart) {
  Use("transforms=r\ntransforms.r.type=io.debezium.transforms.ByLogicalTableRouter\n"
      "transforms.r.topic.regex=(.*)orders\ntransforms.r.topic.replacement=$1all\n");
  EXPECT_THAT(Insert("1", "ann"),
              testing::StartsWith("srv.public.all {\"id\":1,\"__dbz__physicalTableIdentifier\":"
                                  "\"srv.public.orders\"} {\"before\":null,"));
}

TEST_F(ChainTest, SMT03_NullInARoutedKeyStaysNullForTheConverter) {
  table_ = MakeTable(
      "orders",
      {{"id", MakeType("int4"), -1, false}, {"note", MakeType("text"), -1, true, "'none'::text"}},
      {0, 1});
  const std::string lines =
      "transforms=r\ntransforms.r.type=io.debezium.transforms.ByLogicalTableRouter\n"
      "transforms.r.topic.regex=(.*)orders\ntransforms.r.topic.replacement=$1all\n"
      "transforms.r.key.field.name=of\n";
  const auto write = [&] {
    Use(lines);
    return Write(Operation::kCreate, {Text("1"), Null()});
  };
  EXPECT_THAT(write(), testing::HasSubstr(R"({"id":1,"note":"none","of":"srv.public.orders"})"));
  options_.key.replace_null_with_default = false;
  EXPECT_THAT(write(), testing::HasSubstr(R"({"id":1,"note":null,"of":"srv.public.orders"})"));
  options_.key.kind = ConverterKind::kString;
  EXPECT_THAT(write(), testing::HasSubstr("Struct{id=1,of=srv.public.orders}"));
}

TEST_F(ChainTest, RowsOfChunksArePublishedAsRowsOfTheirHypertable) {
  const std::string timescale =
      "transforms=t\ntransforms.t.type="
      "io.debezium.connector.postgresql.transforms.timescaledb.TimescaleDb\n"
      "transforms.t.schema.list=public,inner\n";
  const std::string headers =
      " __debezium_timescaledb_chunk_table=orders __debezium_timescaledb_chunk_schema=public";
  Use(timescale);
  EXPECT_THAT(Insert("1", "ann"), testing::StartsWith("srv.public.orders {"));  // of no hypertable
  table_->hypertable = std::make_shared<const event::Hypertable>(
      event::Hypertable{.schema = "shop", .table = "readings"});
  Use(timescale);
  EXPECT_THAT(Insert("1", "ann"),
              AllOf(testing::StartsWith("timescaledb.shop.readings {\"id\":1} "),
                    testing::HasSubstr("\"schema\":\"shop\",\"table\":\"readings\""),
                    testing::EndsWith("}" + headers)));
  table_->hypertable = std::make_shared<const event::Hypertable>(event::Hypertable{
      .schema = "inner", .table = "s", .aggregate_schema = "shop", .aggregate = "daily"});
  Use(timescale + "transforms.t.target.topic.prefix=ts\n");
  EXPECT_THAT(
      Insert("1", "ann"),
      AllOf(testing::StartsWith("ts.shop.daily {\"id\":1} "),
            testing::HasSubstr("\"schema\":\"shop\",\"table\":\"daily\""),
            testing::EndsWith(headers + " __debezium_timescaledb_hypertable_table=s"
                                        " __debezium_timescaledb_hypertable_schema=inner")));
  Use(timescale.substr(0, timescale.find("transforms.t.schema.list")));
  EXPECT_THAT(Insert("1", "ann"), testing::StartsWith("srv.public.orders {"));
}

TEST_F(ChainTest, SMT04_ValuesGiveThePartition) {
  Use("transforms=p\ntransforms.p.type=io.debezium.transforms.partitions.PartitionRouting\n"
      "transforms.p.partition.payload.fields=change.customer\n"
      "transforms.p.partition.topic.num=7\n");
  EXPECT_THAT(Insert("1", "a"), testing::EndsWith(" partition 6"));
  EXPECT_THAT(Insert("1", "hello world"), testing::EndsWith(" partition 4"));
}

TEST_F(ChainTest, SMT05_ExpressionsDropRecords) {
  Use("transforms=f\ntransforms.f.type=io.debezium.transforms.Filter\n"
      "transforms.f.language=jsr223.groovy\n"
      "transforms.f.condition=value.op == 'd' || value.after.customer == 'ann' && value.after.id < "
      "10\n");
  EXPECT_THAT(Insert("1", "ann"), testing::HasSubstr("\"customer\":\"ann\""));
  EXPECT_EQ(Insert("11", "ann"), "dropped");
  EXPECT_EQ(Insert("1", "bob"), "dropped");
  EXPECT_THAT(Delete("1"), testing::HasSubstr("\"op\":\"d\""));
}

TEST_F(ChainTest, SMT05_ExpressionsGiveTopics) {
  Use("transforms=c\ntransforms.c.type=io.debezium.transforms.ContentBasedRouter\n"
      "transforms.c.language=jsr223.groovy\n"
      "transforms.c.topic.expression=value.after?.customer =~ '^a' ? 'a-' + value.source.table : "
      "null\n");
  EXPECT_THAT(Insert("1", "ann"), testing::StartsWith("a-orders "));
  EXPECT_THAT(Insert("1", "bob"), testing::StartsWith("srv.public.orders "));
}

TEST_F(ChainTest, AFieldOfNullIsTheErrorOfItsRecordsOnly) {
  Use("transforms=f\ntransforms.f.type=io.debezium.transforms.Filter\n"
      "transforms.f.language=jsr223.groovy\ntransforms.f.condition=value.after.id == 1\n");
  EXPECT_THAT(Insert("1", "ann"), testing::StartsWith("srv.public.orders "));
  EXPECT_THAT(Delete("1"), testing::AllOf(testing::HasSubstr("transform 'f' cannot process"),
                                          testing::HasSubstr("reads 'id' of null")));
}

TEST_F(ChainTest, SMT06_AChainThatReturnsNothingPublishesNothing) {
  Use("transforms=f\ntransforms.f.type=org.apache.kafka.connect.transforms.Filter\n");
  EXPECT_EQ(Insert("1", "ann"), "dropped");
  EXPECT_EQ(Delete("1"), "dropped");
}

TEST_F(ChainTest, KeysMadeOfColumnsAndCasts) {
  Use("transforms=k,x,c\ntransforms.k.type=org.apache.kafka.connect.transforms.ValueToKey\n"
      "transforms.k.fields=customer,id\ntransforms.k.predicate=t\ntransforms.k.negate=true\n"
      "transforms.x.type=org.apache.kafka.connect.transforms.ExtractField$Key\n"
      "transforms.x.field=id\ntransforms.c.type=org.apache.kafka.connect.transforms.Cast$Key\n"
      "transforms.c.spec=string\npredicates=t\n"
      "predicates.t.type=org.apache.kafka.connect.transforms.predicates.RecordIsTombstone\n");
  // Of the envelope there is no such field.
  EXPECT_THAT(Insert("1", "ann"), testing::HasSubstr("Field does not exist: customer"));
  Use(absl::StrCat(
      "transforms=u,k,x,c\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.u.delete.tombstone.handling.mode=drop\n"
      "transforms.k.type=org.apache.kafka.connect.transforms.ValueToKey\n"
      "transforms.k.fields=customer,id\n"
      "transforms.x.type=org.apache.kafka.connect.transforms.ExtractField$Key\n"
      "transforms.x.field=id\ntransforms.c.type=org.apache.kafka.connect.transforms.Cast$Key\n"
      "transforms.c.spec=string\n"));
  EXPECT_THAT(Insert("1", "ann"), testing::StartsWith("srv.public.orders \"1\" {\"id\":1,"));
  EXPECT_EQ(Delete("1"), "dropped");
}

TEST_F(ChainTest, StringConverterPrintsStructsAndBareTexts) {
  options_.key.kind = ConverterKind::kString;
  options_.value.kind = ConverterKind::kString;
  Use("transforms=u,k\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.k.type=org.apache.kafka.connect.transforms.ExtractField$Key\n"
      "transforms.k.field=id\n");
  EXPECT_EQ(Insert("1", "ann"), "srv.public.orders 1 Struct{id=1,customer=ann,total=1.50}");
  EXPECT_EQ(Delete("1"), "srv.public.orders 1 null");
}

TEST_F(ChainTest, HeartbeatsTransactionsAndMessagesPass) {
  Use("transforms=u,i\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.i.type=org.apache.kafka.connect.transforms.InsertHeader\n"
      "transforms.i.header=h\ntransforms.i.value.literal=1\n");
  event::Emission heartbeat;
  heartbeat.kind = event::RecordKind::kHeartbeat;
  heartbeat.topic = "__debezium-heartbeat.srv";
  EXPECT_EQ(Write(heartbeat),
            "__debezium-heartbeat.srv {\"serverName\":\"srv\"} {\"ts_ms\":1795224448748} h=1 "
            "partition 0");
  event::TransactionBoundary boundary;
  boundary.xid = 771;
  boundary.lsn = Lsn(9);
  const event::CollectionCount counts[] = {{"public.orders", 2}};
  boundary.events = 2;
  boundary.collections = counts;
  event::Emission end;
  end.kind = event::RecordKind::kTransactionEnd;
  end.boundary = &boundary;
  end.topic = "srv.transaction";
  EXPECT_EQ(Write(end),
            "srv.transaction {\"id\":\"771:9\"} {\"status\":\"END\",\"id\":\"771:9\","
            "\"event_count\":2,\"data_collections\":[{\"data_collection\":\"public.orders\","
            "\"event_count\":2}],\"ts_ms\":0} h=1");
  event::ChangeEvent change;
  change.operation = Operation::kMessage;
  const event::LogicalMessage message{true, "p", "hi"};
  change.message = &message;
  EXPECT_THAT(
      Write(Emit(change)),
      testing::AllOf(testing::StartsWith("srv.message {\"prefix\":\"p\"} "),
                     testing::HasSubstr("\"content\":\"aGk=\"}"), testing::EndsWith(" h=1")));
}

// Beside a decimal, at which the original stops.
TEST_F(ChainTest, SMT05_TooLargeRecordsAreCutAndTold) {
  const std::string size =
      "transforms.s.type=io.debezium.transforms.EnforceRecordSize\ntransforms.s.max.bytes=8000\n"
      "transforms.s.min.field.size=100\n";
  Use("transforms=s\n" + size);
  EXPECT_THAT(Insert("1", "ann"), testing::HasSubstr("\"customer\":\"ann\""));
  EXPECT_FALSE(warned_);
  EXPECT_THAT(chained_->TakeTransformNotices(), testing::IsEmpty());
  const std::string cut = Insert("1", std::string(10000, 'z'));
  const auto left = std::count(cut.begin(), cut.end(), 'z');
  EXPECT_GT(left, 4000);
  EXPECT_LT(left, 8000);
  EXPECT_TRUE(warned_);
  EXPECT_THAT(chained_->TakeTransformNotices(),
              testing::ElementsAre(testing::HasSubstr("transform 's': records of topic "
                                                      "srv.public.orders are larger")));
  EXPECT_THAT(Insert("1", "ann"), testing::HasSubstr("\"customer\":\"ann\""));
  EXPECT_FALSE(warned_);
  EXPECT_THAT(Delete("1"), testing::HasSubstr("\"op\":\"d\""));
  EXPECT_FALSE(warned_);
  Use("transforms=u,s\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n" + size);
  EXPECT_THAT(Insert("1", std::string(10000, 'z')), testing::HasSubstr(std::string(10000, 'z')));
  EXPECT_TRUE(warned_);
  EXPECT_THAT(chained_->TakeTransformNotices(),
              testing::ElementsAre(testing::HasSubstr("published unchanged")));
}

// Whatever a chain that changes nothing is given, it writes the bytes of the encoder without one.
TEST_F(ChainTest, AChainWithoutEffectWritesTheSameBytes) {
  for (const bool schemas : {false, true}) {
    for (const auto kind : {ConverterKind::kJson, ConverterKind::kString}) {
      options_.value.schemas_enable = options_.key.schemas_enable = schemas;
      options_.value.kind = options_.key.kind = kind;
      Use("transforms=n\ntransforms.n.type=io.debezium.transforms.SchemaChangeEventFilter\n"
          "transforms.n.schema.change.event.exclude.list=DROP\n");
      const auto plain = *RecordEncoder::Create(options_, clock_, "01a1fbb7");
      for (const Operation operation :
           {Operation::kCreate, Operation::kUpdate, Operation::kDelete}) {
        const std::vector<event::Value> row = {Text("1"), Text("a\"b"), Text("1.50"), Null()};
        event::ChangeEvent change = Change(*table_, operation);
        if (operation != Operation::kDelete) change.after = row;
        if (operation != Operation::kCreate) change.before = row;
        event::Emission emission = Emit(change);
        if (operation == Operation::kDelete) emission.key_header = event::KeyHeader::kNewKey;
        if (operation == Operation::kDelete) change.after = row;
        event::Record a, b;
        ASSERT_TRUE(plain->Encode(emission, &a).ok());
        ASSERT_TRUE(chained_->Encode(emission, &b).ok());
        EXPECT_EQ(a.key, b.key);
        EXPECT_EQ(a.value, b.value);
        ASSERT_EQ(a.headers.size(), b.headers.size());
        for (size_t i = 0; i < a.headers.size(); ++i)
          EXPECT_EQ(a.headers[i].value, b.headers[i].value);
      }
    }
  }
}

// What the real classes do with an envelope that is one by its name only.
TEST_F(ChainTest, AFlattenedEnvelopeIsRefusedByWhatUnwraps) {
  const std::string flat =
      "transforms=f,u\ntransforms.f.type=org.apache.kafka.connect.transforms.Flatten$Value\n"
      "transforms.u.type=io.debezium.transforms.";
  Use(flat + "ExtractNewRecordState\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("Unknown field: after"));
  Use(flat + "ExtractChangedRecordState\ntransforms.u.header.changed.name=h\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("after is not a valid field name"));
}

TEST_F(ChainTest, AnEnvelopeWithoutItsRowsIsRefusedByTheLogicalRouter) {
  Use("transforms=r,l\ntransforms.r.type=org.apache.kafka.connect.transforms.ReplaceField$Value\n"
      "transforms.r.include=op\ntransforms.l.type=io.debezium.transforms.ByLogicalTableRouter\n"
      "transforms.l.topic.regex=(.*)\ntransforms.l.topic.replacement=all\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("the envelope has no field before"));
}

// The recordings have constants only.
TEST_F(ChainTest, AFieldTakesTheValueOfTheOneThatWasRenamedToItsName) {
  const std::string replace =
      "transforms=u,r\ntransforms.u.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.r.type=org.apache.kafka.connect.transforms.ReplaceField$Value\n";
  Use(replace + "transforms.r.exclude=note\ntransforms.r.renames=note:customer\n");
  const auto write = [&](event::Value note) {
    return Write(Operation::kCreate, {Text("1"), Text("ann"), Text("1.50"), note});
  };
  EXPECT_THAT(write(Text("x")), testing::EndsWith(R"({"id":1,"customer":"x","total":"AJY="})"));
  EXPECT_THAT(write(Null()), testing::HasSubstr("null used for required field: \"customer\""));
  Use(replace + "transforms.r.exclude=customer\ntransforms.r.renames=customer:note\n");
  EXPECT_THAT(write(Null()), testing::EndsWith(R"({"id":1,"total":"AJY=","note":"ann"})"));
  Use(replace + "transforms.r.exclude=total\ntransforms.r.renames=total:note\n");
  EXPECT_THAT(write(Text("x")), testing::HasSubstr("total does not fit the schema of field note"));
  Use(replace + "transforms.r.renames=nosuch:note\n");
  EXPECT_THAT(write(Text("x")), testing::EndsWith(R"("total":"AJY=","note":"x"})"));
}

TEST_F(ChainTest, OnlyStructsGetMetadata) {
  const std::string extract = "org.apache.kafka.connect.transforms.ExtractField$Key";
  Use("transforms=x,m\ntransforms.x.type=" + extract + "\ntransforms.x.field=id\n" +
      "transforms.m.type=org.apache.kafka.connect.transforms.SetSchemaMetadata$Key\n"
      "transforms.m.schema.name=some.Name\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("Cannot list fields on non-struct type"));
}

TEST_F(ChainTest, CastAddsFieldsToAMap) {
  table_->key_columns.clear();
  Use("transforms=h,c\ntransforms.h.type=org.apache.kafka.connect.transforms.HoistField$Key\n"
      "transforms.h.field=whole\ntransforms.c.type=org.apache.kafka.connect.transforms.Cast$Key\n"
      "transforms.c.spec=id:string\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr(R"({"whole":null,"id":null})"));
}

TEST_F(ChainTest, MomentsBeyondTheirUnitAreTheLimit) {
  table_->columns[1].type = MakeType("int8");
  Use(std::string(kUnwrap) +
      "transforms=u,t\ntransforms.t.type=org.apache.kafka.connect.transforms.TimestampConverter"
      "$Value\ntransforms.t.field=customer\ntransforms.t.target.type=Timestamp\n"
      "transforms.t.unix.precision=seconds\n");
  EXPECT_THAT(Insert("1", "-9223372036854775808"),
              testing::HasSubstr(R"("customer":-9223372036854775808)"));
  EXPECT_THAT(Insert("1", "9223372036854775807"),
              testing::HasSubstr(R"("customer":9223372036854775807)"));
}

TEST_F(ChainTest, MaskAddsFieldsToAMap) {
  table_->key_columns.clear();
  Use("transforms=h,m\ntransforms.h.type=org.apache.kafka.connect.transforms.HoistField$Key\n"
      "transforms.h.field=whole\n"
      "transforms.m.type=org.apache.kafka.connect.transforms.MaskField$Key\n"
      "transforms.m.fields=id\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr(R"({"whole":null,"id":null})"));
}

TEST_F(ChainTest, OnlyAStructIsAKeyForTheLogicalRouter) {
  Use("transforms=x,l\ntransforms.x.type=org.apache.kafka.connect.transforms.ExtractField$Key\n"
      "transforms.x.field=id\ntransforms.l.type=io.debezium.transforms.ByLogicalTableRouter\n"
      "transforms.l.topic.regex=(.*)\ntransforms.l.topic.replacement=all\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("the key is not a struct"));
}

TEST_F(ChainTest, ANullUnderASchemaIsATombstone) {
  Use("transforms=x,u\ntransforms.x.type=org.apache.kafka.connect.transforms.ExtractField$Value\n"
      "transforms.x.field=transaction\n"
      "transforms.u.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.u.delete.tombstone.handling.mode=drop\n");
  EXPECT_EQ(Insert("1", "a"), "dropped");
}

TEST_F(ChainTest, AMapIsNoKeyForTheLogicalRouter) {
  table_->key_columns.clear();
  Use("transforms=h,l\ntransforms.h.type=org.apache.kafka.connect.transforms.HoistField$Key\n"
      "transforms.h.field=whole\ntransforms.l.type=io.debezium.transforms.ByLogicalTableRouter\n"
      "transforms.l.topic.regex=(.*)\ntransforms.l.topic.replacement=all\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("the key is a map"));
}

TEST_F(ChainTest, ANullRowHasNoTimestampToConvert) {
  Use(std::string(kUnwrap) +
      "transforms=u,t\ntransforms.t.type=org.apache.kafka.connect.transforms.TimestampConverter"
      "$Value\ntransforms.t.field=total\ntransforms.t.target.type=Date\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr("known timestamp type"));
  EXPECT_THAT(Delete("1"), testing::HasSubstr("null"));
}

TEST_F(ChainTest, HeadersBecomeFieldsInTheirOwnOrder) {
  const std::string header = ".type=org.apache.kafka.connect.transforms.InsertHeader\ntransforms.";
  Use("transforms=a,b,v\ntransforms.a" + header + "a.header=first\ntransforms.a.value.literal=1\n" +
      "transforms.b" + header + "b.header=second\ntransforms.b.value.literal=2\n" +
      "transforms.v.type=io.debezium.transforms.HeaderToValue\n"
      "transforms.v.headers=second,first\ntransforms.v.fields=two,one\n"
      "transforms.v.operation=copy\n");
  EXPECT_THAT(Insert("1", "a"), testing::HasSubstr(R"("one":1,"two":2})"));
}

TEST_F(ChainTest, AnEmptyArrayHasNoSchemaForAnEnvelope) {
  Use("transforms=o\ntransforms.o.type=io.debezium.transforms.outbox.EventRouter\n"
      "transforms.o.table.expand.json.payload=true\n"
      "transforms.o.table.field.event.key=customer\ntransforms.o.route.by.field=customer\n"
      "transforms.o.table.field.event.payload=note\n"
      "transforms.o.table.fields.additional.placement=id:envelope\n");
  EXPECT_THAT(Write(Operation::kCreate, {Text("1"), Text("a"), Null(), Text("[]")}),
              testing::HasSubstr("field payload cannot be null"));
}

// An EventRouter over the table of orders, its note being JSON.
std::string Router(const std::string& more) {
  return "transforms=o,x\ntransforms.o.type=io.debezium.transforms.outbox.EventRouter\n"
         "transforms.o.table.expand.json.payload=true\n"
         "transforms.o.table.field.event.key=customer\ntransforms.o.route.by.field=customer\n"
         "transforms.o.table.field.event.payload=note\ntransforms.x.type=" +
         more;
}

TEST_F(ChainTest, OBX11_TransformsWorkOnTheFieldsOfExpandedPayloads) {
  const auto write = [&](const std::string& transform, absl::string_view payload) {
    Use(Router("org.apache.kafka.connect.transforms." + transform));
    return Write(Operation::kCreate, {Text("1"), Text("a"), Null(), Text(payload)});
  };
  const char json[] = R"({"a": {"b": 1}, "c": [true], "d": 1e400, "e": "x"})";
  EXPECT_THAT(write("Flatten$Value\n", json),
              testing::HasSubstr(R"({"a.b":1,"c":[true],"d":"Infinity","e":"x"})"));
  EXPECT_THAT(write("ReplaceField$Value\ntransforms.x.include=e,c\n", json),
              testing::HasSubstr(R"({"c":[true],"e":"x"})"));
  EXPECT_THAT(write("ValueToKey\ntransforms.x.fields=e\n", json),
              testing::HasSubstr(R"( {"e":"x"} {"a":{"b":1},"c":[true],"d":"Infinity","e":"x"})"));
  EXPECT_THAT(write("MaskField$Value\ntransforms.x.fields=e,d\n", json),
              testing::HasSubstr(R"({"a":{"b":1},"c":[true],"d":0.0,"e":""})"));
  EXPECT_THAT(write("Flatten$Value\n", "text"), testing::HasSubstr("Only Struct objects"));
  EXPECT_THAT(write("ExtractField$Value\ntransforms.x.field=e\n", "[]"),
              testing::HasSubstr("Only Map objects"));
}

TEST_F(ChainTest, OBX12_TheFirstEventNamesTheSchemaOfItsPayloadOrVersion) {
  options_.value.schemas_enable = true;
  table_->columns[1].optional = true;
  const auto name = [&](absl::string_view id, absl::string_view route, absl::string_view payload) {
    const std::string written =
        Write(Operation::kCreate, {Text(id), Text(route), Null(), Text(payload)});
    const size_t at = written.find("srv.public.orders.", written.find("\"optional\":false"));
    return at == std::string::npos ? written : written.substr(at, written.find('"', at) - at);
  };
  const std::string envelope =
      "org.apache.kafka.connect.transforms.DropHeaders\ntransforms.x.headers=none\n"
      "transforms.o.table.fields.additional.placement=id:envelope\n";
  Use(Router(envelope));
  EXPECT_EQ(name("1", "a", R"({"n": 1})"), "srv.public.orders.a.Value");
  EXPECT_EQ(name("1", "b", R"({"n": 2})"), "srv.public.orders.a.Value");
  EXPECT_EQ(name("1", "b", R"({"n": "x"})"), "srv.public.orders.b.Value");
  EXPECT_EQ(name("1", "c", "text"), "srv.public.orders.c.Value");
  EXPECT_EQ(name("1", "a", "text"), "srv.public.orders.c.Value");

  // Also where the first one is refused, having no topic.
  Use(Router(envelope));
  EXPECT_THAT(Write(Operation::kCreate, {Text("1"), Null(), Null(), Text("text")}),
              testing::HasSubstr("is NULL"));
  EXPECT_EQ(name("1", "a", "text"), "srv.public.orders.null.Value");

  Use(Router(envelope + "transforms.o.table.field.event.schema.version=id\n"));
  EXPECT_EQ(name("1", "a", "text"), "srv.public.orders.a.Value");
  EXPECT_EQ(name("1", "b", "text"), "srv.public.orders.a.Value");
  EXPECT_EQ(name("2", "b", "text"), "srv.public.orders.b.Value");
}

}  // namespace
}  // namespace walduct::encode
