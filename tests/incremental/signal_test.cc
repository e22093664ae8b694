#include "incremental/signals/signal.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "incremental/signals/expansion.h"
#include "incremental/signals/table_name.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

absl::StatusOr<Signal> Parse(const std::string& type, std::optional<std::string> data) {
  return ParseSignal({.id = "s1", .type = type, .data = std::move(data)});
}

TEST(Signal, INC07_ExecuteWithAllItMayHave) {
  const auto signal = Parse("execute-snapshot", R"({"data-collections": [" public.a ", "public.b"],
      "type": "INCREMENTAL", "surrogate-key": "k",
      "additional-conditions": [{"data-collection": "Public.A", "filter": "id > 4"}]})");
  ASSERT_TRUE(signal.ok()) << signal.status();
  const auto& execute = std::get<ExecuteSnapshot>(*signal);
  EXPECT_THAT(execute.collections, ElementsAre("public.a", "public.b"));
  EXPECT_EQ(execute.surrogate_key, "k");
  EXPECT_EQ(ConditionOf(execute, {"public", "a"}), "(id > 4)");
  EXPECT_EQ(ConditionOf(execute, {"public", "b"}), std::nullopt);
}

TEST(Signal, WhatIsRefusedSaysHowItIsWritten) {
  for (const char* const type : {"execute-snapshot", "stop-snapshot", "pause-snapshot",
                                 "resume-snapshot", "log", "no-such-type"}) {
    for (const char* const data : {"{no json", "[]", R"({"data-collections": 1, "type": 2})"}) {
      const auto signal = Parse(type, data);
      EXPECT_TRUE(signal.ok() || !ErrorHint(signal.status()).empty()) << type << " " << data;
    }
  }
  EXPECT_EQ(ErrorHint(Parse("log", "[]").status()), R"(write its data as {"message": "at {}"})");
}

ExecuteSnapshot Conditioned(const std::string& collections, const std::string& conditions) {
  const auto signal =
      Parse("execute-snapshot", absl::StrCat(R"({"data-collections": [)", collections,
                                             R"(], "additional-conditions": [)", conditions, "]}"));
  EXPECT_TRUE(signal.ok()) << signal.status();
  return signal.ok() ? std::get<ExecuteSnapshot>(*signal) : ExecuteSnapshot();
}

std::string ForTable(const std::string& collection, const std::string& filter) {
  return absl::StrCat(R"({"data-collection": ")", collection, R"(", "filter": ")", filter, "\"}");
}

TEST(Signal, INC07_ConditionsAreRegularExpressions) {
  const TableId orders{"public", "orders"};
  for (const char* pattern : {R"(public\\.orders)", ".*", R"(PUBLIC\\.o.*)", "Public.Orders",
                              R"(\"public\".\"orders\")"}) {
    const ExecuteSnapshot execute = Conditioned(R"("public.orders")", ForTable(pattern, "id > 4"));
    EXPECT_EQ(ConditionOf(execute, orders), "(id > 4)") << pattern;
    EXPECT_THAT(UnusedConditions(execute, {orders}), IsEmpty()) << pattern;
  }
  const ExecuteSnapshot other = Conditioned(R"("public.orders")", ForTable("orders", "id > 4"));
  EXPECT_EQ(ConditionOf(other, orders), std::nullopt);
  EXPECT_THAT(UnusedConditions(other, {orders}), ElementsAre("orders"));
}

TEST(Signal, INC07_ConditionsMatchTheSignalsOwnSpelling) {
  const TableId odd{"public", "Odd Name"};
  for (const char* pattern :
       {R"(public.\"Odd Name\")", R"(public\\.\"odd.*\")", "public.odd name"}) {
    const ExecuteSnapshot execute =
        Conditioned(R"("public.\"Odd Name\"", "public.orders")", ForTable(pattern, "k = 1"));
    EXPECT_EQ(ConditionOf(execute, odd), "(k = 1)") << pattern;
    EXPECT_EQ(ConditionOf(execute, {"public", "orders"}), std::nullopt) << pattern;
  }
}

TEST(Signal, INC07_TheFirstConditionThatMatchesCounts) {
  const ExecuteSnapshot execute = Conditioned(
      R"("public.*")", absl::StrCat(ForTable("public.b", "v = 1"), ",", ForTable("public.c", ""),
                                    ",", ForTable(".*", "v = 2")));
  EXPECT_EQ(ConditionOf(execute, {"public", "a"}), "(v = 2)");
  EXPECT_EQ(ConditionOf(execute, {"public", "b"}), "(v = 1)");
  EXPECT_EQ(ConditionOf(execute, {"public", "c"}), std::nullopt);
}

TEST(Signal, StopNamesTablesOrAll) {
  EXPECT_THAT(std::get<StopSnapshot>(*Parse("stop-snapshot", std::nullopt)).collections, IsEmpty());
  EXPECT_THAT(std::get<StopSnapshot>(*Parse("stop-snapshot", R"({"data-collections": ["a.b"]})"))
                  .collections,
              ElementsAre("a.b"));
}

