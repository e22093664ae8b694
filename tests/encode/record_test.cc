// Whole records. The literals were recorded from Debezium 3.6.1; only clocks, LSNs and ids are the
// fixture's.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "encode/options/converter_options.h"
#include "encode/records/constant_headers.h"
#include "encode/table/field_plan.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// Everything after the rows of an insert into public.orders.
constexpr char kTail[] =
    R"(,"source":{"version":"3.6.1.Final","connector":"postgresql","name":"srv","ts_ms":1795224449141,)"
    R"("snapshot":"false","db":"shop","sequence":"[null,\"2393226040\"]","ts_us":1795224449141730,)"
    R"("ts_ns":1795224449141730000,"schema":"public","table":"orders","txId":204126,"lsn":2393226040,"xmin":null,)"
    R"("origin":null,"origin_lsn":null},"transaction":null,"op":"c","ts_ms":1795224448748,"ts_us":1795224448748743,)"
    R"("ts_ns":1795224448748743940})";

std::vector<std::pair<std::string, std::string>> Headers(const event::Record& record) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const event::Header& h : record.headers)
    headers.emplace_back(std::string(h.name), std::string(h.value));
  return headers;
}

class RecordTest : public EncodeTest {
 protected:
  std::string Encode(const event::Emission& emission) {
    const absl::Status status = encoder().Encode(emission, &record_);
    EXPECT_TRUE(status.ok()) << status;
    return record_.value ? std::string(*record_.value) : "<none>";
  }

  // update orders set id=30 where id=3, under REPLICA IDENTITY DEFAULT.
  event::ChangeEvent KeyChange() {
    event::ChangeEvent change = Change(*orders_, event::Operation::kUpdate);
    change.before = before_;
    change.old_row = event::OldRow::kKey;
    change.after = after_;
    return change;
  }

  std::shared_ptr<event::TableSchema> orders_ = OrdersTable();
  std::vector<event::Value> before_ = {Text("3"), Absent(), Absent(), Absent()};
  std::vector<event::Value> after_ = {Text("30"), Text("cy"), Text("0.01"), Text("y")};
};

TEST_F(RecordTest, ENV01Insert) {
  const std::string value = Insert(*orders_, {Text("4"), Text("dee"), Text("44.44"), Text("new")});
  EXPECT_EQ(value,
            std::string(
                R"({"before":null,"after":{"id":4,"customer":"dee","total":"EVw=","note":"new"})") +
                kTail);
  EXPECT_EQ(Key(), R"({"id":4})");
  EXPECT_EQ(record_.topic, "srv.public.orders");
  EXPECT_FALSE(record_.partition.has_value());
}

TEST_F(RecordTest, ENV07SequenceStartsWithTheLastCommit) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  change.after = after_;
  change.last_commit_end = Lsn(2393226232);
  EXPECT_THAT(Encode(Emit(change)), HasSubstr(R"("sequence":"[\"2393226232\",\"2393226040\"]")"));
}

TEST_F(RecordTest, SnapshotMarkers) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kRead);
  change.after = after_;
  const auto marker = [&](event::SnapshotMarker m) {
    change.snapshot = m;
    const std::string value = Encode(Emit(change));
    const size_t at = value.find("\"snapshot\":") + 11;
    return value.substr(at, value.find(',', at) - at);
  };
  EXPECT_EQ(marker(event::SnapshotMarker::kTrue), "\"true\"");
  EXPECT_EQ(marker(event::SnapshotMarker::kFirst), "\"first\"");
  EXPECT_EQ(marker(event::SnapshotMarker::kFirstInDataCollection), "\"first_in_data_collection\"");
  EXPECT_EQ(marker(event::SnapshotMarker::kLastInDataCollection), "\"last_in_data_collection\"");
  EXPECT_EQ(marker(event::SnapshotMarker::kLast), "\"last\"");
  EXPECT_EQ(marker(event::SnapshotMarker::kFalse), "\"false\"");
}

