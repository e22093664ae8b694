#include "encode/options/encode_options.h"
#include "java/regex/regex_list.h"
#include "kafka/options.h"
#include "offset/options.h"
#include "postgres/options.h"
#include "sink/kafka_sink_type.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

class ClientOptionsTest : public LoadFixture {
 protected:
  static std::string WithoutBrokers() {
    return "name=orders\ndatabase.hostname=db\ndatabase.user=cdc\ndatabase.dbname=shop\ntopic."
           "prefix=srv\n";
  }
  static sink::KafkaSinkOptions ToKafka(const LoadResult& result) {
    return dynamic_cast<const sink::KafkaDestination&>(*result.options.sink->target).options();
  }
};

TEST_F(ClientOptionsTest, ConnectorOverridesWinOverWorkerProducerProperties) {
  const kafka::KafkaOptions kafka =
      *Load(WithoutBrokers() + "producer.override.linger.ms=1\n",
            "bootstrap.servers=w:1\nproducer.linger.ms=9\nproducer.acks=all\n")
           .options.kafka;
  EXPECT_THAT(kafka.producer, ElementsAre(Pair("acks", "all"), Pair("bootstrap.servers", "w:1"),
                                          Pair("linger.ms", "1")));
}

TEST_F(ClientOptionsTest, TheLargestRowIsWhatTheMemoryAllowsUnlessItIsSet) {
  EXPECT_EQ(Load(Minimal()).options.database->row_max_bytes, 0);
  EXPECT_EQ(Load(Minimal() + "walduct.row.max.bytes=1000000\n").options.database->row_max_bytes,
            1000000);
  EXPECT_THAT(LoadWith("walduct.row.max.bytes=-1").errors,
              Contains(HasSubstr("walduct.row.max.bytes")));
}

TEST_F(ClientOptionsTest, CommandLineWinsOverConnectorOverrides) {
  const kafka::KafkaOptions kafka =
      *Load(Minimal() + "producer.override.linger.ms=1\n", "", {{"producer.linger.ms", "5"}})
           .options.kafka;
  EXPECT_THAT(kafka.producer, Contains(Pair("linger.ms", "5")));
}

TEST_F(ClientOptionsTest, BrokersComeFromTheWorkerTheConnectorOrTheCommandLine) {
  EXPECT_EQ(Load(WithoutBrokers(), "bootstrap.servers=w:1\n").options.kafka->bootstrap_servers,
            "w:1");
  const kafka::KafkaOptions overridden =
      *Load(WithoutBrokers() + "producer.override.bootstrap.servers=c:1\n",
            "bootstrap.servers=w:1\n")
           .options.kafka;
  EXPECT_EQ(overridden.bootstrap_servers, "c:1");
  EXPECT_THAT(overridden.consumer, Contains(Pair("bootstrap.servers", "w:1")));
  const kafka::KafkaOptions commanded =
      *Load(WithoutBrokers() + "producer.override.bootstrap.servers=c:1\n",
            "bootstrap.servers=w:1\n", {{"bootstrap.servers", "o:1"}})
           .options.kafka;
  EXPECT_EQ(commanded.bootstrap_servers, "o:1");
  EXPECT_THAT(commanded.admin, Contains(Pair("bootstrap.servers", "o:1")));
}

// As in Kafka Connect: overrides are for the connector's records.
TEST_F(ClientOptionsTest, TheWorkersOffsetTopicIsReachedAsTheWorker) {
  const std::string connector = Minimal() +
                                "producer.override.security.protocol=SASL_PLAINTEXT\n"
                                "producer.override.sasl.mechanism=PLAIN\n"
                                "producer.override.sasl.jaas.config=x.PlainLoginModule required "
                                "username=\"connector\" password=\"c\";\n"
                                "producer.override.bootstrap.servers=c:1\n";
  const LoadResult result = Load(connector,
                                 "offset.storage.topic=offsets\nbootstrap.servers=w:1\n"
                                 "security.protocol=SSL\nproducer.security.protocol=SSL\n");
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.options.kafka->producer, Contains(Pair("sasl.mechanism", "PLAIN")));
  ASSERT_NE(result.options.offset->clients, nullptr);
  const kafka::KafkaOptions& clients = *result.options.offset->clients;
  for (const auto& client : {clients.producer, clients.consumer, clients.admin}) {
    EXPECT_THAT(client, Contains(Pair("security.protocol", "SSL")));
    EXPECT_THAT(client, Not(Contains(Key("sasl.jaas.config"))));
  }
  const LoadResult own = Load(connector, "offsets.storage.topic=offsets\n");
  EXPECT_EQ(own.options.offset->clients, nullptr) << "the connector's own topic";
}

