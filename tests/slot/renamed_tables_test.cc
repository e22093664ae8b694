// Tables that go on under another name, while lists of names change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "slot/incremental/new_tables.h"

namespace walduct::slot {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

postgres::TableName Named(uint32_t relation, const std::string& table) {
  return {.relation = Oid{relation}, .schema = "public", .table = table};
}

replication::Coverage Sent(const std::vector<postgres::TableName>& tables) {
  replication::Coverage coverage{.publication = Oid{900}, .names_others = {}, .tables = {}};
  for (const postgres::TableName& table : tables)
    coverage.tables[table.relation] = {.named_by = {Oid{ToInteger(table.relation) + 1000}},
                                       .sent = true};
  return coverage;
}

// A process, from its start on; what goes with its positions is the next one's.
class Process {
 public:
  Process(const std::string& lists, const std::vector<postgres::TableName>& captured,
          const std::string& member) {
    tables_ =
        NewTables::Create({.lists = lists,
                           .signal_table = "",
                           .lacks =
                               [this](const replication::CaptureFinding& finding) {
                                 lacks_.push_back(absl::StrCat(finding.reason, " ", finding.table));
                                 return true;
                               },
                           .ledger = &ledger_},
                          captured, member);
    tables_->Begin(Sent(captured));
  }

  // left_out: OIDs of tables that are there, and that the lists leave out.
  void Saw(const std::vector<postgres::TableName>& captured, std::vector<Oid> left_out) {
    tables_->Saw(captured, Sent(captured), std::move(left_out));
  }
  std::string Member() { return event::FindMember(ledger_.At(0), event::kTablesMember); }
  const std::vector<std::string>& lacks() const { return lacks_; }

 private:
  Ledger ledger_;
  std::vector<std::string> lacks_;
  std::unique_ptr<NewTables> tables_;
};

// Changes under the new name were passed over until the lists had it.
TEST(RenamedTables, TheListsFollowTheNewName) {
  Process before("a,b", {Named(1, "a"), Named(2, "b")}, "");
  before.Saw({Named(1, "a")}, {Oid{2}});
  Process after("a,b2", {Named(1, "a"), Named(2, "b2")}, before.Member());
  EXPECT_THAT(after.lacks(), ElementsAre("table_was_not_published public.b2"));
  Process again("a,b2", {Named(1, "a"), Named(2, "b2")}, after.Member());
  EXPECT_THAT(again.lacks(), ElementsAre("table_was_not_published public.b2"))
      << "until it is read";
}

TEST(RenamedTables, AlsoAfterManyLooks) {
  Process before("a,b", {Named(1, "a"), Named(2, "b")}, "");
  for (int look = 0; look < 3; ++look) before.Saw({Named(1, "a")}, {Oid{2}, Oid{7}});
  EXPECT_THAT(before.Member(), HasSubstr("left"));
  Process other("a,c", {Named(1, "a")}, before.Member());
  other.Saw({Named(1, "a")}, {Oid{2}});
  Process after("a,b2", {Named(1, "a"), Named(2, "b2")}, other.Member());
  EXPECT_THAT(after.lacks(), ElementsAre("table_was_not_published public.b2"));
  EXPECT_THAT(after.Member(), Not(HasSubstr("left")));
}

// The same lists have both names: what was done in between was passed over all the same.
TEST(RenamedTables, ASecondNameThatTheListsHave) {
  Process process("a,b.*", {Named(1, "a"), Named(2, "b")}, "");
  for (int look = 0; look < 2; ++look) process.Saw({Named(1, "a")}, {Oid{2}});
  process.Saw({Named(1, "a"), Named(2, "b2")}, {});
  EXPECT_THAT(process.lacks(), ElementsAre("table_was_not_published public.b2"));
}

// A table takes another one's name, which goes on under one that the lists lack.
TEST(RenamedTables, AnotherTableHasItsName) {
  Process before("a,b", {Named(1, "a"), Named(2, "b")}, "");
  for (int look = 0; look < 2; ++look) before.Saw({Named(1, "a"), Named(9, "b")}, {Oid{2}});
  Process after("a,b,b_old", {Named(1, "a"), Named(9, "b"), Named(2, "b_old")}, before.Member());
  EXPECT_THAT(after.lacks(), Contains("table_was_not_published public.b_old"));
  EXPECT_THAT(after.Member(), Not(HasSubstr("left")));
}

TEST(RenamedTables, OneOfManyThatTheListsLeaveOut) {
  std::vector<postgres::TableName> many, rest;
  for (uint32_t i = 1; i <= 600; ++i) many.push_back(Named(i, absl::StrCat("t", 1000 + i)));
  rest.assign(many.begin(), many.end() - 1);
  Process all("all", many, "");
  Process shorter("shorter", rest, all.Member());
  Process again("all", many, shorter.Member());
  EXPECT_THAT(again.lacks(), ElementsAre("table_was_not_published public.t1600"));
}

TEST(RenamedTables, WhatIsDroppedIsForgotten) {
  Process process("a,b.*", {Named(1, "a"), Named(2, "b")}, "");
  for (int look = 0; look < 2; ++look) process.Saw({Named(1, "a")}, {});
  EXPECT_THAT(process.Member(), Not(HasSubstr("left")));
}

TEST(RenamedTables, ARenameWithinTheListsIsNoGap) {
  Process process("a,b.*", {Named(1, "a"), Named(2, "b")}, "");
  process.Saw({Named(1, "a"), Named(2, "b2")}, {});
  EXPECT_THAT(process.lacks(), IsEmpty());
  Process after("a,b.*", {Named(1, "a"), Named(2, "b2")}, process.Member());
  EXPECT_THAT(after.lacks(), IsEmpty());
}

// One that was never captured is new, whatever the lists were.
TEST(RenamedTables, AnotherTableThatTheListsHaveNow) {
  Process before("a", {Named(1, "a")}, "");
  before.Saw({Named(1, "a")}, {Oid{3}});
  Process after("a,c", {Named(1, "a"), Named(3, "c")}, before.Member());
  EXPECT_THAT(after.lacks(), IsEmpty());
}

}  // namespace
}  // namespace walduct::slot
