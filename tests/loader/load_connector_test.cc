#include "loader/load_connector.h"

#include <cstdlib>

#include "absl/strings/str_join.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/runtime_options.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "offset/options.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "route/options.h"
#include "sink/options.h"
#include "snapshot/options.h"
#include "tests/loader/load_fixture.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class LoaderTest : public LoadFixture {};

TEST_F(LoaderTest, Cfg01EmptyConfigurationHasOneErrorForEachRequiredProperty) {
  const LoadResult result = Load("{}");
  EXPECT_THAT(result.errors,
              ElementsAre(StartsWith("property 'database.hostname': A value is required"),
                          StartsWith("property 'database.user': A value is required"),
                          StartsWith("property 'database.dbname': A value is required"),
                          StartsWith("property 'topic.prefix': A value is required")));
}

TEST_F(LoaderTest, Cfg01BlankCountsAsMissing) {
  EXPECT_THAT(Load(Minimal() + "topic.prefix=  \n").errors,
              ElementsAre(HasSubstr("'topic.prefix': A value is required")));
}

TEST_F(LoaderTest, Cfg02MinimalConfigurationHasDebeziumsDefaults) {
  const LoadResult result = Load(Minimal());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  const engine::ConnectorOptions& options = result.options;
  EXPECT_EQ(options.name, "orders");
  EXPECT_EQ(options.database->hostname, "db");
  EXPECT_EQ(options.database->port, "5432");
  EXPECT_EQ(options.database->sslmode, "prefer");
  EXPECT_TRUE(options.database->tcp_keepalive);
  EXPECT_EQ(options.replication->slot_name, "debezium");
  EXPECT_FALSE(options.replication->drop_slot_on_stop);
  EXPECT_EQ(options.replication->publication_name, "dbz_publication");
  EXPECT_EQ(options.replication->publication_autocreate,
            replication::PublicationAutocreate::kAllTables);
  EXPECT_EQ(options.replication->publish_operations, std::nullopt);
  EXPECT_EQ(options.snapshot->mode, snapshot::SnapshotMode::kInitial);
  EXPECT_EQ(options.encode->value.kind, encode::ConverterKind::kJson);
  EXPECT_TRUE(options.encode->value.schemas_enable);
  EXPECT_TRUE(options.route->tombstones_on_delete);
  EXPECT_TRUE(options.route->skip_truncate);
  EXPECT_FALSE(options.route->skip_delete);
  EXPECT_EQ(options.sink->target->type().name, "kafka");
  EXPECT_EQ(options.offset->kind, offset::OffsetStoreKind::kKafkaTopic);
  EXPECT_EQ(options.offset->topic, "walduct-offsets");
  EXPECT_EQ(options.runtime->errors_max_retries, -1);
}

TEST_F(LoaderTest, Cfg02ForeignPluginIsMappedWithAWarning) {
  for (const char* plugin : {"decoderbufs", "wal2json"}) {
    const LoadResult result = LoadWith(std::string("plugin.name=") + plugin);
    EXPECT_THAT(result.errors, IsEmpty());
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("mapped to pgoutput")));
  }
}

TEST_F(LoaderTest, Cfg03BadSlotNameIsOneErrorWithTheFix) {
  EXPECT_THAT(LoadWith("slot.name=xx-aa").errors,
              ElementsAre("property 'slot.name': value 'xx-aa' is invalid: Valid replication slot "
                          "name must contain only "
                          "digits, lowercase characters and underscores with length <= 63; use for "
                          "example 'orders_slot'"));
}

TEST_F(LoaderTest, Cfg04SlotNameOfDigitsIsAccepted) {
  EXPECT_EQ(LoadWith("slot.name=12345").options.replication->slot_name, "12345");
}

TEST_F(LoaderTest, Cfg05BlanksInTableListsAreTrimmed) {
  const LoadResult result = LoadWith("table.include.list=s1.a, s1.b");
  EXPECT_TRUE(result.options.tables->table_include->Matches("s1.a"));
  EXPECT_TRUE(result.options.tables->table_include->Matches("s1.b"));
}