TEST_F(ClientOptionsTest, OneFileServesTheOffsetTopicToo) {
  const LoadResult result = Load(Minimal() +
                                 "producer.override.security.protocol=SSL\n"
                                 "offset.storage.topic=offsets\n");
  EXPECT_THAT(result.options.offset->clients->producer, Contains(Pair("security.protocol", "SSL")));
}

TEST_F(ClientOptionsTest, WhatAClientWouldBeRefusedForIsFoundAtLoad) {
  const auto errors = [&](const std::string& lines) { return LoadWith(lines).errors; };
  EXPECT_THAT(errors("producer.override.ssl.truststore.location=/no/such/store"),
              ElementsAre(AllOf(HasSubstr("producer.override.ssl.truststore.location"),
                                HasSubstr("cannot open"))));
  EXPECT_THAT(errors("sasl.mechanism=GSSAPI"),
              ElementsAre(AllOf(HasSubstr("'sasl.mechanism'"), HasSubstr("not supported"))));
  EXPECT_THAT(errors("sasl.mechanism=OAUTHBEARER"),
              ElementsAre(HasSubstr("sasl.oauthbearer.token.endpoint.url")));
  EXPECT_THAT(errors("security.protocol=SSL\nssl.keystore.key=nonsense\n"
                     "ssl.keystore.certificate.chain=nonsense"),
              ElementsAre(HasSubstr("producer: Kafka client")));
  EXPECT_THAT(errors("consumer.ssl.keystore.location=/no/such/store"),
              ElementsAre(HasSubstr("'consumer.ssl.keystore.location'")));
  EXPECT_THAT(errors("ssl.enabled.protocols=TLSv1.1"),
              ElementsAre(HasSubstr("only TLSv1.2 and TLSv1.3")));
  EXPECT_THAT(LoadWith("ssl.enabled.protocols=TLSv1.3").warnings,
              ElementsAre(AllOf(HasSubstr("'ssl.enabled.protocols'"), HasSubstr("TLSv1.2"))));
  EXPECT_THAT(errors("security.protocol=SSL"), IsEmpty());
}

TEST_F(ClientOptionsTest, APasswordFromAFileIsReadAgain) {
  const std::string path = WriteFile("secrets", "pg=first\n");
  const LoadResult result = LoadWith("database.password=${file:" + path + ":pg}");
  ASSERT_TRUE(result.options.database->password_source);
  EXPECT_EQ(result.options.database->password, "first");
  WriteFile("secrets", "pg=second\n");
  EXPECT_EQ(result.options.database->password_source(), "second");
  WriteFile("secrets", "");
  EXPECT_EQ(result.options.database->password_source(), std::nullopt);
  EXPECT_FALSE(LoadWith("database.password=plain").options.database->password_source);
}

TEST_F(ClientOptionsTest, APasswordOfTheEnvironmentStaysAsItIs) {
  ASSERT_EQ(setenv("WALDUCT_TEST_DBPW", "first", 1), 0);
  const LoadResult result = LoadWith("database.password=${env:WALDUCT_TEST_DBPW}");
  EXPECT_EQ(result.options.database->password, "first");
  EXPECT_TRUE(result.options.database->password_of_environment);
  const std::string path = WriteFile("secrets", "pg=first\n");
  EXPECT_FALSE(LoadWith("database.password=${file:" + path + ":pg}")
                   .options.database->password_of_environment);
  EXPECT_FALSE(LoadWith("database.password=${env:WALDUCT_TEST_DBPW}${file:" + path + ":pg}")
                   .options.database->password_of_environment)
      << "a part of it may change";
  EXPECT_FALSE(LoadWith("database.password=plain").options.database->password_of_environment);
}

