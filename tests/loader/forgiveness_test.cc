// What Debezium or Kafka Connect accept, walduct does not refuse.
#include <cstdlib>

#include "encode/options/encode_options.h"
#include "loader/load_connector.h"
#include "offset/options.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "snapshot/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ForgivenessTest : public LoadFixture {};

TEST_F(ForgivenessTest, AFlushIntervalOfZeroStoresAtEveryAcknowledgement) {
  const LoadResult result = LoadWith("offset.flush.interval.ms=0");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.options.offset->flush_interval, absl::ZeroDuration());
  EXPECT_THAT(LoadWith("offset.flush.interval.ms=-1").errors,
              ElementsAre(HasSubstr("'offset.flush.interval.ms'")));
}

TEST_F(ForgivenessTest, TheSlotsXminIsReadWhereItIsAskedFor) {
  const LoadResult result = LoadWith("xmin.fetch.interval.ms=10");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.replication->xmin_interval, absl::Milliseconds(10));
  EXPECT_TRUE(result.options.encode->slot_xmin);
  EXPECT_FALSE(LoadWith("").options.encode->slot_xmin);
}

TEST_F(ForgivenessTest, PropertiesOfOtherConnectorsAreWarnedAbout) {
  for (const auto& [line, owner] : {std::pair("database.server.id=184054", "MySQL"),
                                    {"database.names=a,b", "SQL Server"},
                                    {"database.encrypt=false", "SQL Server"},
                                    {"log.mining.strategy=online_catalog", "Oracle"},
                                    {"mongodb.connection.string=x", "MongoDB"},
                                    {"collection.include.list=a.b", "MongoDB"},
                                    {"snapshot.new.tables=parallel", "MySQL"},
                                    {"schema.history.internal.kafka.topic=h", "schema history"},
                                    {"database.history.kafka.topic=h", "schema history"},
                                    {"database.whitelist=inventory", "database.dbname"},
                                    {"source.struct.version=v1", "Debezium 3 does not know it"}}) {
    const LoadResult result = LoadWith(line);
    EXPECT_THAT(result.errors, IsEmpty()) << line;
    EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("no effect"), HasSubstr(owner))))
        << line;
  }
}

TEST_F(ForgivenessTest, AListOfDatabasesMustNotLeaveOutTheOneThatIsRead) {
  const LoadResult result = LoadWith("database.include.list=other,SHOP");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("reads one database")));
  EXPECT_THAT(LoadWith("database.include.list=other").errors,
              ElementsAre(HasSubstr("leaves out the database that is read, 'shop'")));
  EXPECT_THAT(LoadWith("database.exclude.list=postgres").errors, IsEmpty());
  EXPECT_THAT(LoadWith("database.exclude.list=sh.*").errors,
              ElementsAre(HasSubstr("names the database that is read")));
}

TEST_F(ForgivenessTest, LocksOfOtherConnectorsAreNotNeeded) {
  for (const char* value : {"minimal", "EXTENDED", "exclusive"}) {
    const LoadResult result = LoadWith(std::string("snapshot.locking.mode=") + value);
    EXPECT_THAT(result.errors, IsEmpty()) << value;
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("read as 'none'"))) << value;
    EXPECT_FALSE(result.options.snapshot->lock_tables);
  }
  EXPECT_THAT(LoadWith("snapshot.locking.mode=none").warnings, IsEmpty());
  EXPECT_TRUE(LoadWith("snapshot.locking.mode=shared").options.snapshot->lock_tables);
  EXPECT_THAT(LoadWith("snapshot.locking.mode=sometimes").errors,
              ElementsAre(HasSubstr("must be one of")));
}

TEST_F(ForgivenessTest, SomebodyElseMayMoveTheSlot) {
  for (const char* line : {"lsn.flush.mode=manual", "flush.lsn.source=false"}) {
    const LoadResult result = LoadWith(line);
    EXPECT_THAT(result.errors, IsEmpty()) << line;
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("the slot is never moved"))) << line;
    EXPECT_FALSE(result.options.replication->confirm_positions) << line;
  }
  const LoadResult both = LoadWith("lsn.flush.mode=connector\nflush.lsn.source=false");
  EXPECT_THAT(both.warnings, IsEmpty());
  EXPECT_TRUE(both.options.replication->confirm_positions);
}

