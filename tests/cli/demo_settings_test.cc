#include "cli/demo/demo_settings.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

DemoRequest Asked(const std::string& url) {
  DemoRequest asked;
  asked.url = url;
  return asked;
}

std::string Refusal(const DemoRequest& asked) {
  return std::string(DemoSettingsOf(asked, "/tmp/d").status().message());
}

TEST(DemoSettings, WithoutKafkaRecordsGoToAFile) {
  const auto settings = DemoSettingsOf(Asked("postgres://me:p%40ss@db:6432/test"), "/tmp/d");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_FALSE(settings->kafka);
  EXPECT_THAT(settings->properties, Contains(Pair("database.hostname", "db")));
  EXPECT_THAT(settings->properties, Contains(Pair("database.port", "6432")));
  EXPECT_THAT(settings->properties, Contains(Pair("database.password", "p@ss")));
  EXPECT_THAT(settings->properties, Contains(Pair("sink.file.path", "/tmp/d/events.jsonl")));
  EXPECT_THAT(settings->properties, Contains(Pair("walduct.listen", "127.0.0.1:0")));
  EXPECT_THAT(DemoConfigurationText(*settings), Not(HasSubstr("p@ss")));
  EXPECT_THAT(DemoConfigurationText(*settings), HasSubstr("  slot.name=walduct_demo\n"));
}

TEST(DemoSettings, WithKafka) {
  DemoRequest asked = Asked("postgres://me@db/test");
  asked.bootstrap_servers = "k:9092";
  asked.schema = "tour";
  const auto settings = DemoSettingsOf(asked, "/tmp/d");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(settings->properties, Contains(Pair("bootstrap.servers", "k:9092")));
  EXPECT_THAT(settings->properties, Contains(Pair("database.port", "5432")));
  EXPECT_THAT(settings->properties, Not(Contains(Pair("sink", "file"))));
  EXPECT_THAT(settings->topics, testing::ElementsAre("tour.tour.customers", "tour.tour.orders"));
}

TEST(DemoSettings, APasswordFromAFile) {
  const std::string path = testing::TempDir() + "/demo_password";
  std::ofstream(path) << "secret\r\nmore\n";
  DemoRequest asked = Asked("postgres://me@db/test");
  asked.password_file = path;
  const auto settings = DemoSettingsOf(asked, "/tmp/d");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(settings->properties, Contains(Pair("database.password", "secret")));
  asked.password_file = path + ".none";
  EXPECT_THAT(Refusal(asked), HasSubstr("--password-file"));
}

TEST(DemoSettings, WhatIsRefused) {
  EXPECT_THAT(Refusal(Asked("db:5432/test")), HasSubstr("postgres://"));
  EXPECT_THAT(Refusal(Asked("postgres://me@db")), HasSubstr("/DATABASE is missing"));
  EXPECT_THAT(Refusal(Asked("postgres://db/test")), HasSubstr("USER@ is missing"));
  for (const char* schema : {"", "Shop", "a b", "pg_x", "1a"}) {
    DemoRequest asked = Asked("postgres://me@db/test");
    asked.schema = schema;
    EXPECT_THAT(Refusal(asked), HasSubstr("--schema")) << schema;
  }
}

}  // namespace
}  // namespace walduct::cli