TEST_F(LoaderTest, Cfg06CustomSnapshotModeWithoutNameNamesTheMissingProperty) {
  const LoadResult result = LoadWith("snapshot.mode=custom");
  EXPECT_THAT(result.errors, Contains(HasSubstr("'snapshot.mode.custom.name'")));
  EXPECT_THAT(result.errors, Contains(HasSubstr("value 'custom' is not supported yet")));
}

TEST_F(LoaderTest, Cfg10SecretsAppearNowhere) {
  setenv("WALDUCT_TEST_SECRET", "sesam4", 1);
  const LoadResult result = Load(Minimal() +
                                 "database.password=sesam1\n"
                                 "database.sslpassword=${env:WALDUCT_TEST_SECRET}\n"
                                 "producer.override.sasl.jaas.config=x password=\"sesam2\";\n"
                                 "producer.override.ssl.keystore.key=sesam3\n"
                                 "my.unknown.password=sesam5\n"
                                 "database.port=${env:WALDUCT_TEST_SECRET}\n"
                                 "table.include.list=(${env:WALDUCT_TEST_SECRET}\n");
  std::string shown = absl::StrJoin(result.errors, "\n") + absl::StrJoin(result.warnings, "\n");
  for (const config::PropertyReport& report : result.properties)
    shown += report.name + report.value + report.note + "\n";
  EXPECT_THAT(shown, Not(HasSubstr("sesam")));
  EXPECT_EQ(Report(result, "database.password")->value, "******");
  EXPECT_EQ(Report(result, "producer.override.sasl.jaas.config")->value, "******");
  EXPECT_EQ(Report(result, "database.sslpassword")->value, "${env:WALDUCT_TEST_SECRET}");
  EXPECT_THAT(result.errors,
              Contains(AllOf(HasSubstr("'database.port'"), HasSubstr("${env:WALDUCT_TEST_SECRET}"),
                             HasSubstr("An integer is expected"))));
}

TEST_F(LoaderTest, Cfg10OwnSanitizePatternMasksFurtherProperties) {
  const LoadResult result =
      LoadWith("custom.sanitize.pattern=.*acme.*\ndriver.acme.pin=1234\ndatabase.password=p");
  EXPECT_EQ(Report(result, "driver.acme.pin")->value, "******");
  EXPECT_EQ(Report(result, "database.password")->value, "******") << "known secrets stay masked";
}

TEST_F(LoaderTest, Cfg11InitialStatementsAreSplitAndUnescaped) {
  const LoadResult result = LoadWith("database.initial.statements=SET a = 'x;;y'; SELECT 1 ;");
  EXPECT_THAT(result.options.database->initial_statements,
              ElementsAre("SET a = 'x;y'", "SELECT 1"));
}

TEST_F(LoaderTest, Cfg16UnknownPropertyIsWarnedAboutWithTheNearestName) {
  const LoadResult result = LoadWith("tabel.include.list=a.b");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings,
              ElementsAre(AllOf(HasSubstr("'tabel.include.list'"), HasSubstr("unknown property"),
                                HasSubstr("did you mean 'table.include.list'?"))));
  EXPECT_EQ(Report(result, "tabel.include.list")->status, config::PropertyStatus::kUnknown);
}

TEST_F(LoaderTest, Cfg16MisspeltDatabasePropertyIsNotTakenForADriverProperty) {
  EXPECT_THAT(LoadWith("database.sslmod=require").warnings,
              ElementsAre(HasSubstr("did you mean 'database.sslmode'?")));
  EXPECT_THAT(LoadWith("database.prepareThreshold=0").warnings, ElementsAre(HasSubstr("libpq")));
}

TEST_F(LoaderTest, Cfg16StrictModeRefusesUnknownProperties) {
  EXPECT_THAT(LoadWith("walduct.unknown.properties=fail\nno.such.thing=1").errors,
              ElementsAre(HasSubstr("'no.such.thing'")));
}