TEST_F(ForgivenessTest, OurOwnNamesAreNotMistakenForOthers) {
  EXPECT_THAT(LoadWith("walduct.outbox.table=a").errors,
              ElementsAre(HasSubstr("did you mean 'walduct.outbox.tables'?")));
}

TEST_F(ForgivenessTest, AnOptionThatATransformDoesNotHaveIsWarnedAbout) {
  const std::string unwrap =
      "transforms=unwrap\ntransforms.unwrap.type=io.debezium.transforms.ExtractNewRecordState\n"
      "transforms.unwrap.operation.header=true";
  const LoadResult result = LoadWith(unwrap);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("no such option; it has no effect")));
  EXPECT_EQ(Report(result, "transforms.unwrap.operation.header")->status,
            config::PropertyStatus::kIgnored);
  EXPECT_EQ(Report(result, "transforms.unwrap.type")->status, config::PropertyStatus::kHonoured);
  EXPECT_THAT(LoadWith(unwrap + "\nwalduct.strict=true").errors,
              ElementsAre(HasSubstr("no such option")));
}

// As an editor on Windows writes them.
TEST_F(ForgivenessTest, FilesMayBeginWithAByteOrderMarkAndEndLinesAsOnWindows) {
  std::string lines = Minimal() + "table.include.list = public.a , public.b\n";
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 2))
    lines.replace(at, 1, "\r\n");
  const LoadResult result = Load("\xEF\xBB\xBF" + lines);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.options.name, "orders");
  EXPECT_EQ(result.options.database->dbname, "shop");
}

TEST_F(ForgivenessTest, ValuesOfJsonMayBeNumbersAndBooleans) {
  const LoadResult result = Load(R"({"name": "orders", "_comment": "of the shop", "config": {
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "tasks.max": 1,
      "database.hostname": "db", "database.port": 5433, "database.user": "cdc",
      "database.dbname": "shop", "topic.prefix": "srv", "tombstones.on.delete": false,
      "database.password": null, "bootstrap.servers": "kafka:9092"}})");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'database.password': null")));
  EXPECT_EQ(result.options.database->port, "5433");
}

TEST_F(ForgivenessTest, AnApplicationPropertiesOfDebeziumServerIsAConnector) {
  setenv("WALDUCT_TEST_HOST", "db", 1);
  const LoadResult result = Load(
      "debezium.sink.type=kafka\n"
      "debezium.sink.kafka.producer.bootstrap.servers=kafka:9092\n"
      "debezium.sink.kafka.producer.key.serializer=org.apache.kafka.common.serialization."
      "StringSerializer\n"
      "debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector\n"
      "debezium.source.offset.storage.file.filename=data/offsets.dat\n"
      "debezium.source.offset.flush.interval.ms=0\n"
      "debezium.source.database.hostname=${WALDUCT_TEST_HOST}\n"
      "debezium.source.database.user=postgres\n"
      "debezium.source.database.password=${WALDUCT_TEST_NO_PASSWORD:sesame}\n"
      "debezium.source.database.dbname=postgres\n"
      "debezium.source.topic.prefix=tutorial\n"
      "debezium.format.value.schemas.enable=false\n"
      "quarkus.log.console.json=false\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.options.name, "kafka");
  EXPECT_EQ(result.options.database->hostname, "db");
  EXPECT_EQ(result.options.database->password, "sesame");
  EXPECT_EQ(result.options.offset->kind, offset::OffsetStoreKind::kFile);
  EXPECT_EQ(result.options.offset->file_path, "data/offsets.dat");
  EXPECT_EQ(Report(result, "database.password")->value, "******");
  EXPECT_EQ(Report(result, "database.hostname")->value, "${WALDUCT_TEST_HOST}");
  EXPECT_EQ(Report(result, "database.hostname")->note, "from debezium.source.database.hostname");
}

TEST_F(ForgivenessTest, AManifestOfStrimziIsAConnector) {
  const LoadResult result = Load(
      "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\nmetadata:\n  name: orders\n"
      "spec:\n  class: io.debezium.connector.postgresql.PostgresConnector\n  tasksMax: 1\n"
      "  config:\n    database.hostname: db\n    database.user: cdc\n    database.dbname: shop\n"
      "    topic.prefix: srv\n    bootstrap.servers: kafka:9092\n"
      "    table.include.list: public.a, public.b\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.options.name, "orders");
}

}  // namespace
}  // namespace walduct::loader
