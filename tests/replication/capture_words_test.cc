#include "replication/capture/capture_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/capture_board.h"

namespace walduct::replication {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CaptureWords, EachReasonHasItsOwn) {
  for (const absl::string_view reason : metrics::kCaptureReasons)
    EXPECT_NE(CaptureMessage(reason), reason);
}

TEST(CaptureWords, SayWhatToType) {
  const CaptureFinding one{
      .reason = "publication_lacks_tables", .table = "public.a", .statement = "X"};
  const CaptureFinding two{
      .reason = "publication_lacks_tables", .table = "public.b", .statement = "Y"};
  const std::string hint = CaptureHint({&one, &two}, {.filtered = true});
  EXPECT_THAT(hint, testing::StartsWith("X; Y, or restart the process, which does it"));
  EXPECT_THAT(hint, HasSubstr("walduct signal execute-snapshot --table public.a --table public.b"));
}

TEST(CaptureWords, CallTheConnectorAsCommandsDo) {
  const CaptureFinding gone{.reason = "captured_table_dropped", .table = "public.a"};
  EXPECT_THAT(
      CaptureHint({&gone}, {.called = {.who = "shop", .where = "http://h:8083"}}),
      testing::AllOf(
          testing::StartsWith("where it is not meant"),
          HasSubstr("walduct signal execute-snapshot shop --table public.a --url http://h:8083")));
}

// An entry that stays in the list would be told next.
TEST(CaptureWords, WhatIsGoneForGoodIsTakenOutOfTheList) {
  const CaptureFinding gone{.reason = "captured_table_dropped", .table = "public.a"};
  const CaptureFinding more{.reason = "captured_table_dropped", .table = "public.b"};
  const names::Called serve{.who = "shop", .where = "http://h:1", .name = "shop"};
  const names::Called run{.who = "shop"};
  const auto hint = [&](const std::string& list, const names::Called& called) {
    const std::string all = CaptureHint({&gone}, {.called = called, .include_list = list});
    return all.substr(all.find("; where it is, "));
  };
  EXPECT_THAT(hint("public.c, public\\.a,public.b", serve),
              testing::AllOf(HasSubstr("take them out of the list: curl -X PATCH "),
                             HasSubstr(R"({"table.include.list":"public.c,public.b"})"),
                             Not(HasSubstr("walduct stop"))));
  EXPECT_EQ(hint("public.a,public.b", run),
            "; where it is, set table.include.list=public.b and restart the process");
  EXPECT_THAT(hint("public.a", serve), HasSubstr(R"({"walduct.allow.empty":"true"})"))
      << "without a list all tables would be captured";
  EXPECT_THAT(hint("public..*", serve),
              testing::AllOf(HasSubstr("where it is, walduct stop shop"),
                             HasSubstr("take entries of table.include.list that match no table")));
  EXPECT_EQ(hint("", run), "; where it is, restart the process");
  EXPECT_THAT(
      CaptureHint({&gone, &more}, {.called = run, .include_list = "public.a,public.b,public.c"}),
      HasSubstr("set table.include.list=public.c and"));
}

// Rows that were deleted meanwhile stay in the topic.
TEST(CaptureWords, SayThatASnapshotTellsNoDeletes) {
  const names::Called called{.who = "-f s.json -w w.properties", .name = "shop"};
  const std::string note = names::DeletesNote(called);
  EXPECT_THAT(note, HasSubstr("walduct recover read -f s.json -w w.properties has compared"));
  for (const char* const reason :
       {"table_was_not_published", "table_was_unlogged", "publication_lacks_tables",
        "table_created_anew", "captured_table_dropped"}) {
    const CaptureFinding one{.reason = reason, .table = "public.a"};
    EXPECT_THAT(CaptureHint({&one}, {.called = called}), HasSubstr(note)) << reason;
  }
  const CaptureFinding attached{.reason = "partition_attached", .table = "public.a"};
  EXPECT_THAT(CaptureHint({&attached}, {.called = called}), Not(HasSubstr("deletes")));
}

