#include "config/files/yaml_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/files/yaml_text.h"
#include "java/text/properties_text.h"

namespace walduct::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

absl::StatusOr<ParsedFile> ReadInner(absl::string_view text) {
  const auto properties = java::ParseProperties(text);
  return ParsedFile{.values = properties->values};
}

ParsedFile Parse(absl::string_view text) {
  absl::StatusOr<ParsedFile> file = ParseYamlConfig(text, ReadInner);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : ParsedFile{};
}

std::string Refusal(absl::string_view text) {
  const auto file = ParseYamlConfig(text, ReadInner);
  return file.ok() ? "" : std::string(file.status().message());
}

constexpr char kConnector[] =
    "apiVersion: kafka.strimzi.io/v1beta2\n"
    "kind: KafkaConnector\n"
    "metadata:\n  name: orders\n  labels: {strimzi.io/cluster: connect}\n"
    "spec:\n  class: io.debezium.connector.postgresql.PostgresConnector\n  tasksMax: 1\n"
    "  autoRestart: {enabled: true}\n"
    "  config:\n    database.port: 5432\n    database.user: \"cdc\"\n    slot.name: 0123\n"
    "    tombstones.on.delete: false\n    database.password: null\n"
    "    table.include.list: >-\n      public.a,\n      public.b\n";

TEST(YamlConfig, KafkaConnectorOfStrimzi) {
  const ParsedFile file = Parse(kConnector);
  EXPECT_THAT(file.values, ElementsAre(Pair("name", "orders"),
                                       Pair("connector.class",
                                            "io.debezium.connector.postgresql.PostgresConnector"),
                                       Pair("tasks.max", "1"), Pair("database.port", "5432"),
                                       Pair("database.user", "cdc"), Pair("slot.name", "0123"),
                                       Pair("tombstones.on.delete", "false"),
                                       Pair("table.include.list", "public.a, public.b")));
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("'database.password': null")));
}

TEST(YamlConfig, TwoNamesAreOne) {
  EXPECT_THAT(Refusal(absl::StrCat(kConnector, "    name: copy\n")),
              HasSubstr("the connector is 'orders', and the name in its config is 'copy'"));
  EXPECT_EQ(Refusal(absl::StrCat(kConnector, "    name: orders\n")), "");
  EXPECT_NE(Refusal("name: a\nconfig: {name: b}\n"), "");
}

TEST(YamlConfig, KafkaConnectBesideItGivesWhatAWorkerHas) {
  const ParsedFile file = Parse(absl::StrCat(
      kConnector,
      "---\napiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnect\nmetadata: {name: connect}\n"
      "spec:\n  bootstrapServers: kafka:9092\n  config:\n    group.id: g\n    slot.name: no\n"
      "---\nkind: Service\napiVersion: v1\n"));
  EXPECT_THAT(file.values, testing::Contains(Pair("bootstrap.servers", "kafka:9092")));
  EXPECT_THAT(file.values, testing::Contains(Pair("group.id", "g")));
  EXPECT_THAT(file.values, testing::Contains(Pair("slot.name", "0123")));
}

TEST(YamlConfig, SeveralConnectorsAreTooManyAndNoneTooFew) {
  EXPECT_THAT(Refusal(absl::StrCat(kConnector, "---\n", kConnector)), HasSubstr("2 connectors"));
  EXPECT_THAT(Refusal("apiVersion: v1\nkind: Service\n"), HasSubstr("no connector"));
  const std::string sink =
      "---\napiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\nmetadata: {name: s}\n"
      "spec: {class: io.debezium.connector.jdbc.JdbcSinkConnector, config: {a: b}}\n";
  EXPECT_THAT(Parse(absl::StrCat(kConnector, sink)).values[0], Pair("name", "orders"));
}

