// Enum labels that are added while streaming: nothing announces them.
#include "pgoutput/enum_label_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pgoutput/session.h"

namespace walduct::pgoutput {
namespace {

using test::OrdersSpec;
using test::Session;
using test::StartAt;

class EnumLabelWatchTest : public ::testing::Test {
 protected:
  EnumLabelWatchTest() : session_(Options()) {
    session_.resolver.kind = event::TypeKind::kEnum;
    session_.resolver.labels = {"sad", "ok"};
  }
  static AssemblerOptions Options() {
    AssemblerOptions options = StartAt(0x100);
    options.watch_enum_labels = true;
    return options;
  }
  // The labels that the schema of the last change knows.
  std::vector<std::string> Insert(uint64_t lsn, const std::string& label) {
    session_.Insert(lsn, label);
    return session_.handler.changes.back().schema->columns[0].type->labels;
  }
  size_t Asked() const { return session_.resolver.described.size(); }

  Session session_;
};

TEST_F(EnumLabelWatchTest, SCH12NewLabelMakesANewSchema) {
  session_.Begin(0x110, 0x150, 9);
  session_.Relation(OrdersSpec());
  EXPECT_THAT(Insert(0x110, "ok"), ::testing::ElementsAre("sad", "ok"));
  session_.resolver.labels = {"sad", "ok", "new"};
  EXPECT_THAT(Insert(0x118, "sad"), ::testing::ElementsAre("sad", "ok"))
      << "nothing tells of it yet";
  EXPECT_EQ(Asked(), 1u);
  EXPECT_THAT(Insert(0x120, "new"), ::testing::ElementsAre("sad", "ok", "new"));
  EXPECT_EQ(Asked(), 2u);
  Insert(0x128, "new");
  EXPECT_EQ(Asked(), 2u);
}

TEST_F(EnumLabelWatchTest, ALabelThatTheCatalogHasLostIsAskedForOnce) {
  session_.Begin(0x110, 0x150, 9);
  session_.Relation(OrdersSpec());
  EXPECT_THAT(Insert(0x110, "renamed"), ::testing::ElementsAre("sad", "ok", "renamed"))
      << "no schema forbids a value of its rows";
  EXPECT_THAT(Insert(0x118, "ok"), ::testing::ElementsAre("sad", "ok", "renamed"));
  Insert(0x120, "renamed");
  EXPECT_EQ(Asked(), 2u);
  EXPECT_THAT(Insert(0x128, "older"), ::testing::ElementsAre("sad", "ok", "renamed", "older"));
  for (int i = 0; i < 10; ++i) Insert(0x130, i % 2 == 0 ? "renamed" : "older");
  EXPECT_EQ(Asked(), 3u) << "rows of many such labels do not ask again and again";
  session_.resolver.labels = {"sad", "ok", "new"};
  EXPECT_THAT(Insert(0x138, "new"), ::testing::ElementsAre("sad", "ok", "new", "renamed", "older"));
  session_.Relation(OrdersSpec());
  EXPECT_THAT(Insert(0x140, "new"), ::testing::ElementsAre("sad", "ok", "new"));
}

TEST_F(EnumLabelWatchTest, WithoutSchemasNobodyAsks) {
  Session plain(StartAt(0x100));
  plain.resolver.kind = event::TypeKind::kEnum;
  plain.resolver.labels = {"sad"};
  plain.Begin(0x110, 0x150, 9);
  plain.Relation(OrdersSpec());
  plain.Insert(0x110, "new");
  EXPECT_EQ(plain.resolver.described.size(), 1u);
}

TEST(EnumLabelWatch, DomainsOverEnumsAreWatchedOtherTypesAreNot) {
  auto mood = std::make_shared<event::Type>();
  mood->kind = event::TypeKind::kEnum;
  mood->labels = {"ok"};
  auto domain = std::make_shared<event::Type>();
  domain->kind = event::TypeKind::kDomain;
  domain->base = mood;
  event::TableSchema schema;
  schema.columns.resize(2);
  schema.columns[0].type = std::make_shared<event::Type>();
  schema.columns[1].type = domain;
  EnumLabelWatch watch;
  watch.Watch(schema);
  ASSERT_TRUE(watch.watching());
  const std::vector<event::Value> known = {event::Value::Text("x"), event::Value::Text("ok")};
  const std::vector<event::Value> unknown = {event::Value::Text("x"), event::Value::Text("y")};
  const std::vector<event::Value> null = {event::Value::Null(), event::Value::UnchangedToast()};
  EXPECT_TRUE(watch.Knows(known));
  EXPECT_FALSE(watch.Knows(unknown));
  EXPECT_TRUE(watch.Knows(null));
  schema.columns.pop_back();
  watch.Watch(schema);
  EXPECT_FALSE(watch.watching());
}

}  // namespace
}  // namespace walduct::pgoutput