TEST_F(RecordTest, SourceWithoutXidAndWithOrigin) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  change.after = after_;
  change.xid.reset();
  change.origin = "other\"node";
  change.origin_lsn = Lsn(77);
  EXPECT_THAT(
      Encode(Emit(change)),
      HasSubstr(
          R"("txId":null,"lsn":2393226040,"xmin":null,"origin":"other\"node","origin_lsn":77})"));
}

TEST_F(RecordTest, ENV02MillisecondsRoundDownBefore1970) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  change.after = after_;
  change.source_time_us = -1;
  EXPECT_THAT(Encode(Emit(change)), HasSubstr(R"("ts_ms":-1,"snapshot")"));
}

TEST_F(RecordTest, ENV05DeleteUnderDefaultIdentityFillsRequiredColumns) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kDelete);
  change.before = before_;
  change.old_row = event::OldRow::kKey;
  EXPECT_THAT(
      Encode(Emit(change)),
      HasSubstr(
          R"({"before":{"id":3,"customer":"","total":null,"note":null},"after":null,"source")"));
  EXPECT_EQ(Key(), R"({"id":3})");
}

TEST_F(RecordTest, DeleteUnderAnIndexWithoutTheKeyFillsTheKey) {
  before_ = {Absent(), Text("bob"), Absent(), Absent()};
  event::ChangeEvent change = Change(*orders_, event::Operation::kDelete);
  change.before = before_;
  EXPECT_THAT(Encode(Emit(change)),
              HasSubstr(R"({"before":{"id":0,"customer":"bob","total":null,"note":null})"));
  EXPECT_EQ(Key(), R"({"id":0})");
}

TEST_F(RecordTest, TombstoneHasNoValue) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kDelete);
  change.before = before_;
  event::Emission emission = Emit(change);
  emission.value = event::PublishedValue::kTombstone;
  EXPECT_EQ(Encode(emission), "<none>");
  EXPECT_EQ(Key(), R"({"id":3})");
  EXPECT_EQ(record_.headers.size(), 4u);
}

TEST_F(RecordTest, KEY06HalvesOfAKeyChangeAreLinkedByHeaders) {
  const event::ChangeEvent change = KeyChange();
  event::Emission old_half = Emit(change);
  old_half.operation = event::Operation::kDelete;
  old_half.key = event::KeySource::kBefore;
  old_half.key_header = event::KeyHeader::kNewKey;
  old_half.with_after = false;
  EXPECT_THAT(Encode(old_half), HasSubstr(R"("op":"d")"));
  EXPECT_EQ(Key(), R"({"id":3})");
  EXPECT_THAT(Headers(record_), ElementsAre(Pair("__debezium.newkey", R"({"id":30})"),
                                            Pair("__debezium.context.connectorLogicalName", "srv"),
                                            Pair("__debezium.context.taskId", "0"),
                                            Pair("__debezium.context.connectorName", "postgresql"),
                                            Pair("__debezium.context.runId", "01a1fbb7")));

  event::Emission new_half = Emit(change);
  new_half.operation = event::Operation::kCreate;
  new_half.key_header = event::KeyHeader::kOldKey;
  new_half.with_before = false;
  EXPECT_THAT(
      Encode(new_half),
      HasSubstr(R"({"before":null,"after":{"id":30,"customer":"cy","total":"AQ==","note":"y"})"));
  EXPECT_EQ(Headers(record_)[0],
            std::make_pair(std::string("__debezium.oldkey"), std::string(R"({"id":3})")));
}

