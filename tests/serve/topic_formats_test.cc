// The records as Kafka Connect 4.3 wrote them into its topics.
#include "serve/topics/topic_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::serve {
namespace {

using testing::Pair;

const ConfigMap kConfig = {{"connector.class", std::string(kPostgresClass)}, {"name", "orders"}};

TEST(TopicFormats, KeysOfTheConfigTopic) {
  EXPECT_EQ(ConnectorKey("orders"), "connector-orders");
  EXPECT_EQ(TaskKey("orders"), "task-orders-0");
  EXPECT_EQ(CommitKey("orders"), "commit-orders");
  EXPECT_EQ(TargetKey("orders"), "target-state-orders");
  EXPECT_EQ(RestartKey("orders"), "restart-connector-orders");
  EXPECT_EQ(LoggerKey("io.debezium"), "logger-cluster-io.debezium");
}

TEST(TopicFormats, ValuesOfTheConfigTopic) {
  EXPECT_EQ(ConnectorValue(kConfig),
            R"({"properties":{"connector.class":"io.debezium.connector.postgresql.)"
            R"(PostgresConnector","name":"orders"}})");
  EXPECT_EQ(TaskValue({{"name", "orders"}}),
            R"({"properties":{"name":"orders","task.class":"io.debezium.connector.postgresql.)"
            R"(PostgresConnectorTask"}})");
  EXPECT_EQ(CommitValue(1), R"({"tasks":1})");
  EXPECT_EQ(TargetValue(TargetState::kStarted), R"({"state":"STARTED","state.v2":"STARTED"})");
  EXPECT_EQ(TargetValue(TargetState::kStopped), R"({"state":"PAUSED","state.v2":"STOPPED"})");
  EXPECT_EQ(RestartValue(true, false), R"({"include-tasks":true,"only-failed":false})");
  EXPECT_EQ(LoggerValue("ERROR"), R"({"level":"ERROR"})");
  EXPECT_EQ(SessionValue({.bytes = std::string(32, '\0'),
                          .algorithm = "HmacSHA256",
                          .created = absl::FromUnixMillis(1795312842383)}),
            R"({"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","algorithm":"HmacSHA256",)"
            R"("creation-timestamp":1795312842383})");
}

TEST(TopicFormats, RecordsOfTheStatusTopic) {
  EXPECT_EQ(ConnectorStatusKey("orders"), "status-connector-orders");
  EXPECT_EQ(TaskStatusKey("orders"), "status-task-orders-0");
  EXPECT_EQ(TopicStatusKey("orders", "srv.public.t"), "status-topic-srv.public.t:connector-orders");
  EXPECT_EQ(StatusValue({.state = "RUNNING", .trace = "", .version = "3.6.1.Final"}, "h:8083"),
            R"({"state":"RUNNING","trace":null,"worker_id":"h:8083","generation":1,)"
            R"("version":"3.6.1.Final"})");
  EXPECT_EQ(TopicStatusValue("orders", "t", absl::FromUnixMillis(7)),
            R"({"topic":{"name":"t","connector":"orders","task":0,"discoverTimestamp":7}})");
}

TEST(TopicFormats, NamesThatLookLikeOtherKeys) {
  EXPECT_EQ(NameOfConfigRecord("connector-commit-1").name, "commit-1");
  EXPECT_EQ(NameOfConfigRecord("commit-connector-1").kind, ConfigRecordKind::kCommit);
  EXPECT_EQ(NameOfConfigRecord("restart-connector-a").kind, ConfigRecordKind::kOther);
  EXPECT_EQ(NameOfConfigRecord("session-key").kind, ConfigRecordKind::kOther);
  EXPECT_THAT(*NameOfTopicStatus("status-topic-t:connector-a:connector-b"),
              Pair("a:connector-b", "t"));
  EXPECT_FALSE(NameOfTopicStatus("status-connector-a").has_value());
  EXPECT_EQ(NameOfStatus("status-task-a-1-0")->connector, "a-1");
  EXPECT_FALSE(NameOfStatus("status-topic-t:connector-a").has_value());
}

TEST(TopicFormats, ValuesAreReadAsTheyAreWritten) {
  EXPECT_EQ(*ReadConnectorValue(ConnectorValue(kConfig)), kConfig);
  EXPECT_EQ(*ReadCommitValue(CommitValue(0)), 0);
  for (const TargetState state :
       {TargetState::kStarted, TargetState::kPaused, TargetState::kStopped})
    EXPECT_EQ(*ReadTargetValue(TargetValue(state)), state);
  EXPECT_EQ(*ReadLoggerValue(LoggerValue("WARN")), "WARN");
}

TEST(TopicFormats, OlderWorkersWriteNoStoppedState) {
  EXPECT_EQ(*ReadTargetValue(R"({"state":"PAUSED"})"), TargetState::kPaused);
}

TEST(TopicFormats, WhatIsMalformedIsRefused) {
  for (const char* value :
       {"", "null", "[]", "{", R"({"properties":7})", R"({"state":"ASLEEP"})"}) {
    EXPECT_FALSE(ReadConnectorValue(value).ok()) << value;
    EXPECT_FALSE(ReadCommitValue(value).ok()) << value;
    EXPECT_FALSE(ReadTargetValue(value).ok()) << value;
  }
}

}  // namespace
}  // namespace walduct::serve