TEST_F(LoaderTest, Cfg16UnsupportedPropertyThatChangesRecordsIsRefused) {
  EXPECT_THAT(
      LoadWith("time.precision.mode=structured").errors,
      ElementsAre("property 'time.precision.mode': value 'structured' is not supported yet: "
                  "structured came with Debezium 3.7, whose records are not those of 3.6; "
                  "use 'adaptive' or leave it out; docs/not-yet.md"));
  for (const char* line : {"snapshot.mode=custom\nsnapshot.mode.custom.name=x", "converters=x"}) {
    EXPECT_THAT(LoadWith(line).errors, ElementsAre(HasSubstr("is not supported yet"))) << line;
  }
}

TEST_F(LoaderTest, ModesOfValues) {
  const LoadResult result = LoadWith(
      "decimal.handling.mode=string\ntime.precision.mode=isostring\nbinary.handling.mode=hex\n"
      "hstore.handling.mode=map\ninterval.handling.mode=string\nmoney.fraction.digits=3\n"
      "include.unknown.datatypes=true\nwalduct.lost.values=keep\n"
      "event.converting.failure.handling.mode=warn\nunavailable.value.placeholder=hex:616200");
  EXPECT_THAT(result.errors, IsEmpty());
  const encode::ValueOptions& values = result.options.encode->values;
  EXPECT_EQ(values.decimal, encode::DecimalMode::kString);
  EXPECT_EQ(values.time, encode::TimeMode::kIsoString);
  EXPECT_EQ(values.binary, encode::BinaryMode::kHex);
  EXPECT_TRUE(values.hstore_map && values.interval_string && values.include_unknown);
  EXPECT_TRUE(values.keep_lost && values.on_failure == encode::FailureMode::kNull);
  EXPECT_EQ(values.money_fraction_digits, 3);
  EXPECT_EQ(result.options.encode->unavailable_placeholder, std::string("ab\0", 3));
}

TEST_F(LoaderTest, BadModesOfValuesAreRefused) {
  for (const char* line :
       {"decimal.handling.mode=exact", "time.precision.mode=minutes", "binary.handling.mode=octal",
        "hstore.handling.mode=xml", "interval.handling.mode=iso", "money.fraction.digits=19",
        "include.unknown.datatypes=maybe", "walduct.lost.values=all",
        "unavailable.value.placeholder=hex:6"}) {
    EXPECT_THAT(LoadWith(line).errors, testing::SizeIs(1)) << line;
  }
}

TEST_F(LoaderTest, Cfg16UnsupportedPropertyAtItsDefaultIsAccepted) {
  const LoadResult result =
      LoadWith("decimal.handling.mode=Precise\nexactly.once.support=requested");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(Report(result, "decimal.handling.mode")->status, config::PropertyStatus::kDefault);
}

TEST_F(LoaderTest, Cfg16UnsupportedPropertyThatChangesNothingIsWarnedAbout) {
  const LoadResult result = LoadWith("guardrail.collections.max=4");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("'guardrail.collections.max': has no effect yet")));
  EXPECT_EQ(Report(result, "guardrail.collections.max")->status, config::PropertyStatus::kNotYet);
}