TEST_F(ClientOptionsTest, OneConnectorFileServesEveryClient) {
  const kafka::KafkaOptions kafka = *Load(WithoutBrokers() +
                                          "producer.override.bootstrap.servers=c:1\n"
                                          "producer.override.security.protocol=SASL_SSL\n"
                                          "producer.override.sasl.mechanism=PLAIN\n"
                                          "producer.override.sasl.jaas.config=PlainLoginModule "
                                          "required username=u password=p;\n"
                                          "producer.override.linger.ms=1\n")
                                         .options.kafka;
  for (const auto& client : {kafka.consumer, kafka.admin}) {
    EXPECT_THAT(client, ElementsAre(Pair("bootstrap.servers", "c:1"), Key("sasl.jaas.config"),
                                    Pair("sasl.mechanism", "PLAIN"),
                                    Pair("security.protocol", "SASL_SSL")));
  }
}

TEST_F(ClientOptionsTest, ClientWithSecurityOfItsOwnInheritsNone) {
  const kafka::KafkaOptions kafka =
      *Load(Minimal(),
            "security.protocol=SSL\nssl.endpoint.identification.algorithm=https\n"
            "consumer.security.protocol=PLAINTEXT\n")
           .options.kafka;
  EXPECT_THAT(kafka.producer, Contains(Key("ssl.endpoint.identification.algorithm")));
  EXPECT_THAT(kafka.consumer, Contains(Pair("security.protocol", "PLAINTEXT")));
  EXPECT_THAT(kafka.consumer, Not(Contains(Key("ssl.endpoint.identification.algorithm"))));
}

// Under the name that was typed, whatever spelling won.
TEST_F(ClientOptionsTest, AProducerThatCouldLoseOrReorderRecordsIsRefused) {
  struct Case {
    std::string property, value, said;
  };
  for (const Case& c :
       {Case{"producer.override.acks", "1", "must be all"},
        Case{"producer.acks", "0", "must be all"},
        Case{"producer.request.required.acks", "1", "must be all"},
        Case{"producer.override.rdkafka.request.required.acks", "1", "must be all"},
        Case{"producer.override.rdkafka.max.in.flight.requests.per.connection", "9", "from 1 to 5"},
        Case{"producer.override.enable.idempotence", "maybe", "must be true or false"},
        Case{"producer.override.rdkafka.enable.idempotence", "perhaps", "is not a value"}}) {
    const LoadResult result = Load(Minimal(), c.property + "=" + c.value + "\n");
    ASSERT_EQ(result.errors.size(), 1u) << c.property;
    EXPECT_THAT(result.errors[0], HasSubstr("property '" + c.property + "': value '" + c.value));
    EXPECT_THAT(result.errors[0], HasSubstr(c.said));
    EXPECT_THAT(result.errors[0], HasSubstr("remove it")) << "what to do";
  }
  EXPECT_TRUE(
      Load(Minimal() + "sink=stdout\noffset.storage.file.filename=/tmp/o\n", "producer.acks=1\n")
          .errors.empty())
      << "of no account without Kafka";
}

TEST_F(ClientOptionsTest, MissingBrokersAreConnectsDefaultWithAWarning) {
  const LoadResult result = Load(WithoutBrokers());
  EXPECT_EQ(result.options.kafka->bootstrap_servers, "localhost:9092");
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("'bootstrap.servers': not set")));
}

TEST_F(ClientOptionsTest, NoBrokersAreNeededWithoutKafka) {
  EXPECT_THAT(Load(WithoutBrokers() +
                   "sink=file\nsink.file.path=/tmp/x\noffset.storage.file.filename=/tmp/o\n")
                  .warnings,
              IsEmpty());
}

