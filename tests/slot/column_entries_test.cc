#include "slot/world/capture/column_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "encode/options/column_options.h"
#include "java/regex/regex_list.h"
#include "replication/capture/capture_words.h"

namespace walduct::slot {
namespace {

using java::RegexList;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::vector<std::string> kNames = {"public.customers.email", "public.customers.id",
                                         "public.customers.name", "public.orders.id",
                                         "sales.customers.name"};

// "entry (property: what may be meant)" of each.
std::vector<std::string> Idle(const encode::ColumnOptions& columns,
                              const std::vector<std::string>& names = kNames) {
  std::vector<std::string> idle;
  for (const replication::CaptureFinding& one : FindIdleColumns(columns, names)) {
    EXPECT_EQ(one.reason, "column_matches_nothing");
    EXPECT_EQ(one.loses, replication::HidesColumns(one.property)) << one.property;
    idle.push_back(replication::CaptureSubject(one));
  }
  return idle;
}

encode::ColumnOptions Masked(const std::string& entries) {
  encode::ColumnMask mask;
  mask.columns = RegexList::OfChecked(entries);
  mask.property = "column.mask.with.4.chars";
  encode::ColumnOptions columns;
  columns.masks.push_back(mask);
  return columns;
}

TEST(ColumnEntries, AMisspeltMaskIsFound) {
  EXPECT_THAT(Idle(Masked("public.customers.naem,public.customers.email")),
              ElementsAre("public.customers.naem (column.mask.with.4.chars: did you mean "
                          "public.customers.name?)"));
  EXPECT_THAT(Idle(Masked(R"(public\.customers\.emial)")),
              ElementsAre(R"(public\.customers\.emial (column.mask.with.4.chars: did you mean )"
                          "public.customers.email?)"));
  EXPECT_THAT(Idle(Masked("public.custmers.name")),
              ElementsAre("public.custmers.name (column.mask.with.4.chars: did you mean "
                          "public.customers.name?)"));
}

// It is no misspelling: the next row of the table stops the connector.
TEST(ColumnEntries, AMaskThatIsLostIsToldBeforeARowComes) {
  std::vector<replication::CaptureFinding> findings =
      FindIdleColumns(Masked("public.customers.ssn,public.customers.naem"), kNames);
  ASSERT_EQ(findings.size(), 2);
  const MaskLoss loss{.kind = MaskLoss::Kind::kShown,
                      .was = "public.customers.ssn",
                      .is = "public.customers.email",
                      .property = "column.mask.with.4.chars",
                      .entry = "public.customers.email"};
  TellLostMasks({loss}, {.who = "shop", .where = "http://h:1", .name = "shop"}, &findings);
  for (const replication::CaptureFinding& one : findings) {
    const bool is_lost = one.table == "public.customers.ssn";
    EXPECT_EQ(one.at_once, is_lost) << one.table;
    EXPECT_EQ(one.detail.find("(mask_lost)") != std::string::npos, is_lost) << one.detail;
    EXPECT_EQ(one.statement.find("jq ") != std::string::npos, is_lost) << one.statement;
  }
}

TEST(ColumnEntries, WhatMatchesAColumnIsNone) {
  EXPECT_THAT(Idle(Masked("PUBLIC.Customers.Name")), IsEmpty());
  EXPECT_THAT(Idle(Masked(R"(.*\.name,public\.(customers|gone)\.id)")), IsEmpty());
  EXPECT_THAT(Idle({}), IsEmpty());
  EXPECT_THAT(Idle(Masked("public.gone.name"), {}), IsEmpty()) << "no table is captured";
}

// A pattern may mean columns that are still to come, and hides nothing until then.
TEST(ColumnEntries, NothingIsMeantWhereNothingIsNear) {
  EXPECT_THAT(Idle(Masked(R"(.*\.password)")),
              ElementsAre(R"(.*\.password (column.mask.with.4.chars))"));
  EXPECT_THAT(Idle(Masked("public.customers.password")),
              ElementsAre("public.customers.password (column.mask.with.4.chars)"));
}

TEST(ColumnEntries, WhatIsWrittenWithoutItsTableIsMeant) {
  EXPECT_THAT(Idle(Masked("orders.id")),
              ElementsAre("orders.id (column.mask.with.4.chars: did you mean public.orders.id?)"));
  EXPECT_THAT(Idle(Masked("name,public.customers.name")),
              ElementsAre("name (column.mask.with.4.chars: did you mean sales.customers.name?)"))
      << "not what another entry hides";
}

TEST(ColumnEntries, EachListIsLookedAt) {
  encode::ColumnOptions columns = Masked("public.a.a");
  columns.exclude = RegexList::OfChecked("public.b.b,public.a.a");
  columns.propagate_columns = RegexList::OfChecked("public.c.c");
  columns.propagate_types = RegexList::OfChecked("public.customers.tsvector");
  EXPECT_THAT(Idle(columns),
              UnorderedElementsAre("public.a.a (column.exclude.list, column.mask.with.4.chars)",
                                   "public.b.b (column.exclude.list)",
                                   "public.c.c (column.propagate.source.type)"));
  encode::ColumnOptions included;
  included.include = RegexList::OfChecked("public.customers.(id|nam)");
  EXPECT_THAT(Idle(included), IsEmpty()) << "a part of it does";
  included.include = RegexList::OfChecked("public.customers.nam");
  EXPECT_THAT(Idle(included), ElementsAre("public.customers.nam (column.include.list: did you mean "
                                          "public.customers.name?)"));
}

// What they were to hide is published.
TEST(ColumnEntries, AnEntryThatHidesLosesWhicheverListIsFirst) {
  encode::ColumnOptions columns = Masked("public.a.a");
  columns.propagate_columns = RegexList::OfChecked("public.a.a,public.b.b");
  columns.exclude = RegexList::OfChecked("public.c.c");
  std::vector<std::string> loses;
  for (const replication::CaptureFinding& one : FindIdleColumns(columns, kNames))
    if (one.loses) loses.push_back(one.table);
  EXPECT_THAT(loses, UnorderedElementsAre("public.a.a", "public.c.c"));
}

// Rows from before the rename may still come, and the entry of the new name is there.
TEST(ColumnEntries, WhatIsKeptForOlderRowsIsNone) {
  const FormerNames former = {{"public.customers.mail", "public.customers.email"},
                              {"public.customers.old", "public.customers.gone"}};
  const auto found = [&former](const encode::ColumnOptions& columns) {
    std::vector<std::string> entries;
    for (const replication::CaptureFinding& one : FindIdleColumns(columns, kNames, former))
      entries.push_back(one.table);
    return entries;
  };
  EXPECT_THAT(found(Masked("public.customers.mail,public.customers.email")), IsEmpty());
  EXPECT_THAT(found(Masked(R"(PUBLIC\.customers\.mail,.*\.email)")), IsEmpty());
  EXPECT_THAT(found(Masked("public.customers.mail")), ElementsAre("public.customers.mail"))
      << "the column is not hidden under its new name";
  EXPECT_THAT(found(Masked("public.customers.old,public.customers.gone")),
              ElementsAre("public.customers.old", "public.customers.gone"))
      << "there is no such column any more";
  EXPECT_THAT(found(Masked("public.customers.naem,public.customers.email")),
              ElementsAre("public.customers.naem"));
  encode::ColumnOptions apart = Masked("public.customers.mail");
  apart.exclude = RegexList::OfChecked("public.customers.email");
  EXPECT_THAT(found(apart), ElementsAre("public.customers.mail")) << "of another property";
}

TEST(ColumnEntries, TheHintCorrectsTheEntry) {
  const auto found = FindIdleColumns(Masked("public.customers.naem"), kNames);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(
      replication::CaptureHint({&found.front()},
                               {.called = {.who = "shop", .where = "http://h:1", .name = "shop"}}),
      testing::AllOf(testing::StartsWith("if public.customers.name is meant: curl -s "),
                     testing::HasSubstr(
                         "{\"column.mask.with.4.chars\": ([.[\"column.mask.with.4.chars\"] // "),
                     testing::HasSubstr("http://h:1/connectors/shop/config -d @-"),
                     testing::HasSubstr("where they are gone, take the entries out")));
}

}  // namespace
}  // namespace walduct::slot
