#include "config/files/debezium_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/files/quarkus_expression.h"

namespace walduct::config {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

const KeyValues kSink = {{"debezium.sink.type", "kafka"},
                         {"debezium.sink.kafka.producer.bootstrap.servers", "kafka:9092"}};

ParsedFile Convert(KeyValues more, const KeyValues& variables = {}) {
  ParsedFile file{.values = kSink};
  for (auto& pair : more) file.values.push_back(std::move(pair));
  const absl::StatusOr<ParsedFile> converted = FromDebeziumServer(file, variables);
  EXPECT_TRUE(converted.ok()) << converted.status();
  return converted.ok() ? *converted : ParsedFile{};
}

std::string Refusal(const KeyValues& values) {
  const auto file = FromDebeziumServer(ParsedFile{.values = values}, {});
  return file.ok() ? "" : absl::StrCat(file.status().message(), "; ", ErrorHint(file.status()));
}

TEST(DebeziumServer, IsToldByItsNames) {
  EXPECT_TRUE(IsDebeziumServer({{"quarkus.log.level", "INFO"}}));
  EXPECT_TRUE(IsDebeziumServer({{"a", "b"}, {"debezium.source.slot.name", "s"}}));
  EXPECT_FALSE(IsDebeziumServer({{"slot.name", "s"}, {"transforms", "debezium.source"}}));
}

TEST(DebeziumServer, BecomesAConnector) {
  const ParsedFile file = Convert({{"debezium.source.slot.name", "s"},
                                   {"debezium.format.value", "simplestring"},
                                   {"debezium.format.key.schemas.enable", "false"},
                                   {"debezium.sink.kafka.producer.linger.ms", "5"},
                                   {"debezium.sink.kafka.producer.sasl.mechanism", "PLAIN"},
                                   {"debezium.sink.kafka.producer.key.serializer", "x"},
                                   {"debezium.transforms", "a"},
                                   {"debezium.transforms.a.type", "T"},
                                   {"debezium.predicates", "p"},
                                   {"quarkus.log.level", "INFO"}});
  EXPECT_THAT(
      file.values,
      ElementsAre(Pair("bootstrap.servers", "kafka:9092"), Pair("slot.name", "s"),
                  Pair("key.converter.schemas.enable", "false"), Pair("producer.linger.ms", "5"),
                  Pair("sasl.mechanism", "PLAIN"), Pair("transforms", "a"),
                  Pair("transforms.a.type", "T"), Pair("predicates", "p"),
                  Pair("quarkus.log.level", "INFO"),
                  Pair("key.converter", "org.apache.kafka.connect.json.JsonConverter"),
                  Pair("value.converter", "org.apache.kafka.connect.storage.StringConverter"),
                  Pair("header.converter", "org.apache.kafka.connect.json.JsonConverter"),
                  Pair("name", "kafka"), Pair("offset.storage.file.filename", "data/offsets.dat")));
  EXPECT_THAT(file.written, Contains(Pair("slot.name", "debezium.source.slot.name")));
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("'data/offsets.dat'")));
}

TEST(DebeziumServer, ListensWhereAPortIsNamed) {
  const auto listen = [](const KeyValues& more) {
    for (const auto& [name, value] : Convert(more).values) {
      if (name == "walduct.listen") return value;
    }
    return std::string("nowhere");
  };
  EXPECT_EQ(listen({}), "nowhere");
  EXPECT_EQ(listen({{"quarkus.http.host", "127.0.0.1"}}), "nowhere");
  EXPECT_EQ(listen({{"quarkus.http.port", "${PORT:8080}"}}), "0.0.0.0:8080");
  EXPECT_EQ(listen({{"quarkus.http.port", "1"}, {"quarkus.http.host", "::1"}}), "[::1]:1");
  EXPECT_EQ(listen({{"quarkus.http.port", "1"}, {"walduct.listen", "h:2"}}), "h:2");
}