TEST_F(RecordTest, KeyHeadersHaveNoSchemaAndKeepQuotes) {
  options_.key.schemas_enable = true;
  options_.extended_headers = false;
  orders_ = MakeTable(
      "ck", {{"a", MakeType("int4"), -1, false}, {"b", MakeType("varchar"), 9, false}}, {1, 0});
  before_ = {Text("2"), Text("l\"x")};
  after_ = {Text("9"), Text("l\"x")};
  const event::ChangeEvent change = KeyChange();
  event::Emission emission = Emit(change);
  emission.key_header = event::KeyHeader::kNewKey;
  Encode(emission);
  EXPECT_THAT(Headers(record_), ElementsAre(Pair("__debezium.newkey", R"({"b":"l\"x","a":9})")));
}

TEST_F(RecordTest, KEY01KeyColumnsInKeyOrder) {
  const auto table = MakeTable(
      "ck", {{"a", MakeType("int4"), -1, false}, {"b", MakeType("varchar"), 9, false}}, {1, 0});
  Insert(*table, {Text("1"), Text("k")});
  EXPECT_EQ(Key(), R"({"b":"k","a":1})");
}

TEST_F(RecordTest, KEY03NoKey) {
  const auto table = MakeTable("nopk", {{"a", MakeType("int4")}}, {});
  Insert(*table, {Text("1")});
  EXPECT_EQ(Key(), "<none>");
}

TEST_F(RecordTest, Truncate) {
  const event::ChangeEvent change = Change(*orders_, event::Operation::kTruncate);
  event::Emission emission = Emit(change);
  emission.key = event::KeySource::kNone;
  const std::string value = Encode(emission);
  EXPECT_THAT(value, HasSubstr(R"({"before":null,"after":null,"source":)"));
  EXPECT_THAT(value, HasSubstr(R"("op":"t")"));
  EXPECT_EQ(Key(), "<none>");
}

TEST_F(RecordTest, LogicalMessage) {
  const event::LogicalMessage message{true, "pfx", "transactional content"};
  event::ChangeEvent change;
  change.operation = event::Operation::kMessage;
  change.message = &message;
  change.lsn = Lsn(2304711912);
  change.xid = 203854;
  change.source_time_us = 1795224383134597;
  EXPECT_EQ(
      Encode(Emit(change)),
      R"({"op":"m","ts_ms":1795224448748,"source":{"version":"3.6.1.Final","connector":"postgresql","name":"srv",)"
      R"("ts_ms":1795224383134,"snapshot":"false","db":"shop","sequence":"[null,\"2304711912\"]",)"
      R"("ts_us":1795224383134597,"ts_ns":1795224383134597000,"schema":"","table":"","txId":203854,)"
      R"("lsn":2304711912,"xmin":null,"origin":null,"origin_lsn":null},"transaction":null,)"
      R"("message":{"prefix":"pfx","content":"dHJhbnNhY3Rpb25hbCBjb250ZW50"}})");
  EXPECT_EQ(Key(), R"({"prefix":"pfx"})");
  EXPECT_TRUE(record_.headers.empty());
}

constexpr char kRowSchema[] =
    R"({"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"},)"
    R"({"type":"string","optional":false,"field":"customer"},{"type":"bytes","optional":true,)"
    R"("name":"org.apache.kafka.connect.data.Decimal","version":1,)"
    R"("parameters":{"scale":"2","connect.decimal.precision":"10"},"field":"total"},)"
    R"({"type":"string","optional":true,"field":"note"}],"optional":true,"name":"srv.public.orders.Value","field":")";
constexpr char kSourceSchema[] =
    R"({"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},)"
    R"({"type":"string","optional":false,"field":"connector"},{"type":"string","optional":false,"field":"name"},)"
    R"({"type":"int64","optional":false,"field":"ts_ms"},{"type":"string","optional":true,)"
    R"("name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"true,first,first_in_data_collection,)"
    R"(last_in_data_collection,last,false,incremental"},"default":"false","field":"snapshot"},)"
    R"({"type":"string","optional":false,"field":"db"},{"type":"string","optional":true,"field":"sequence"},)"
    R"({"type":"int64","optional":true,"field":"ts_us"},{"type":"int64","optional":true,"field":"ts_ns"},)"
    R"({"type":"string","optional":false,"field":"schema"},{"type":"string","optional":false,"field":"table"},)"
    R"({"type":"int64","optional":true,"field":"txId"},{"type":"int64","optional":true,"field":"lsn"},)"
    R"({"type":"int64","optional":true,"field":"xmin"},{"type":"string","optional":true,"field":"origin"},)"
    R"({"type":"int64","optional":true,"field":"origin_lsn"}],"optional":false,)"
    R"("name":"io.debezium.connector.postgresql.Source","version":1,"field":"source"})";