TEST_F(LoaderTest, TransactionsHeartbeatsMessagesAndIdentitiesAreRead) {
  const LoadResult result = LoadWith(
      "provide.transaction.metadata=true\ntopic.transaction=tx\ntopic.heartbeat.prefix=hb\n"
      "topic.heartbeat.name=own\nheartbeat.interval.ms=250\nheartbeat.action.query= select 1 \n"
      "message.prefix.include.list=a,b\n"
      "replica.identity.autoset.values=public.o.*:full, s.t:INDEX i_1");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  const engine::ConnectorOptions& options = result.options;
  EXPECT_TRUE(options.route->transaction_metadata);
  EXPECT_EQ(options.route->transaction_suffix, "tx");
  EXPECT_EQ(options.route->heartbeat_prefix, "hb");
  EXPECT_EQ(options.route->heartbeat_topic, "own");
  EXPECT_EQ(options.heartbeat->interval, absl::Milliseconds(250));
  EXPECT_EQ(options.heartbeat->action_query, "select 1");
  EXPECT_TRUE(options.route->message_include->Matches("b"));
  ASSERT_EQ(options.replication->replica_identities.size(), 2u);
  EXPECT_EQ(options.replication->replica_identities[0].identity, "FULL");
  EXPECT_TRUE(options.replication->replica_identities[0].tables->Matches("public.orders"));
  EXPECT_EQ(options.replication->replica_identities[1].identity, "INDEX");
  EXPECT_EQ(options.replication->replica_identities[1].index, "i_1");
}

TEST_F(LoaderTest, BadValuesOfThoseAreRefused) {
  for (const char* line :
       {"heartbeat.interval.ms=-1", "heartbeat.interval.ms=soon",
        "provide.transaction.metadata=yes", "topic.transaction=a b", "topic.heartbeat.name=a/b",
        "message.prefix.include.list=(", "replica.identity.autoset.values=a.b",
        "replica.identity.autoset.values=(:FULL",
        "replica.identity.autoset.values=a.b:SOMETIMES"}) {
    const std::string name = std::string(line).substr(0, std::string(line).find('='));
    EXPECT_THAT(LoadWith(line).errors, ElementsAre(HasSubstr(name))) << line;
  }
  EXPECT_THAT(LoadWith("heartbeat.action.query=select 1").warnings,
              ElementsAre(HasSubstr("set heartbeat.interval.ms")));
}

TEST_F(LoaderTest, PropertiesWithoutEffectAreReportedWithTheReason) {
  const LoadResult result = LoadWith("tasks.max=4\nsnapshot.fetch.size=10");
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(Report(result, "tasks.max")->status, config::PropertyStatus::kIgnored);
  EXPECT_THAT(Report(result, "snapshot.fetch.size")->note, HasSubstr("COPY"));
}

TEST_F(LoaderTest, OlderNamesAreReadAndWarnedAbout) {
  const LoadResult result = Load(
      "name=o\nbootstrap.servers=k\ndatabase.hostname=h\ndatabase.user=u\ndatabase.dbname=d\n"
      "database.server.name=dbserver1\ntable.whitelist=public.orders\nslot.drop_on_stop="
      "false\nsnapshot.mode=schema_only\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.encode->topic_prefix, "dbserver1");
  EXPECT_TRUE(result.options.tables->table_include->Matches("public.orders"));
  EXPECT_EQ(result.options.snapshot->mode, snapshot::SnapshotMode::kNoData);
  EXPECT_EQ(Report(result, "database.server.name")->status, config::PropertyStatus::kRenamed);
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("'table.whitelist': is an older name; use 'table.include.list'")));
}

TEST_F(LoaderTest, CurrentNameWinsOverTheOlderOne) {
  const LoadResult result = LoadWith("database.server.name=other");
  EXPECT_EQ(result.options.encode->topic_prefix, "srv");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'database.server.name': ignored")));
}

TEST_F(LoaderTest, IncludeAndExcludeListTogetherAreRefused) {
  EXPECT_THAT(LoadWith("table.include.list=a.b\ntable.exclude.list=c.d").errors,
              ElementsAre(AllOf(HasSubstr("'table.exclude.list'"),
                                HasSubstr("\"table.include.list\" is already specified"))));
}

TEST_F(LoaderTest, AllErrorsAreFoundAtOnce) {
  EXPECT_THAT(
      LoadWith("database.port=x\nslot.name=A\nsnapshot.mode=q\ntable.include.list=(\ntransforms=t")
          .errors,
      testing::SizeIs(5));
}