// An incremental snapshot leaves such a table out, and would end nothing.
TEST(CaptureWords, ATableWithoutAKeyIsReadWhileTheStreamWaits) {
  const names::Called called{.who = "shop", .where = "http://h:1"};
  const CaptureFinding keyed{.reason = "table_was_not_published", .table = "public.a"};
  const CaptureFinding keyless{
      .reason = "table_was_not_published", .table = "public.b", .keyless = true};
  EXPECT_THAT(CaptureHint({&keyless}, {.called = called}),
              testing::AllOf(testing::StartsWith("walduct signal execute-snapshot shop --blocking "
                                                 "--table public.b --url http://h:1; without"),
                             HasSubstr("deletes")));
  EXPECT_THAT(CaptureHint({&keyed, &keyless}, {.called = called}),
              testing::StartsWith(
                  "walduct signal execute-snapshot shop --table public.a --url http://h:1; walduct "
                  "signal execute-snapshot shop --blocking --table public.b --url http://h:1; "));
  const CaptureFinding attached{.reason = "partition_attached",
                                .table = "public.p",
                                .statement = "X",
                                .argument = "public.b",
                                .read_with = "public.b",
                                .keyless = true};
  EXPECT_EQ(CaptureHint({&attached}, {.called = called}),
            "walduct signal execute-snapshot shop --blocking --table public.b --url http://h:1");
}

TEST(CaptureWords, RowsThatCameUnderTheNamesOfPartitionsAreRead) {
  const CaptureFinding one{
      .reason = "publication_without_partitions",
      .table = "public.ev",
      .statement = "ALTER PUBLICATION p SET (publish_via_partition_root = true)",
      .argument = "public.ev"};
  const std::string hint = CaptureHint({&one}, {.called = {.who = "shop", .where = "http://h:1"}});
  EXPECT_THAT(hint, testing::StartsWith(one.statement + "; what was written before that"));
  EXPECT_THAT(hint,
              HasSubstr("walduct signal execute-snapshot shop --table public.ev --url http://h:1"));
  EXPECT_THAT(hint, HasSubstr("or change the lists"));
}

TEST(CaptureWords, OfATopicThatWasDeletedAllTablesAreReadAgain) {
  const CaptureFinding one{.reason = "topic_deleted", .table = "public.a"};
  const CaptureFinding two{.reason = "topic_deleted", .table = "public.b"};
  EXPECT_EQ(CaptureHint({&one, &two}, {.called = {.who = "shop", .where = "http://h:1"}}),
            "walduct signal execute-snapshot shop --table public.a --table public.b --url "
            "http://h:1; deletes that nobody had read do not come again");
}

TEST(CaptureWords, TheWholeRowIsTypedAndAKeyIsBetter) {
  const CaptureFinding full{.reason = "publication_refuses_writes",
                            .table = "public.a",
                            .statement = "ALTER TABLE a REPLICA IDENTITY FULL"};
  EXPECT_THAT(CaptureHint({&full}, {}),
              testing::AllOf(testing::StartsWith("ALTER TABLE a REPLICA IDENTITY FULL; "),
                             HasSubstr("a primary key")));
  const CaptureFinding keyed{.reason = "publication_refuses_writes",
                             .table = "public.a",
                             .statement = "ALTER TABLE a REPLICA IDENTITY DEFAULT"};
  EXPECT_EQ(CaptureHint({&keyed}, {}), keyed.statement);
}

TEST(CaptureWords, ANewNameIsForTheLists) {
  const CaptureFinding one{
      .reason = "captured_table_renamed", .table = "public.a", .statement = "X"};
  EXPECT_THAT(CaptureHint({&one}, {}),
              testing::AllOf(testing::StartsWith("add the new names to the lists"),
                             testing::EndsWith("; or, where they are out of use: X")));
}