constexpr char kTransactionSchema[] =
    R"({"type":"struct","fields":[{"type":"string","optional":false,"field":"id"},)"
    R"({"type":"int64","optional":false,"field":"total_order"},)"
    R"({"type":"int64","optional":false,"field":"data_collection_order"}],"optional":true,"name":"event.block",)"
    R"("version":1,"field":"transaction"})";

TEST_F(RecordTest, ENV14SchemasOn) {
  options_.key.schemas_enable = true;
  options_.value.schemas_enable = true;
  const std::string value = Insert(*orders_, {Text("4"), Text("dee"), Text("44.44"), Text("new")});
  EXPECT_EQ(
      value,
      std::string(R"({"schema":{"type":"struct","fields":[)") + kRowSchema + R"(before"},)" +
          kRowSchema + R"(after"},)" + kSourceSchema + "," + kTransactionSchema +
          R"(,{"type":"string","optional":false,"field":"op"},)"
          R"({"type":"int64","optional":true,"field":"ts_ms"},)"
          R"({"type":"int64","optional":true,"field":"ts_us"},)"
          R"({"type":"int64","optional":true,"field":"ts_ns"}],"optional":false,)"
          R"("name":"srv.public.orders.Envelope","version":2},)"
          R"("payload":{"before":null,"after":{"id":4,"customer":"dee","total":"EVw=","note":"new"})" +
          kTail + "}");
  EXPECT_EQ(
      Key(),
      R"({"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false,)"
      R"("name":"srv.public.orders.Key"},"payload":{"id":4}})");
}

TEST_F(RecordTest, SchemasOnForTheKeyOnly) {
  options_.key.schemas_enable = true;
  EXPECT_THAT(Insert(*orders_, after_), ::testing::StartsWith(R"({"before":null,)"));
  EXPECT_THAT(Key(), ::testing::StartsWith(R"({"schema":)"));
}

TEST_F(RecordTest, DecimalFormatIsTheConvertersOwn) {
  options_.value.decimal_numeric = true;
  const auto table = MakeTable("t",
                               {{"id", MakeType("numeric"), NumericTypmod(5, 2), false},
                                {"v", MakeType("numeric"), NumericTypmod(5, 2), true, "1.50"}},
                               {0});
  EXPECT_EQ(After(*table, {Text("1.00"), Null()}), R"({"id":1.00,"v":1.50})");
  EXPECT_EQ(Key(), R"({"id":"ZA=="})");
}

TEST_F(RecordTest, StringConverterWritesJavaStructs) {
  options_.key.kind = ConverterKind::kString;
  options_.value.kind = ConverterKind::kString;
  const auto table = MakeTable(
      "zz_done",
      {{"id", MakeType("int4"), -1, false}, {"n", MakeType("text")}, {"e", MakeType("text")}}, {0});
  EXPECT_EQ(
      Insert(*table, {Text("1"), Null(), Text("")}),
      R"(Struct{after=Struct{id=1,e=},source=Struct{version=3.6.1.Final,connector=postgresql,name=srv,)"
      R"(ts_ms=1795224449141,db=shop,sequence=[null,"2393226040"],ts_us=1795224449141730,)"
      R"(ts_ns=1795224449141730000,schema=public,table=zz_done,txId=204126,lsn=2393226040},op=c,)"
      R"(ts_ms=1795224448748,ts_us=1795224448748743,ts_ns=1795224448748743940})");
  EXPECT_EQ(Key(), "Struct{id=1}");
}

TEST_F(RecordTest, ByteArrayConverterTakesNoStructures) {
  options_.value.kind = ConverterKind::kByteArray;
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  change.after = after_;
  const absl::Status status = encoder().Encode(Emit(change), &record_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("value.converter"));
}

TEST_F(RecordTest, ByteArrayConverterLetsTombstonesPass) {
  options_.value.kind = ConverterKind::kByteArray;
  event::ChangeEvent change = Change(*orders_, event::Operation::kDelete);
  change.before = before_;
  event::Emission emission = Emit(change);
  emission.value = event::PublishedValue::kTombstone;
  EXPECT_EQ(Encode(emission), "<none>");
}

