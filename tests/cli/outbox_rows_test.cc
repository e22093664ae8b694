// What is printed of rows of outbox tables.
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/outbox/rows_command.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum operate::OutboxRowsRequest::Act;

std::string Text(const std::string& json, bool* done) { return OutboxRowsText(json, done); }

TEST(OutboxRowsText, AListHasWhatIsKnown) {
  bool done = false;
  EXPECT_EQ(Text(R"({"connector":"shop","did":"list","tables":[
      {"table":"public.outbox","more":true,"note":"","rows":[
        {"row":"7","state":"parked","attempts":10,"error":"transform_failed: \u001b[2J","next_try":null,
         "written":"2026-11-29T10:00:00.000Z","key":"10","type":"OrderPlaced"}]},
      {"table":"public.other","more":false,"note":"","rows":[]}]})",
                 &done),
            "public.outbox: 1 row, and more\n"
            "  7  parked  10 attempts  key 10  OrderPlaced  written 2026-11-29T10:00:00.000Z\n"
            "    transform_failed: \\u001B[2J\n"
            "public.other: no row is parked or waits after an attempt\n");
  EXPECT_TRUE(done);
}

TEST(OutboxRowsText, WhatWasNotDoneIsTold) {
  bool done = true;
  EXPECT_EQ(Text(R"({"did":"retry","tables":[{"table":"public.outbox","more":false,"rows":[
      {"row":"7","outcome":"retried","done":true,"message":"is tried again"},
      {"row":"8","outcome":"locked","done":false,"message":"is locked by another session"}]}]})",
                 &done),
            "public.outbox 7 is tried again\npublic.outbox 8 is locked by another session\n");
  EXPECT_FALSE(done);
  EXPECT_THAT(Text("<html>", &done), HasSubstr("not walduct's"));
  EXPECT_FALSE(done);
}

Arguments Parse(std::vector<std::string> words) {
  words.insert(words.begin(), {"walduct", "outbox"});
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  return ParseArguments(static_cast<int>(raw.size()), raw.data());
}

TEST(OutboxRowsArguments, TheFirstWordIsTheConnectorUnlessAFileNamesIt) {
  const Arguments named = Parse({"retry", "shop", "7", "9"});
  EXPECT_EQ(named.command, Command::kOutboxRows);
  EXPECT_EQ(named.connector, "shop");
  EXPECT_THAT(named.outbox_rows.rows, ElementsAre("7", "9"));
  EXPECT_EQ(named.outbox_rows.act, kRetry);
  const Arguments filed = Parse({"skip", "-f", "shop.json", "7", "--yes"});
  EXPECT_EQ(filed.connector, "");
  EXPECT_THAT(filed.outbox_rows.rows, ElementsAre("7"));
  EXPECT_EQ(filed.outbox_rows.act, kSkip);
  const Arguments all = Parse({"retry", "shop", "--all"});
  EXPECT_TRUE(all.outbox_rows.all);
  EXPECT_THAT(all.outbox_rows.rows, IsEmpty());
  EXPECT_EQ(Parse({"list", "shop"}).outbox_rows.act, kList);
}

// A primary key may be any text.
TEST(OutboxRowsArguments, ARowIsNotTakenApart) {
  EXPECT_THAT(Parse({"skip", "shop", "[7,8]", "-7", "a,b", "[]"}).outbox_rows.rows,
              ElementsAre("[7,8]", "-7", "a,b", "[]"));
  EXPECT_THAT(Parse({"show", "-f", "a.json", "--row=-x", "--row=[1,2]", "3"}).outbox_rows.rows,
              ElementsAre("-x", "[1,2]", "3"));
  const Arguments park = Parse({"park", "[a]", "7", "--reason", "[b,c]", "--table", "[d]"});
  EXPECT_EQ(park.connector, "[a]");
  EXPECT_EQ(park.outbox_rows.why, "[b,c]");
  EXPECT_EQ(park.outbox_rows.table, "[d]");
  EXPECT_THAT(park.outbox_rows.rows, ElementsAre("7"));
  EXPECT_EQ(Parse({"list", "shop", "[7]"}).command, Command::kNone);
}

TEST(OutboxRowsArguments, WhatLacksRowsIsRefused) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"list", "shop", "7"},
                                                {"show", "shop"},
                                                {"retry", "shop"},
                                                {"retry", "shop", "7", "--all"},
                                                {"skip", "-f", "shop.json"},
                                                {"list", "shop", "--limit", "0"},
                                                {"drill"}}) {
    const Arguments parsed = Parse(words);
    EXPECT_EQ(parsed.command, Command::kNone) << words.front();
    EXPECT_EQ(parsed.usage_exit_code, 2) << words.front();
  }
}

}  // namespace
}  // namespace walduct::cli