TEST(CaptureWords, ANewNameIsWrittenIntoTheListThatThereIs) {
  const CaptureFinding one{.reason = "captured_table_renamed",
                           .table = "public.a",
                           .argument = "public.b",
                           .renamed_to = "public.b"};
  const std::string list = "public.a, public.other";
  EXPECT_THAT(
      CaptureHint({&one}, {.called = {.who = "shop", .where = "http://h:8083", .name = "shop"},
                           .include_list = list}),
      testing::AllOf(
          testing::StartsWith("curl -X PATCH "), HasSubstr("http://h:8083/connectors/shop/config"),
          HasSubstr(R"('{"table.include.list":"public.other,public.b"}')"),
          HasSubstr("walduct signal execute-snapshot shop --table public.b --url http://h:8083")));
  EXPECT_THAT(CaptureHint({&one}, {.called = {.who = "-f shop.json"}, .include_list = list}),
              testing::StartsWith("set table.include.list=public.other,public.b and restart the "
                                  "process; "));
  EXPECT_THAT(CaptureHint({&one}, {.called = {.who = "-f shop.json", .unit = "shop"},
                                   .include_list = list}),
              HasSubstr("sudo systemctl restart walduct@shop"));
  // As a regular expression it would be another one.
  const CaptureFinding odd{
      .reason = "captured_table_renamed", .table = "public.a", .renamed_to = "public.b$"};
  EXPECT_THAT(CaptureHint({&odd}, {.include_list = list}), testing::StartsWith("add the new"));
}

TEST(CaptureWords, AMisspeltColumnIsReplacedByOneCommand) {
  const CaptureFinding one{.reason = "column_matches_nothing",
                           .table = "public.a.naem",
                           .renamed_to = "public.a.name",
                           .property = "column.mask.with.4.chars"};
  const names::Called serve{.who = "shop", .where = "http://h:1", .name = "shop"};
  EXPECT_THAT(
      CaptureHint({&one}, {.called = serve}),
      testing::AllOf(testing::StartsWith("if public.a.name is meant: curl -s "),
                     HasSubstr("\"public.a.name\"] | map(select"), Not(HasSubstr("public.a.naem")),
                     HasSubstr("curl -X PATCH"), Not(HasSubstr("correct the entries"))))
      << "a row from before may still come under the old name";
  EXPECT_THAT(CaptureHint({&one}, {.called = {.who = "-f s.json"}}),
              testing::StartsWith("if public.a.name is meant: write that beside public.a.naem into "
                                  "column.mask.with.4.chars and restart the "));
  CaptureFinding shows = one;
  shows.property = "column.include.list";
  EXPECT_THAT(CaptureHint({&shows}, {.called = serve}),
              HasSubstr("if . == \"public.a.naem\" then \"public.a.name\" else"));
  CaptureFinding odd = shows;
  odd.renamed_to = "public.a.total$";
  EXPECT_THAT(CaptureHint({&odd}, {.called = serve}), testing::StartsWith("correct the entries"));
  CaptureFinding lost = one;
  lost.statement = "extend it";
  lost.renamed_to.clear();
  EXPECT_EQ(CaptureHint({&lost}, {.called = serve}), "extend it");
  const CaptureFinding unknown{.reason = "column_matches_nothing", .table = "public.a.xyz"};
  EXPECT_THAT(CaptureHint({&unknown}, {.called = serve}),
              testing::StartsWith("correct the entries (schema.table.column"));
}

TEST(CaptureWords, AMisspeltEntryIsWrittenAsItIsMeant) {
  const CaptureFinding one{.reason = "list_matches_nothing",
                           .table = "public.itmes",
                           .argument = "public.items",
                           .renamed_to = "public.items"};
  const CaptureWish wish{.called = {.who = "shop", .where = "http://h:8083", .name = "shop"},
                         .include_list = "public.orders,public.itmes"};
  EXPECT_THAT(CaptureHint({&one}, wish),
              testing::AllOf(HasSubstr(R"('{"table.include.list":"public.orders,public.items"}')"),
                             HasSubstr("execute-snapshot shop --table public.items --url"),
                             HasSubstr("walduct.allow.empty=true")));
  const CaptureFinding unknown{.reason = "list_matches_nothing", .table = "public.nowhere"};
  EXPECT_THAT(
      CaptureHint({&unknown}, wish),
      testing::AllOf(testing::StartsWith("correct the entries"), Not(HasSubstr("snapshot"))));
}