TEST_F(RecordTest, ColumnsWithoutSupportAreLeftOutAndReportedOnce) {
  const auto table =
      MakeTable("unk", {{"id", MakeType("int4"), -1, false}, {"l", MakeType("pg_lsn")}}, {0});
  EXPECT_EQ(After(*table, {Text("1"), Text("16/B374D848")}), R"({"id":1})");
  const auto again = std::make_shared<event::TableSchema>(*table);
  After(*again, {Text("2"), Null()});
  const auto notices = encoder().TakeNotices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].kind, ColumnNotice::Kind::kTypeNotSupported);
  EXPECT_EQ(notices[0].table, "public.unk");
  EXPECT_EQ(notices[0].column, "l");
  EXPECT_EQ(notices[0].type, "pg_lsn");
  EXPECT_TRUE(encoder().TakeNotices().empty());
}

TEST_F(RecordTest, ColumnsOfDroppedTypesAreReportedOnce) {
  const auto dropped = [](const std::string& name) {
    auto type = MakeType(name, event::TypeKind::kUnknown);
    type->schema = "public";
    return type;
  };
  const auto table = MakeTable("dropped",
                               {{"id", MakeType("int4"), -1, false},
                                {"s", dropped("status"), -1, false},
                                {"h", dropped("hstore")}},
                               {0});
  EXPECT_EQ(After(*table, {Text("1"), Text("draft"), Text(R"("k"=>"v")")}),
            R"({"id":1,"s":"draft","h":"{\"k\":\"v\"}"})");
  After(*std::make_shared<event::TableSchema>(*table), {Text("2"), Text("live"), Null()});
  const auto notices = encoder().TakeNotices();
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_EQ(notices[0].kind, ColumnNotice::Kind::kTypeDropped);
  EXPECT_EQ(notices[0].table, "public.dropped");
  EXPECT_EQ(notices[0].column, "s");
  EXPECT_EQ(notices[0].type, "status");
  EXPECT_EQ(notices[1].column, "h");
}

TEST_F(RecordTest, TableWithoutSupportedColumnsIsAnEmptyStruct) {
  const auto table = MakeTable("unk", {{"l", MakeType("pg_lsn")}}, {});
  EXPECT_EQ(After(*table, {Null()}), "{}");
}

TEST_F(RecordTest, KEY11FieldNamesKeepTheirQuotes) {
  const auto table = MakeTable(
      "Mixed Case", {{"\"'q'\"", MakeType("int4"), -1, false}, {"S\xC3\xA9lect", MakeType("text")}},
      {0});
  EXPECT_EQ(After(*table, {Text("1"), Text("x")}), "{\"\\\"'q'\\\"\":1,\"S\xC3\xA9lect\":\"x\"}");
}

TEST_F(RecordTest, NewVersionOfATableAtTheSameAddressGetsANewPlan) {
  EXPECT_THAT(Insert(*orders_, after_), HasSubstr(R"("note":"y")"));
  event::TableSchema renamed = *orders_;
  renamed.columns[3].name = "remark";
  *orders_ = renamed;
  EXPECT_THAT(Insert(*orders_, after_), HasSubstr(R"("remark":"y")"));
}