TEST_F(ClientOptionsTest, ALookThatNeedsNoKafkaIsNotWarnedOfItsBroker) {
  config::LoadRequest request;
  request.connector_path = WriteFile("connector.conf", WithoutBrokers());
  request.reaches_kafka = false;
  const LoadResult result = LoadConnector(request);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

// Of a pipe, which gives it once.
TEST_F(ClientOptionsTest, ATextThatWasReadBeforeIsTakenForTheFile) {
  config::LoadRequest request;
  request.connector_path = "/no/such/connector.properties";
  request.worker_path = "/no/such/worker.properties";
  request.texts = {{request.connector_path, Minimal()},
                   {*request.worker_path, "producer.buffer.memory=2000\n"}};
  const LoadResult result = LoadConnector(request);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.name, "orders");
  EXPECT_EQ(ToKafka(result).buffer_bytes, 2000u);
}

TEST_F(ClientOptionsTest, BufferMemoryBoundsTheSink) {
  EXPECT_EQ(ToKafka(LoadWith("producer.override.buffer.memory=1000")).buffer_bytes, 1000u);
  EXPECT_EQ(ToKafka(LoadWith("producer.buffer.memory=2000")).buffer_bytes, 2000u);
  EXPECT_EQ(ToKafka(Load(Minimal())).buffer_bytes, 8u << 20) << "what the property says";
  EXPECT_THAT(LoadWith("producer.buffer.memory=much").errors,
              ElementsAre(HasSubstr("non-zero long value is expected")));
}

TEST_F(ClientOptionsTest, FileSinkNeedsAPath) {
  EXPECT_THAT(LoadWith("sink=file").errors,
              ElementsAre(HasSubstr("'sink.file.path': A value is required")));
}

TEST_F(ClientOptionsTest, TopicsAreCreatedByGroupsAndTheDefaultLast) {
  const auto groups =
      ToKafka(
          LoadWith(
              "topic.creation.groups=fast\ntopic.creation.fast.include=srv\\\\.a.*\n"
              "topic.creation.fast.partitions=6\ntopic.creation.fast.cleanup.policy=compact\n"
              "topic.creation.default.partitions=3\ntopic.creation.default.replication.factor=-1\n"
              "topic.creation.default.retention.ms=5"))
          .topic_creation;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "fast");
  EXPECT_TRUE(groups[0].include->Matches("srv.abc"));
  EXPECT_EQ(groups[0].partitions, 6);
  EXPECT_EQ(groups[0].replication_factor, -1);
  EXPECT_THAT(groups[0].configs, ElementsAre(Pair("cleanup.policy", "compact")));
  EXPECT_EQ(groups[1].name, "default");
  EXPECT_EQ(groups[1].partitions, 3);
  EXPECT_THAT(groups[1].configs, ElementsAre(Pair("retention.ms", "5")));
}

TEST_F(ClientOptionsTest, TopicCreationNeedsBothDefaults) {
  EXPECT_THAT(
      LoadWith("topic.creation.default.partitions=3").errors,
      ElementsAre(HasSubstr("'topic.creation.default.replication.factor': A value is required")));
  EXPECT_THAT(
      LoadWith("topic.creation.default.partitions=3\ntopic.creation.default.replication.factor=1\n"
               "topic.creation.groups=g")
          .errors,
      ElementsAre(HasSubstr("'topic.creation.g.include': A value is required")));
}

TEST_F(ClientOptionsTest, WorkerCanSwitchTopicCreationOff) {
  EXPECT_THAT(ToKafka(Load(Minimal() + "topic.creation.default.partitions=3\ntopic.creation."
                                       "default.replication.factor=1\n",
                           "topic.creation.enable=false\n"))
                  .topic_creation,
              IsEmpty());
}

TEST_F(ClientOptionsTest, StoreOfThePositionFollowsTheNearestSource) {
  const std::string file = "offset.storage.file.filename=/tmp/o\n";
  EXPECT_EQ(Load(Minimal(), file).options.offset->kind, offset::OffsetStoreKind::kFile);
  EXPECT_EQ(Load(Minimal(), file).options.offset->file_path, "/tmp/o");
  EXPECT_EQ(Load(Minimal(), "offset.storage.topic=t\n").options.offset->topic, "t");
  const offset::OffsetOptions own =
      *Load(Minimal() + "offsets.storage.topic=mine\n", "offset.storage.topic=t\n").options.offset;
  EXPECT_EQ(own.topic, "mine");
  EXPECT_EQ(own.kind, offset::OffsetStoreKind::kKafkaTopic);
  const offset::OffsetOptions commanded =
      *Load(Minimal(), file, {{"offset.storage.topic", "o"}}).options.offset;
  EXPECT_EQ(commanded.kind, offset::OffsetStoreKind::kKafkaTopic);
}