TEST(CaptureWords, TheListsComeBeforeADropWhereTheyMayBeWrong) {
  CaptureFinding one{.reason = "publication_sends_more",
                     .table = "public.items",
                     .statement = "X",
                     .loses = false};
  EXPECT_THAT(CaptureHint({&one}, {}),
              testing::StartsWith("where no other connector reads them by this publication: X; or "
                                  "change the lists"));
  one.lists_first = true;
  EXPECT_THAT(CaptureHint({&one}, {}),
              testing::AllOf(testing::StartsWith("correct the lists first"),
                             testing::EndsWith("only where nobody wants the tables: X")));
}

// Under walduct run a process is started again, under walduct serve a connector.
TEST(CaptureWords, SayWhatWorksUnderTheCommandThatRunsIt) {
  const names::Called run{.who = "-f s.json -w w.properties", .name = "shop"};
  const names::Called unit{.who = "-f s.json", .unit = "shop", .name = "shop"};
  const names::Called serve{.who = "shop", .where = "http://h:1", .name = "shop"};
  names::Called rests = serve;
  rests.rests = true;
  const CaptureFinding signals{.reason = "signal_table_partitioned", .statement = "X"};
  const auto hint = [](const CaptureFinding& finding, const names::Called& called) {
    return CaptureHint({&finding}, {.filtered = true, .called = called});
  };
  EXPECT_EQ(hint(signals, run), "X, then restart the process");
  EXPECT_EQ(hint(signals, unit), "X, then sudo systemctl restart walduct@shop");
  EXPECT_EQ(hint(signals, serve), "X, then walduct restart shop --url http://h:1");
  EXPECT_EQ(hint(signals, rests), "X, then walduct resume shop --url http://h:1");
  const CaptureFinding lacks{
      .reason = "publication_lacks_tables", .table = "public.a", .statement = "X"};
  EXPECT_THAT(hint(lacks, serve),
              testing::StartsWith("X, or walduct restart shop --url http://h:1,"));
  // It would end a connector that runs.
  CaptureFinding anew = lacks;
  anew.reason = "table_created_anew";
  anew.role_may = false;
  EXPECT_THAT(hint(anew, serve),
              testing::AllOf(testing::StartsWith("X; that is for the owner of the publication and "
                                                 "the tables, or a superuser"),
                             Not(HasSubstr("walduct restart"))));
  // Whoever the role is: the same statement is refused to a superuser.
  anew.on_standby = true;
  for (const bool role_may : {false, true}) {
    anew.role_may = role_may;
    EXPECT_THAT(hint(anew, serve),
                testing::AllOf(testing::StartsWith("X; that is for the primary: this server is a "
                                                   "standby, which is read-only, and a restart "
                                                   "before it fails (publication_outdated)"),
                               Not(HasSubstr("the role")), Not(HasSubstr("walduct restart"))));
  }
  EXPECT_THAT(CaptureHint({&anew}, {.called = serve}), Not(HasSubstr("publication_outdated")))
      << "walduct leaves the publication as it is";
  for (const char* const reason :
       {"no_tables_captured", "list_matches_nothing", "column_matches_nothing",
        "publication_sends_more", "captured_table_renamed"}) {
    CaptureFinding lists{.reason = reason, .table = "public.a", .statement = "X"};
    if (lists.reason == "column_matches_nothing") lists.statement.clear();  // of a lost mask alone
    EXPECT_THAT(hint(lists, serve),
                testing::AllOf(HasSubstr("PATCH http://h:1/connectors/shop/config"),
                               Not(HasSubstr("restart"))))
        << reason;
    EXPECT_THAT(hint(lists, run), HasSubstr("and restart the process")) << reason;
  }
}

TEST(CaptureWords, WhatIsMeantIsForgottenByAnotherStart) {
  const CaptureFinding one{.reason = "replica_identity_weaker", .table = "public.a"};
  EXPECT_THAT(CaptureHint({&one}, {}), HasSubstr("restart the process"));
  EXPECT_EQ(CaptureHint({&one}, {.called = {.who = "shop", .where = "http://h:8083"}}),
            "where it is meant, walduct stop shop --url http://h:8083 && walduct resume shop --url "
            "http://h:8083");
}

}  // namespace
}  // namespace walduct::replication