TEST_F(RecordTest, MalformedValueNamesTableAndColumnButNotTheValue) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  after_[0] = Text("secret");
  change.after = after_;
  const absl::Status status = encoder().Encode(Emit(change), &record_);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ErrorReason(status), "malformed_value");
  EXPECT_THAT(std::string(status.message()), HasSubstr("column id of public.orders"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

// One that is a second later each time it is asked.
class TickingClock final : public Clock {
 public:
  absl::Time Now() override { return absl::FromUnixSeconds(++second_); }
  absl::Duration Monotonic() override { return absl::ZeroDuration(); }

 private:
  int64_t second_ = 0;
};

class RecordTimeTest : public RecordTest {
 protected:
  // In seconds, as the envelope has it and as a sink is told.
  int64_t TimeOfNext(const std::string& note = "y") {
    event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
    after_[3] = Text(note);
    change.after = after_;
    const absl::Status status = ticking_->Encode(Emit(change), &record_);
    EXPECT_TRUE(status.ok()) << status;
    const int64_t ms = record_.made_ms.value_or(0);
    EXPECT_THAT(std::string(*record_.value),
                HasSubstr(absl::StrCat(R"("op":"c","ts_ms":)", ms, R"(,"ts_us":)", ms, "000,")));
    return ms / 1000;
  }

  TickingClock clock_;
  std::unique_ptr<RecordEncoder> ticking_ = *RecordEncoder::Create(EncodeOptions(), clock_, "run");
};

TEST_F(RecordTimeTest, EachRecordHasItsOwn) {
  EXPECT_EQ(TimeOfNext(), 1);
  EXPECT_EQ(TimeOfNext(), 2);
}

TEST_F(RecordTimeTest, RecordsThatComeTogetherShareOne) {
  ticking_->ShareTime(3);
  for (const int64_t expected : {1, 1, 1, 2, 2}) EXPECT_EQ(TimeOfNext(), expected);
  ticking_->RenewTime();  // something was waited for
  EXPECT_EQ(TimeOfNext(), 3);
  EXPECT_EQ(TimeOfNext(std::string(5000, 'x')), 3);
  EXPECT_EQ(TimeOfNext(), 4) << "behind a large one";
  ticking_->ShareTime(1);
  EXPECT_EQ(TimeOfNext(), 5);
  EXPECT_EQ(TimeOfNext(), 6);
}

TEST_F(RecordTest, RowOfAnotherWidthIsRefused) {
  event::ChangeEvent change = Change(*orders_, event::Operation::kCreate);
  after_.pop_back();
  change.after = after_;
  EXPECT_EQ(encoder().Encode(Emit(change), &record_).code(), absl::StatusCode::kDataLoss);
}

// Thousands of tables: what is the same for all is there once.
TEST_F(RecordTest, TablesShareTheHeadersThatAreTheSame) {
  const auto orders = OrdersTable();
  const auto other = MakeTable("other", {{"id", MakeType("int4"), -1, false}}, {0});
  other->relation = Oid{2};
  Insert(*orders, {Text("1"), Text("ann"), Text("9.90"), Null()});
  const auto headers = Headers(record_);
  const event::Header* const shared = record_.headers.data();
  ASSERT_EQ(headers.size(), 4u);
  Insert(*other, {Text("1")});
  EXPECT_EQ(record_.headers.data(), shared);
  EXPECT_EQ(Headers(record_), headers);

  event::ChangeEvent change = Change(*other, event::Operation::kUpdate);
  const std::vector<event::Value> row = {Text("1")};
  change.before = row;
  change.after = row;
  event::Emission emission = Emit(change);
  emission.operation = event::Operation::kDelete;
  emission.key_header = event::KeyHeader::kNewKey;
  Encode(emission);
  EXPECT_EQ(record_.headers.size(), 5u);
  Insert(*orders, {Text("2"), Text("bob"), Null(), Null()});
  EXPECT_EQ(record_.headers.data(), shared);
}

// As many as there are tables, as a transform may make them: the pool keeps the last ones, and each
// program its own.
TEST(HeaderPool, WhatItForgetsStaysWithWhoHasIt) {
  HeaderPool pool;
  std::vector<std::shared_ptr<const ConstantHeaders>> all;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 20; ++i) {
      const std::string value = absl::StrCat("value ", i);
      const event::Header header = {.name = "of", .value = value, .is_null = false};
      all.push_back(pool.Share({&header, 1}));
      EXPECT_EQ(pool.Share({&header, 1}), all.back());
    }
  }
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i]->headers()[0].value, absl::StrCat("value ", i % 20));
  EXPECT_NE(all[0], all[20]);
  const event::Header null = {.name = "of", .value = "", .is_null = true};
  const event::Header empty = {.name = "of", .value = "", .is_null = false};
  EXPECT_NE(pool.Share({&null, 1}), pool.Share({&empty, 1}));
}

// Of columns without a default.
TEST(FieldPlan, IsSmall) { EXPECT_LE(sizeof(FieldPlan), 256u); }

}  // namespace
}  // namespace walduct::encode