TEST_F(ClientOptionsTest, StoreByClassName) {
  EXPECT_EQ(LoadWith("offset.storage=org.apache.kafka.connect.storage.MemoryOffsetBackingStore")
                .options.offset->kind,
            offset::OffsetStoreKind::kMemory);
  EXPECT_THAT(LoadWith("offset.storage=FileOffsetBackingStore").errors,
              ElementsAre(HasSubstr("'offset.storage.file.filename': A value is required")));
}

TEST_F(ClientOptionsTest, SinksWithoutKafkaChooseAStoreWithAWarning) {
  const LoadResult file = LoadWith("sink=file\nsink.file.path=/tmp/out");
  EXPECT_EQ(file.options.offset->kind, offset::OffsetStoreKind::kFile);
  EXPECT_EQ(file.options.offset->file_path, "/tmp/out.offsets");
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("/tmp/out.offsets")));
  const LoadResult terminal = LoadWith("sink=stdout");
  EXPECT_EQ(terminal.options.offset->kind, offset::OffsetStoreKind::kMemory);
  EXPECT_THAT(terminal.warnings, ElementsAre(HasSubstr("kept in memory")));
}

TEST_F(ClientOptionsTest, ConverterOptionsComeFromThePlaceOfTheClass) {
  const std::string worker =
      "value.converter=JsonConverter\nvalue.converter.schemas.enable=false\n";
  EXPECT_FALSE(Load(Minimal(), worker).options.encode->value.schemas_enable);
  EXPECT_TRUE(Load(Minimal() + "value.converter=JsonConverter\n", worker)
                  .options.encode->value.schemas_enable);
  const LoadResult apart =
      Load(Minimal() + "value.converter.schemas.enable=true\n", "value.converter=JsonConverter\n");
  EXPECT_THAT(apart.warnings,
              ElementsAre(HasSubstr("'value.converter.schemas.enable': has no effect")));
  EXPECT_FALSE(Load(Minimal(), "value.converter=JsonConverter\n",
                    {{"value.converter.schemas.enable", "false"}})
                   .options.encode->value.schemas_enable);
}

TEST_F(ClientOptionsTest, ConverterOptionWithoutAnyClassIsHonoured) {
  const LoadResult result = LoadWith(
      "key.converter.schemas.enable=false\nkey.converter=StringConverter\nvalue.converter.schemas."
      "enable=false\n"
      "value.converter.decimal.format=NUMERIC\nvalue.converter.replace.null.with.default=false");
  EXPECT_EQ(result.options.encode->key.kind, encode::ConverterKind::kString);
  EXPECT_FALSE(result.options.encode->value.schemas_enable);
  EXPECT_TRUE(result.options.encode->value.decimal_numeric);
  EXPECT_FALSE(result.options.encode->value.replace_null_with_default);
}

TEST_F(ClientOptionsTest, BinaryDataConverterLeavesTheRestToItsDelegate) {
  const std::string binary =
      "value.converter=io.debezium.converters.BinaryDataConverter\n"
      "value.converter.schemas.enable=true\n";
  const encode::ConverterOptions alone = Load(Minimal() + binary).options.encode->value;
  EXPECT_EQ(alone.kind, encode::ConverterKind::kByteArray);
  EXPECT_TRUE(alone.raw_bytes);
  const encode::ConverterOptions with =
      Load(Minimal() + binary +
           "value.converter.delegate.converter.type=org.apache.kafka.connect.json.JsonConverter\n"
           "value.converter.delegate.converter.type.schemas.enable=false\n")
          .options.encode->value;
  EXPECT_EQ(with.kind, encode::ConverterKind::kJson);
  EXPECT_TRUE(with.raw_bytes);
  EXPECT_FALSE(with.schemas_enable);
}

}  // namespace
}  // namespace walduct::loader