TEST_F(LoaderTest, TransformsAreRead) {
  const LoadResult result =
      LoadWith("transforms=a\ntransforms.a.type=io.debezium.transforms.ExtractNewRecordState");
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.options.chain->transforms.size(), 1u);
  EXPECT_THAT(LoadWith("transforms=a\ntransforms.a.type=com.acme.Upper").errors,
              ElementsAre(AllOf(HasSubstr("com.acme.Upper"), HasSubstr("not a known transform"))));
  EXPECT_THAT(LoadWith("transforms=a").errors,
              ElementsAre(HasSubstr("'transforms.a.type': A value is required")));
}

TEST_F(LoaderTest, UnknownConverterListsTheSupportedOnes) {
  EXPECT_THAT(LoadWith("value.converter=com.acme.Xml").errors,
              ElementsAre(AllOf(HasSubstr("com.acme.Xml"), HasSubstr("JsonConverter"),
                                HasSubstr("ByteArrayConverter"))));
}

TEST_F(LoaderTest, MisspeltNamesOfOurOwnAreRefused) {
  EXPECT_THAT(LoadWith("walduct.outbox.table=public.outbox").errors,
              ElementsAre(HasSubstr("did you mean 'walduct.outbox.tables'?")));
}

TEST_F(LoaderTest, OutboxTablesNeedTheirSchema) {
  EXPECT_THAT(LoadWith("walduct.outbox.tables=public.a,outbox").errors,
              ElementsAre(HasSubstr("write the whole name, as in public.outbox")));
  EXPECT_THAT(LoadWith("walduct.outbox.tables=.*outbox").errors, ElementsAre());
}

TEST_F(LoaderTest, HeaderConverters) {
  EXPECT_FALSE(LoadWith("header.converter=Simple").options.encode->header.has_value());
  const LoadResult json =
      LoadWith("header.converter=JsonConverter\nheader.converter.schemas.enable=false");
  ASSERT_TRUE(json.errors.empty());
  ASSERT_TRUE(json.options.encode->header.has_value());
  EXPECT_EQ(json.options.encode->header->kind, encode::ConverterKind::kJson);
  EXPECT_FALSE(json.options.encode->header->schemas_enable);
  EXPECT_THAT(LoadWith("header.converter=com.acme.Xml").errors,
              ElementsAre(AllOf(HasSubstr("com.acme.Xml"), HasSubstr("SimpleHeaderConverter"))));
}

TEST_F(LoaderTest, HeadersThatAreTextCannotBeBytes) {
  constexpr char kBytes[] = "header.converter=ByteArrayConverter\n";
  EXPECT_THAT(LoadWith(kBytes).errors,
              ElementsAre(AllOf(HasSubstr("header.converter"),
                                HasSubstr("set extended.headers.enabled=false"))));
  EXPECT_TRUE(LoadWith(std::string(kBytes) + "extended.headers.enabled=false").errors.empty());
  EXPECT_TRUE(LoadWith(std::string(kBytes) +
                       "transforms=d\ntransforms.d.type=org.apache.kafka.connect.transforms."
                       "DropHeaders\ntransforms.d.headers=a")
                  .errors.empty());
  EXPECT_TRUE(LoadWith("header.converter=BinaryDataConverter\nheader.converter.delegate.converter."
                       "type=JsonConverter")
                  .errors.empty());
}

TEST_F(LoaderTest, UnreadableFileIsTheOnlyError) {
  config::LoadRequest request;
  request.connector_path = "/no/such/connector.json";
  EXPECT_THAT(LoadConnector(request).errors,
              ElementsAre(AllOf(HasSubstr("/no/such/connector.json"),
                                HasSubstr("No such file or directory"))));
  request.connector_path = folder();
  EXPECT_THAT(LoadConnector(request).errors, ElementsAre(HasSubstr("Is a directory")));
}

TEST_F(LoaderTest, EmptyFileIsRefusedAsSuch) {
  EXPECT_THAT(Load(" \n").errors,
              ElementsAre(AllOf(HasSubstr("connector.conf"), HasSubstr("is empty"))));
}