TEST(Signal, OthersNeedNoData) {
  EXPECT_TRUE(std::holds_alternative<PauseSnapshot>(*Parse("pause-snapshot", "")));
  EXPECT_TRUE(std::holds_alternative<ResumeSnapshot>(*Parse("resume-snapshot", "{}")));
  EXPECT_EQ(std::get<LogMessage>(*Parse("log", R"({"message": "at {}"})")).message, "at {}");
}

TEST(Signal, SaysWhatIsWrong) {
  const std::pair<std::string, std::string> bad[] = {
      {"{not json", "signal_malformed"},
      {"[]", "signal_malformed"},
      {"{}", "signal_malformed"},
      {R"({"data-collections": []})", "signal_malformed"},
      {R"({"data-collections": "public.a"})", "signal_malformed"},
      {R"({"data-collections": [1]})", "signal_malformed"},
      {R"({"data-collections": ["public.("]})", "signal_malformed"},
      {R"({"data-collections": ["public.a"], "type": "sideways"})", "signal_malformed"},
      {R"({"data-collections": ["public.a"], "additional-conditions": [{}]})", "signal_malformed"},
      {R"({"data-collections": ["public.a"],
           "additional-conditions": [{"data-collection": "public.(", "filter": "a b"},
                                     {"data-collection": "a b(", "filter": "a"}]})",
       "signal_malformed"},
      {R"({"data-collections": ["public.a"], "surrogate-key": 1})", "signal_malformed"}};
  for (const auto& [data, reason] : bad)
    EXPECT_EQ(ErrorReason(Parse("execute-snapshot", data).status()), reason) << data;
  EXPECT_EQ(ErrorReason(Parse("no-such-signal", "{}").status()), "signal_unknown");
  EXPECT_EQ(ErrorReason(Parse("log", "{}").status()), "signal_malformed");
}

TEST(Signal, AQuotedNameNeedBeNoRegularExpression) {
  const auto execute = std::get<ExecuteSnapshot>(
      *Parse("execute-snapshot", R"({"data-collections": ["public.\"a(\""]})"));
  EXPECT_EQ(ExpandCollections(execute.collections, {}), std::vector<TableId>({{"public", "a("}}));
}

TEST(Signal, ABlockingSnapshotHasWholeStatements) {
  const auto execute = std::get<ExecuteSnapshot>(*Parse("execute-snapshot", R"({
      "data-collections": ["public.a.*"], "type": "BLOCKING",
      "additional-conditions": [{"data-collection": "public.a1", "filter": "SELECT 1"}]})"));
  EXPECT_TRUE(execute.blocking);
  EXPECT_EQ(StatementOf(execute, {"public", "a1"}), "SELECT 1");
  EXPECT_EQ(StatementOf(execute, {"public", "a2"}), "");
  EXPECT_EQ(ErrorReason(Parse("stop-snapshot", R"({"type": "blocking"})").status()),
            "signal_not_supported");
}

TEST(TableName, SIG02_ENC08_PlainAndQuoted) {
  EXPECT_EQ(ParseTableId("public.b1"), (TableId{"public", "b1"}));
  EXPECT_EQ(ParseTableId("\"public\".\"b1\""), (TableId{"public", "b1"}));
  EXPECT_EQ(ParseTableId("public.\"Odd \"\"Name\""), (TableId{"public", "Odd \"Name"}));
  EXPECT_EQ(ParseTableId("shop.public.b1"), (TableId{"public", "b1"}));
  for (const char* bad :
       {"", "b1", "public.", ".b1", "public.Odd Name", "public.\"open", "a.b.c.d"})
    EXPECT_EQ(ParseTableId(bad), std::nullopt) << bad;
}

TEST(Expansion, INC08_PatternsNamesAndDoubles) {
  const std::vector<TableId> captured = {
      {"public", "a1"}, {"public", "a2"}, {"public", "b1"}, {"public", "Odd Name"}};
  const auto texts = [&](const std::vector<std::string>& collections) {
    std::vector<std::string> names;
    for (const TableId& table : ExpandCollections(collections, captured))
      names.push_back(table.Text());
    return names;
  };
  EXPECT_THAT(texts({"public.a.*", "public\\.b1", "public.b1"}),
              ElementsAre("public.a1", "public.a2", "public.b1"));
  EXPECT_THAT(texts({"PUBLIC.B1"}), ElementsAre("PUBLIC.B1"));  // no such table, as will be told
  EXPECT_THAT(texts({"public.nosuch", "public.(", "\"public\".\"b1\""}),
              ElementsAre("public.nosuch", "public.(", "public.b1"));
  EXPECT_THAT(texts({"public.Odd Name"}), IsEmpty());
  EXPECT_THAT(texts({" b1 "}), ElementsAre("b1"));  // no table, as will be told
  EXPECT_THAT(texts({"public.\"Odd Name\""}), ElementsAre("public.Odd Name"));
}

}  // namespace
}  // namespace walduct::incremental