TEST(YamlConfig, AConfigMapHoldsTheFileOfDebeziumServer) {
  const ParsedFile file = Parse(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  log.properties: a=b\n"
      "  application.properties: |\n    debezium.sink.type=kafka\n"
      "    debezium.source.slot.name=s\n");
  EXPECT_THAT(file.values, ElementsAre(Pair("debezium.sink.type", "kafka"),
                                       Pair("debezium.source.slot.name", "s")));
  EXPECT_THAT(Parse("apiVersion: v1\nkind: Secret\ndata:\n"
                    "  a.properties: Y29ubmVjdG9yLmNsYXNzPXgK\n")
                  .values,
              ElementsAre(Pair("connector.class", "x")));
}

TEST(YamlConfig, DebeziumServerOfItsOperator) {
  const ParsedFile file = Parse(
      "apiVersion: debezium.io/v1alpha1\nkind: DebeziumServer\nmetadata: {name: d}\nspec:\n"
      "  sink: {type: kafka, config: {producer.bootstrap.servers: 'kafka:9092'}}\n"
      "  format: {value: {type: json, config: {schemas.enable: false}}}\n"
      "  transforms:\n    - {type: a.B, predicate: p, config: {field: id}}\n"
      "  predicates: {p: {type: c.D, config: {pattern: x}}}\n"
      "  source:\n    class: io.debezium.connector.postgresql.PostgresConnector\n"
      "    offset: {file: {fileName: /data/o}}\n    config: {slot.name: s}\n");
  for (const auto& [name, value] :
       {std::pair("debezium.sink.type", "kafka"),
        {"debezium.sink.kafka.producer.bootstrap.servers", "kafka:9092"},
        {"debezium.format.value", "json"},
        {"debezium.format.value.schemas.enable", "false"},
        {"debezium.transforms", "t0"},
        {"debezium.transforms.t0.type", "a.B"},
        {"debezium.transforms.t0.predicate", "p"},
        {"debezium.transforms.t0.field", "id"},
        {"debezium.predicates", "p"},
        {"debezium.predicates.p.pattern", "x"},
        {"debezium.source.offset.storage.file.filename", "/data/o"},
        {"debezium.source.slot.name", "s"}})
    EXPECT_THAT(file.values, testing::Contains(Pair(name, value)));
}

TEST(YamlConfig, MapsOfProperties) {
  EXPECT_THAT(Parse("name: n\nconfig:\n  a: 1\n").values,
              ElementsAre(Pair("name", "n"), Pair("a", "1")));
  EXPECT_THAT(
      Parse("debezium:\n  source:\n    slot.name: s\n    list: [a, b]\n").values,
      ElementsAre(Pair("debezium.source.slot.name", "s"), Pair("debezium.source.list", "a,b")));
  EXPECT_THAT(Refusal("a: [{b: c}]\n"), HasSubstr("'a'"));
}

TEST(YamlConfig, WhatIsWrongHasItsPlace) {
  EXPECT_THAT(Refusal("a: 1\n b: 2\n"), HasSubstr("line 2, column 3"));
  EXPECT_THAT(Refusal("- a\n"), HasSubstr("not a map"));
  EXPECT_THAT(Refusal(""), HasSubstr("not a map"));
  const std::string text = kConnector;
  for (size_t size = 0; size < text.size(); ++size)
    ParseYamlConfig(text.substr(0, size), ReadInner).IgnoreError();
}

TEST(YamlConfig, AliasesAndDepthAreBounded) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = absl::StrCat("*a", i - 1);
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [", before, ",", before, ",", before, ",", before,
                    ",", before, ",", before, ",", before, ",", before, "]\n");
  }
  EXPECT_THAT(Refusal(bomb), HasSubstr("too long"));
  EXPECT_THAT(Refusal("a: " + std::string(500, '[') + std::string(500, ']')),
              HasSubstr("too deep"));
}

TEST(YamlConfig, IsToldFromProperties) {
  EXPECT_TRUE(LooksLikeYaml("# c\n---\na: 1\n"));
  EXPECT_TRUE(LooksLikeYaml("apiVersion: v1\n"));
  EXPECT_TRUE(LooksLikeYaml("name: x\nconfig:\n  a: b\n"));
  EXPECT_FALSE(LooksLikeYaml("a=b\nc: d\n"));
  EXPECT_FALSE(LooksLikeYaml("# apiVersion: v1\na=b:\n"));
}

}  // namespace
}  // namespace walduct::config