TEST_F(LoaderTest, BadJsonIsTheOnlyErrorWithItsPlace) {
  EXPECT_THAT(Load("{\"name\": \"x\",,}").errors, ElementsAre(HasSubstr("line 1, column 14")));
}

TEST_F(LoaderTest, UnresolvableReferenceNamesPropertyAndProvider) {
  EXPECT_THAT(LoadWith("database.password=${env:WALDUCT_NO_SUCH}").errors,
              ElementsAre(AllOf(HasSubstr("'database.password'"), HasSubstr("provider 'env'"),
                                HasSubstr("is not set"))));
}

TEST_F(LoaderTest, NameFallsBackToTheFilesName) {
  const LoadResult result = Load(
      "bootstrap.servers=k\ndatabase.hostname=h\ndatabase.user=u\ndatabase.dbname=d\ntopic.prefix="
      "p\n");
  EXPECT_EQ(result.options.name, "connector");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'name': not set")));
}

TEST_F(LoaderTest, ReportKeepsTheOrderOfTheFile) {
  const LoadResult result = Load("{\"topic.prefix\":\"p\",\"name\":\"n\"}", "group.id=g\n");
  std::vector<std::string> names;
  for (const config::PropertyReport& report : result.properties) names.push_back(report.name);
  EXPECT_THAT(names, ElementsAre("topic.prefix", "name", "group.id"));
}

TEST_F(LoaderTest, OverrideWinsOverConnectorAndConnectorOverWorker) {
  const LoadResult result =
      Load(Minimal() + "slot.name=from_connector\npublication.name=p1\n",
           "slot.name=from_worker\noffset.flush.interval.ms=1000\n",
           {{"publication.name", "p2"}, {"offset.flush.interval.ms", "2000"}});
  EXPECT_EQ(result.options.replication->slot_name, "from_connector");
  EXPECT_EQ(result.options.replication->publication_name, "p2");
  EXPECT_EQ(result.options.offset->flush_interval, absl::Seconds(2));
}

TEST_F(LoaderTest, TypedValuesReachTheirOptions) {
  const engine::ConnectorOptions options =
      LoadWith(
          "database.query.timeout.ms=0\nslot.stream.params=a=1;b="
          "2\nslot.max.retries=3\nslot.retry.delay.ms=5\n"
          "publication.autocreate.mode=FILTERED\npublish.via."
          "partition.root=true\nstatus.update.interval.ms=7\n"
          "internal.create.slot.command.timeout=11\noffset.mismatch."
          "strategy=trust_slot\nslot.failover=true\n"
          "snapshot.locking.mode=shared\nsnapshot.lock.timeout.ms="
          "13\nsnapshot.delay.ms=17\nstreaming.delay.ms=19\n"
          "snapshot.include.collection.list=public.a\ntable.ignore."
          "builtin=false\nextended.headers.enabled=false\n"
          "errors.max.retries=2\nretriable.restart.connector.wait.ms="
          "23\nskipped.operations=c,t\ntopic.delimiter=_\n"
          "unavailable.value.placeholder= x ")
          .options;
  EXPECT_EQ(options.database->query_timeout, absl::ZeroDuration());
  EXPECT_THAT(options.replication->stream_params,
              ElementsAre(testing::Pair("a", "1"), testing::Pair("b", "2")));
  EXPECT_EQ(options.replication->max_retries, 3);
  EXPECT_EQ(options.replication->retry_delay, absl::Milliseconds(5));
  EXPECT_EQ(options.replication->publication_autocreate,
            replication::PublicationAutocreate::kFiltered);
  EXPECT_TRUE(options.replication->publish_via_partition_root);
  EXPECT_EQ(options.replication->status_interval, absl::Milliseconds(7));
  EXPECT_EQ(options.replication->create_slot_timeout, absl::Seconds(11));
  EXPECT_EQ(options.replication->offset_mismatch, replication::OffsetMismatch::kTrustSlot);
  EXPECT_TRUE(options.replication->failover_slot);
  EXPECT_EQ(options.replication->publish_operations, "update,delete");
  EXPECT_TRUE(options.snapshot->lock_tables);
  EXPECT_EQ(options.snapshot->lock_timeout, absl::Milliseconds(13));
  EXPECT_EQ(options.snapshot->delay, absl::Milliseconds(17));
  EXPECT_EQ(options.snapshot->streaming_delay, absl::Milliseconds(19));
  EXPECT_TRUE(options.snapshot->include_collections->Matches("public.a"));
  EXPECT_FALSE(options.tables->ignore_builtin);
  EXPECT_FALSE(options.encode->extended_headers);
  EXPECT_EQ(options.encode->unavailable_placeholder, "x ")
      << "only properties files drop leading blanks";
  EXPECT_EQ(options.runtime->errors_max_retries, 2);
  EXPECT_EQ(options.runtime->retry_wait, absl::Milliseconds(23));
  EXPECT_TRUE(options.route->skip_create);
  EXPECT_FALSE(options.route->skip_update);
  EXPECT_EQ(options.route->topic_delimiter, "_");
}