TEST(DebeziumServer, FormatsAreConverters) {
  const auto converter = [](const std::string& format, KeyValues more = {}) {
    more.emplace_back("debezium.format.value", format);
    const ParsedFile file = Convert(std::move(more));
    for (const auto& [name, value] : file.values) {
      if (name == "value.converter") return value;
    }
    return std::string();
  };
  EXPECT_EQ(converter("binary"), "io.debezium.converters.BinaryDataConverter");
  EXPECT_EQ(converter("JSON"), "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(converter("avro"), "io.confluent.connect.avro.AvroConverter");
  EXPECT_EQ(converter("avro", {{"debezium.format.value.apicurio.registry.url", "http://r"}}),
            "io.apicurio.registry.utils.converter.AvroConverter");
  const ParsedFile all = Convert({{"debezium.format.schemas.enable", "false"},
                                  {"debezium.format.key.schemas.enable", "true"}});
  EXPECT_THAT(all.values, AllOf(Contains(Pair("key.converter.schemas.enable", "true")),
                                Contains(Pair("value.converter.schemas.enable", "false")),
                                Contains(Pair("header.converter.schemas.enable", "false"))));
  EXPECT_THAT(Refusal({{"debezium.sink.type", "kafka"}, {"debezium.format.key", "thrift"}}),
              AllOf(HasSubstr("'debezium.format.key'"), HasSubstr("'thrift'")));
}

TEST(DebeziumServer, TheFormatDecidesAndNotAConverter) {
  const ParsedFile file = Convert({{"debezium.source.offset.storage.file.filename", "o"},
                                   {"debezium.source.value.converter", "com.acme.Converter"},
                                   {"debezium.source.value.converter.schemas.enable", "false"}});
  EXPECT_THAT(
      file.values,
      AllOf(Contains(Pair("value.converter.schemas.enable", "false")),
            Contains(Pair("value.converter", "org.apache.kafka.connect.json.JsonConverter"))));
  EXPECT_THAT(file.warnings, ElementsAre(AllOf(HasSubstr("'com.acme.Converter'"),
                                               HasSubstr("debezium.format.value"))));
}

TEST(DebeziumServer, RedisIsASink) {
  const absl::StatusOr<ParsedFile> file =
      FromDebeziumServer(ParsedFile{.values = {{"debezium.sink.type", "redis"},
                                               {"debezium.sink.redis.address", "redis:6379"},
                                               {"debezium.sink.kafka.producer.acks", "all"},
                                               {"walduct.sink.redis.ids", "position"}}},
                         {{"DEBEZIUM_SINK_REDIS_DB_INDEX", "3"}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->values, AllOf(Contains(Pair("sink", "redis")), Contains(Pair("name", "redis")),
                                  Contains(Pair("sink.redis.address", "redis:6379")),
                                  Contains(Pair("sink.redis.db.index", "3")),
                                  Contains(Pair("walduct.sink.redis.ids", "position"))));
  EXPECT_THAT(file->written, Contains(Pair("sink.redis.address", "debezium.sink.redis.address")));
}

TEST(DebeziumServer, NatsIsASinkAndItsVariablesHaveNoHyphens) {
  const absl::StatusOr<ParsedFile> file = FromDebeziumServer(
      ParsedFile{.values = {{"debezium.sink.type", "nats-jetstream"},
                            {"debezium.sink.nats-jetstream.url", "nats://nats:4222"}}},
      {{"DEBEZIUM_SINK_NATS_JETSTREAM_URL", "nats://other:4222"},
       {"DEBEZIUM_SINK_NATS_JETSTREAM_CREATE_STREAM", "true"},
       {"DEBEZIUM_SINK_NATS_JETSTREAM_STREAM_NAME", "Mine"},
       {"DEBEZIUM_SINK_NATS_JETSTREAM_AUTH_USER", "u"}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->values, AllOf(Contains(Pair("sink", "nats-jetstream")),
                                  Contains(Pair("sink.nats-jetstream.url", "nats://other:4222")),
                                  Contains(Pair("sink.nats-jetstream.create-stream", "true")),
                                  Contains(Pair("sink.nats-jetstream.stream-name", "Mine")),
                                  Contains(Pair("sink.nats-jetstream.auth.user", "u"))));
}

TEST(DebeziumServer, OtherSinksAreRefusedByName) {
  EXPECT_THAT(Refusal({{"debezium.sink.type", "rabbitmqstream"}}),
              AllOf(HasSubstr("'rabbitmqstream'"), HasSubstr("through AMQP"),
                    HasSubstr("walduct.sink.rabbitmq.queue.type=stream")));
  EXPECT_THAT(
      Refusal({{"debezium.sink.type", "pubsub"}}),
      AllOf(HasSubstr("'pubsub'"), HasSubstr("does not have"), HasSubstr("docs/not-yet.md")));
  EXPECT_THAT(Refusal({{"debezium.sink.type", "eventhubs"}}),
              AllOf(HasSubstr("'eventhubs'"), HasSubstr("its Kafka endpoint"),
                    HasSubstr("NAMESPACE.servicebus.windows.net:9093")));
  EXPECT_THAT(Refusal({{"debezium.source.slot.name", "s"}}), HasSubstr("A value is required"));
}

TEST(DebeziumServer, SinksOfAws) {
  for (const std::string sink : {"kinesis", "sqs", "sns"}) {
    const ParsedFile file = Convert({{"debezium.sink.type", sink},
                                     {"debezium.sink." + sink + ".region", "eu-central-1"},
                                     {"debezium.format.key", "json"}});
    const std::string converter = sink == "sns" ? "org.apache.kafka.connect.storage.StringConverter"
                                                : "org.apache.kafka.connect.json.JsonConverter";
    EXPECT_THAT(file.values, AllOf(Contains(Pair("sink", sink)), Contains(Pair("name", sink)),
                                   Contains(Pair("sink." + sink + ".region", "eu-central-1")),
                                   Contains(Pair("key.converter", converter)),
                                   Contains(Pair("header.converter", converter))));
  }
}

TEST(DebeziumServer, VariablesWinOverTheFile) {
  const KeyValues variables = {{"DEBEZIUM_SOURCE_DATABASE_HOSTNAME", "elsewhere"},
                               {"DEBEZIUM_SOURCE_DATABASE_TCPKEEPALIVE", "false"},
                               {"DEBEZIUM_SOURCE_SLOT_NAME", "from_env"},
                               {"HOME", "/root"}};
  const ParsedFile file = Convert({{"debezium.source.database.hostname", "here"},
                                   {"debezium.source.database.tcpKeepAlive", "true"}},
                                  variables);
  EXPECT_THAT(file.values,
              AllOf(Contains(Pair("database.hostname", "elsewhere")),
                    Contains(Pair("database.tcpKeepAlive", "false")),
                    Contains(Pair("slot.name", "from_env")), Not(Contains(Pair("home", "/root")))));
}

TEST(DebeziumServer, ProfilesAndForeignNames) {
  const ParsedFile file = Convert({{"%dev.debezium.source.slot.name", "dev"},
                                   {"%prod.debezium.source.slot.name", "prod"},
                                   {"slot.name", "ignored"},
                                   {"debezium.sink.http.url", "x"},
                                   {"debezium.source.offset.storage", "MemoryOffsetBackingStore"}});
  EXPECT_THAT(file.values, Contains(Pair("slot.name", "prod")));
  EXPECT_THAT(file.warnings,
              ElementsAre(AllOf(HasSubstr("'slot.name'"), HasSubstr("debezium.source.…")),
                          AllOf(HasSubstr("'debezium.sink.http.url'"), HasSubstr("another sink"))));
}

TEST(DebeziumServer, ExpressionsAreExpandedAndTheirDefaultsNotShown) {
  const KeyValues variables = {{"PG_HOST", "db"}, {"A_B", "ab"}};
  const ParsedFile file = Convert({{"debezium.source.database.hostname", "${PG_HOST}"},
                                   {"debezium.source.database.password", "${PG_PW:sesame}"},
                                   {"debezium.source.topic.prefix", "${a.b}-${NO:${PG_HOST}}"},
                                   {"debezium.source.database.user", "${env:PG_USER}"},
                                   {"debezium.source.x", "$${PG_HOST} costs 5$"},
                                   {"debezium.source.slot.name", "${NO_SUCH}"}},
                                  variables);
  EXPECT_THAT(file.values, AllOf(Contains(Pair("database.hostname", "${PG_HOST}")),
                                 Contains(Pair("database.password", "${PG_PW}")),
                                 Contains(Pair("database.user", "${env:PG_USER}")),
                                 Contains(Pair("x", "${PG_HOST} costs 5$"))));
  EXPECT_THAT(file.expanded,
              ElementsAre(Pair("database.hostname", "db"), Pair("database.password", "sesame"),
                          Pair("topic.prefix", "ab-db")));
  EXPECT_THAT(file.problems, ElementsAre(AllOf(HasSubstr("'debezium.source.slot.name'"),
                                               HasSubstr("export NO_SUCH"))));
}

TEST(QuarkusExpression, BehindABackslashIsText) {
  const PropertyLookup lookup = [](absl::string_view) { return std::optional<std::string>("x"); };
  const auto expanded = ExpandExpressions("a \\${b} ${b} \\$ c\\", lookup);
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_EQ(expanded->value, "a ${b} x $ c\\");
}

TEST(QuarkusExpression, ThatNeedsItselfIsRefused) {
  const PropertyLookup lookup = [](absl::string_view name) -> std::optional<std::string> {
    return name == "a" ? std::optional("${a}") : std::nullopt;
  };
  EXPECT_FALSE(ExpandExpressions("${a}", lookup).ok());
  for (const char* text : {"${", "${a", "$", "${}", "${:}", "$${", "${b:${", "}{$"})
    ExpandExpressions(text, lookup).IgnoreError();
}

}  // namespace
}  // namespace walduct::config
