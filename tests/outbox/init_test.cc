#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "outbox/init_connector.h"
#include "outbox/init_options.h"
#include "outbox/init_sql.h"

namespace walduct::outbox {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

InitOptions Awkward(Flavour flavour) {
  InitOptions options;
  options.flavour = flavour;
  options.schema = "My Schema";
  options.table = "out\"box";
  options.role = "o'reilly %s";
  options.message_prefix = "it's";
  options.cleanup = true;
  return options;
}

TEST(OutboxInit, EveryNameIsQuoted) {
  const std::string sql = InitSql(Awkward(Flavour::kTable));
  EXPECT_THAT(sql, HasSubstr(R"(CREATE TABLE "My Schema"."out""box" ()"));
  EXPECT_THAT(sql, HasSubstr(R"(rolname = 'o''reilly %s')"));
  EXPECT_THAT(sql, HasSubstr(R"(GRANT SELECT ON "My Schema"."out""box" TO "o'reilly %s";)"));
  EXPECT_THAT(ExampleSql(Awkward(Flavour::kMessage)), HasSubstr("(true, 'it''s', "));
  EXPECT_THAT(InitSql(Awkward(Flavour::kPartitioned)),
              HasSubstr(R"(OWNER TO "o''reilly %%s"', part))"));
}

TEST(OutboxInit, NoPlaceholderIsLeft) {
  for (const Flavour flavour : {Flavour::kTable, Flavour::kPartitioned, Flavour::kMessage}) {
    const InitOptions options = Awkward(flavour);
    for (const std::string& text : {InitSql(options), ExampleSql(options), InboxSql(options)}) {
      EXPECT_THAT(text, Not(::testing::ContainsRegex("[{][a-z_]+[}]")));
    }
  }
}

TEST(OutboxInit, ATableThatIsPolledHasNoSlot) {
  for (const Flavour flavour : {Flavour::kPoll, Flavour::kPosition}) {
    InitOptions options = Awkward(flavour);
    EXPECT_EQ(ErrorReason(CheckNames(options)), "outbox_name") << "housekeeping";
    options.cleanup = false;
    options.role = "reader";
    EXPECT_TRUE(CheckNames(options).ok());
    const std::string sql = InitSql(options);
    EXPECT_THAT(sql, AllOf(HasSubstr("\n--   CREATE TRIGGER walduct_wake"), HasSubstr("--wake")));
    EXPECT_THAT(sql, Not(::testing::ContainsRegex("[{][a-z_]+[}]")));
    EXPECT_THAT(sql, AllOf(Not(HasSubstr("PUBLICATION")), Not(HasSubstr("REPLICATION"))));
    EXPECT_THAT(ConnectorJson(options), AllOf(Not(HasSubstr("slot.name")),
                                              HasSubstr(R"("walduct.outbox.source": "poll")")));
  }
}

TEST(OutboxInit, ATriggerWakesOnlyWhereNoTransactionCanBePrepared) {
  InitOptions options;
  options.wake = true;
  EXPECT_EQ(ErrorReason(CheckNames(options)), "outbox_name") << "nobody polls";
  options.flavour = Flavour::kPoll;
  EXPECT_TRUE(CheckNames(options).ok());
  EXPECT_THAT(InitSql(options),
              AllOf(HasSubstr("IF pg_catalog.current_setting('max_prepared_transactions')"),
                    HasSubstr("\n  CREATE TRIGGER walduct_wake AFTER INSERT ON "),
                    Not(HasSubstr("-- CREATE TRIGGER"))));
}

TEST(OutboxInit, ApplicationsGrantsAreACommentWithoutARole) {
  InitOptions options;
  EXPECT_THAT(InitSql(options), HasSubstr("\n-- GRANT INSERT ON "));
  options.application_role = "shop";
  EXPECT_THAT(InitSql(options),
              HasSubstr("\nGRANT INSERT ON \"public\".\"outbox\" TO \"shop\";\n"));
}

TEST(OutboxInit, DeletingIsGrantedOnlyForHousekeeping) {
  InitOptions options;
  EXPECT_THAT(InitSql(options), Not(HasSubstr("DELETE")));
  options.cleanup = true;
  EXPECT_THAT(InitSql(options), HasSubstr("GRANT DELETE, UPDATE (id)"));
}

struct BadName {
  const char* flag;
  void (*spoil)(InitOptions*);
};

TEST(OutboxInit, NamesThatCannotBeAreRefused) {
  const BadName cases[] = {
      {"--schema", [](InitOptions* o) { o->schema = ""; }},
      {"--table", [](InitOptions* o) { o->table = std::string(64, 'x'); }},
      {"--table",
       [](InitOptions* o) {
         o->flavour = Flavour::kPartitioned;
         o->table = std::string(49, 'x');
       }},
      {"--inbox-table", [](InitOptions* o) { o->inbox_table = "a\nb"; }},
      {"--role", [](InitOptions* o) { o->role = "$walduct$; DROP TABLE x"; }},
      {"--application-role", [](InitOptions* o) { o->application_role = std::string("a\0b", 3); }},
      {"--publication", [](InitOptions* o) { o->publication = ""; }},
      {"--slot", [](InitOptions* o) { o->slot = "With-Dash"; }},
      {"--slot", [](InitOptions* o) { o->slot = std::string(64, 's'); }},
      {"--connector", [](InitOptions* o) { o->connector = "a b"; }},
      {"--message-prefix", [](InitOptions* o) { o->message_prefix = "a,b"; }},
  };
  for (const BadName& bad : cases) {
    InitOptions options;
    bad.spoil(&options);
    const absl::Status status = CheckNames(options);
    EXPECT_EQ(ErrorReason(status), "outbox_name") << bad.flag;
    EXPECT_THAT(std::string(status.message()), ::testing::StartsWith(bad.flag));
  }
  EXPECT_TRUE(CheckNames(Awkward(Flavour::kPartitioned)).ok());
}

TEST(OutboxInit, WhereTheDatabaseIsIsGivenOrAPlaceholder) {
  InitOptions options;
  EXPECT_THAT(ConnectorJson(options), AllOf(HasSubstr(R"("database.hostname": "<HOST>")"),
                                            HasSubstr(R"("database.dbname": "<DATABASE>")")));
  options.database = "shop";
  EXPECT_THAT(ConnectorJson(options), AllOf(HasSubstr(R"("database.hostname": "localhost")"),
                                            HasSubstr(R"("database.port": "5432")"),
                                            HasSubstr(R"("database.dbname": "shop")")));
  options.port = "x";
  EXPECT_EQ(ErrorReason(CheckNames(options)), "outbox_name");
}

// Two of one name would go on from one position, where they share an offset topic.
TEST(OutboxInit, TheConnectorHasANameOfItsDatabase) {
  InitOptions options;
  EXPECT_EQ(ConnectorOf(options), "outbox");
  options.database = "shop";
  EXPECT_THAT(ConnectorJson(options), AllOf(HasSubstr(R"("name": "shop-outbox")"),
                                            HasSubstr(R"("topic.prefix": "shop-outbox")")));
  options.database = "shop 2";
  EXPECT_EQ(ConnectorOf(options), "shop_2-outbox");
  EXPECT_TRUE(CheckNames(options).ok());
  options.connector = "orders";
  EXPECT_EQ(ConnectorOf(options), "orders");
}

TEST(OutboxInit, ConnectorNamesTheTableLiterally) {
  InitOptions options;
  options.schema = "a.b";
  EXPECT_THAT(ConnectorJson(options), HasSubstr(R"("table.include.list": "a\\.b\\.outbox")"));
}

}  // namespace
}  // namespace walduct::outbox