TEST_F(LoaderTest, SnapshotModes) {
  const std::pair<const char*, snapshot::SnapshotMode> modes[] = {
      {"initial", snapshot::SnapshotMode::kInitial},
      {"never", snapshot::SnapshotMode::kNever},
      {"no_data", snapshot::SnapshotMode::kNoData},
      {"initial_only", snapshot::SnapshotMode::kInitialOnly},
      {"always", snapshot::SnapshotMode::kAlways},
      {"when_needed", snapshot::SnapshotMode::kWhenNeeded},
      {"exported", snapshot::SnapshotMode::kInitial},
  };
  for (const auto& [name, mode] : modes) {
    EXPECT_EQ(LoadWith(std::string("snapshot.mode=") + name).options.snapshot->mode, mode) << name;
  }
}

TEST_F(LoaderTest, SelectOverridesNeedBothTheListAndTheStatement) {
  const LoadResult result = LoadWith(
      "snapshot.select.statement.overrides=public.a,public.b\n"
      "snapshot.select.statement.overrides.public.a=SELECT 1\n"
      "snapshot.select.statement.overrides.public.c=SELECT 2");
  EXPECT_THAT(result.options.snapshot->select_overrides,
              ElementsAre(testing::Pair("public.a", "SELECT 1")));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'public.b' has no statement"),
                                           HasSubstr("'public.c' is not listed")));
}

TEST_F(LoaderTest, MalformedStreamParameterIsIgnoredWithAWarning) {
  EXPECT_THAT(LoadWith("slot.stream.params=a=1;b").warnings,
              ElementsAre(HasSubstr("'b' is not of the form k=v")));
}

TEST_F(LoaderTest, ExplicitNoneSkipsNothing) {
  const engine::ConnectorOptions options = LoadWith("skipped.operations=none").options;
  EXPECT_FALSE(options.route->skip_truncate);
  EXPECT_EQ(options.replication->publish_operations, "insert,update,delete,truncate");
}

TEST_F(LoaderTest, QueueMustBeLargerThanABatch) {
  EXPECT_THAT(LoadWith("max.queue.size=100").errors,
              ElementsAre(HasSubstr("Must be larger than the maximum batch size")));
}

TEST_F(LoaderTest, Cfg09SinkNotificationsNeedATopic) {
  EXPECT_THAT(LoadWith("notification.enabled.channels=log,sink").errors,
              ElementsAre(HasSubstr("'notification.sink.topic.name'")));
}

TEST_F(LoaderTest, ChannelsThatNobodyKnowsAreIgnoredWithAWarning) {
  EXPECT_THAT(LoadWith("notification.enabled.channels=foo,log").warnings,
              ElementsAre(HasSubstr("'foo' has no effect: use sink, log")));
}

}  // namespace
}  // namespace walduct::loader
