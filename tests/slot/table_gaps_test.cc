#include "slot/incremental/table_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

using postgres::TableName;
using replication::Coverage;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = TableGap::Kind;

constexpr Oid kPublication{900};

TableName Named(uint32_t relation, const std::string& table = "a") {
  return {.relation = Oid{relation}, .schema = "public", .table = table};
}

Coverage::Table By(std::initializer_list<uint32_t> names) {
  Coverage::Table table{.named_by = {}, .sent = true};
  for (const uint32_t name : names) table.named_by.push_back(Oid{name});
  return table;
}

// public.a, as OID 1.
KnownTables Known(std::initializer_list<uint32_t> names) {
  KnownTables known;
  known.publication = kPublication;
  known.tables["public.a"] = {.relation = Oid{1}, .named_by = By(names).named_by};
  return known;
}

// "kind was" of each.
std::vector<std::string> Gaps(const KnownTables& known, const TableName& table,
                              const Coverage::Table& now, Coverage coverage = {},
                              bool same_lists = true) {
  if (coverage.publication == Oid{}) coverage.publication = kPublication;
  coverage.tables[table.relation] = now;
  std::vector<std::string> gaps;
  for (const TableGap& gap : FindGaps(known, same_lists, {table}, coverage))
    gaps.push_back(absl::StrCat(static_cast<int>(gap.kind), " ", ToInteger(gap.was)));
  return gaps;
}
std::vector<std::string> One(Kind kind, uint32_t was) {
  return {absl::StrCat(static_cast<int>(kind), " ", was)};
}

Coverage::Table Placed(Coverage::Table table) {
  table.placed_later = true;
  return table;
}
const Coverage kAll = {
    .publication = kPublication, .all_tables = true, .names_others = {}, .tables = {}};

TEST(TableGapsTest, WhatGoesOnIsNone) {
  EXPECT_THAT(Gaps(Known({11}), Named(1), By({11})), IsEmpty());
  EXPECT_THAT(Gaps(Known({}), Named(1), By({}), kAll), IsEmpty());
  EXPECT_THAT(Gaps(Known({11, 12}), Named(1), By({12})), IsEmpty()) << "one of them is enough";
}

TEST(TableGapsTest, AnotherTableUnderTheName) {
  EXPECT_EQ(Gaps(Known({11}), Named(2), By({12})), One(Kind::kAnew, 1));
}

TEST(TableGapsTest, LeftThePublicationAndCameBack) {
  EXPECT_EQ(Gaps(Known({11}), Named(1), By({12})), One(Kind::kBack, 1));
}

TEST(TableGapsTest, WhatIsNotSentIsSomebodyElsesMatter) {
  EXPECT_THAT(Gaps(Known({11}), Named(2), {}), IsEmpty());
}

TEST(TableGapsTest, AllOfATableThatIsMadeUnderAPublicationForAllComes) {
  EXPECT_EQ(Gaps(Known({}), Named(2), By({}), kAll), One(Kind::kReplaced, 1));
  EXPECT_THAT(Gaps(Known({}), Named(2, "b"), By({}), kAll), IsEmpty());
}

TEST(TableGapsTest, WhatItHadUnderAnotherNameDoesNot) {
  EXPECT_EQ(Gaps(Known({}), Named(2), Placed(By({})), kAll), One(Kind::kPlaced, 1)) << "a swap";
  EXPECT_EQ(Gaps(Known({}), Named(2, "b"), Placed(By({})), kAll), One(Kind::kPlaced, 0));
  Coverage::Table moved = By({});
  moved.schema_changed = true;
  EXPECT_EQ(Gaps(Known({}), Named(2), moved, kAll), One(Kind::kMoved, 1)) << "schemas swapped";
  EXPECT_THAT(Gaps(Known({}), Named(2, "b"), moved, kAll), IsEmpty()) << "a GRANT changes it, too";
}

TEST(TableGapsTest, ATableThatWasEmptyUnderItsOtherNameLacksNothing) {
  Coverage::Table empty = Placed(By({}));
  empty.placed_empty = true;
  EXPECT_EQ(Gaps(Known({}), Named(2), empty, kAll), One(Kind::kReplaced, 1));
  EXPECT_THAT(Gaps(Known({}), Named(2, "b"), empty, kAll), IsEmpty());
  // Named by the publication while it was empty, and filled before it had this name.
  Coverage::Table whole = Placed(By({12}));
  whole.whole = true;
  EXPECT_EQ(Gaps(Known({11}), Named(2), whole), One(Kind::kPlaced, 1));
  EXPECT_EQ(Gaps(Known({11}), Named(2, "b"), whole), One(Kind::kPlaced, 0));
}

// The transaction that ended it, against the oldest that ran when a snapshot took its first view,
// and, where that is not the same, when nobody was found open who had written to the table.
TEST(TableGapsTest, AGapThatASnapshotHasSeenTheEndOf) {
  Coverage coverage = kAll;
  coverage.settings = "iudt 4294967290o";
  coverage.tables[Oid{1}] = By({12});
  TableName table = Named(1);
  const auto found = [&](Kind kind, uint64_t oldest, uint32_t quiet, uint64_t since) {
    return EndedBefore(
        {.kind = kind, .table = table, .link = "5/700"}, coverage,
        {.next_xid = oldest + 5, .oldest = oldest, .quiet = Oid{quiet}, .quiet_oldest = since});
  };
  const auto ended = [&](Kind kind, uint64_t oldest) { return found(kind, oldest, 1, oldest); };
  EXPECT_FALSE(ended(Kind::kBack, 701)) << "not known";
  coverage.tables[Oid{1}].named_at = 700;
  for (const Kind kind : {Kind::kNew, Kind::kAnew, Kind::kBack, Kind::kAttached}) {
    EXPECT_TRUE(ended(kind, 701));
    EXPECT_FALSE(ended(kind, 700)) << "it was running";
  }
  EXPECT_FALSE(ended(Kind::kPlaced, 701));
  coverage.tables[Oid{1}].placed_at = 650;
  EXPECT_TRUE(ended(Kind::kLess, 4294967296 + 5)) << "the lower half of an id";
  EXPECT_FALSE(ended(Kind::kLess, 4294967289));
  EXPECT_FALSE(ended(Kind::kLogged, 701)) << "nothing says when";
  for (const Kind kind : {Kind::kNew, Kind::kAnew, Kind::kBack}) {
    EXPECT_FALSE(found(kind, 701, 0, 0)) << "a younger one is open, and had written to it";
    EXPECT_FALSE(found(kind, 701, 2, 701)) << "another table";
    EXPECT_FALSE(found(kind, 701, 1, 700)) << "it was running when they were looked for";
  }
  EXPECT_FALSE(found(Kind::kLess, 4294967296 + 5, 0, 0));
  for (const Kind kind : {Kind::kPlaced, Kind::kAttached})
    EXPECT_TRUE(found(kind, 701, 0, 0)) << "it had shut out who writes";
  table.partitioned = true;
  EXPECT_FALSE(found(Kind::kPlaced, 701, 0, 0)) << "not who writes to a partition";
  EXPECT_TRUE(found(Kind::kPlaced, 701, 1, 701));
}

TEST(TableGapsTest, AllOfATableThatIsMadeInAPublishedSchemaOrRootComes) {
  KnownTables known = Known({11});
  known.names_others = {Oid{50}};
  const Coverage whole = {.publication = kPublication, .names_others = {Oid{50}}, .tables = {}};
  EXPECT_THAT(Gaps(known, Named(2, "leaf"), By({50}), whole), IsEmpty());
  EXPECT_EQ(Gaps(known, Named(2, "leaf"), Placed(By({50})), whole), One(Kind::kPlaced, 0))
      << "attached with rows";
  EXPECT_EQ(Gaps(Known({11}), Named(2, "leaf"), By({50}), whole), One(Kind::kNew, 0))
      << "the root is new in the publication, too";
}

// A root, or a schema, brings what is made under it, but for what it has not been judged of itself.
TEST(TableGapsTest, WhatIsHeldBackIsJudgedAsItWasBefore) {
  KnownTables known = Known({11});
  known.seen = "3:4:";
  Coverage held = {
      .publication = kPublication, .names_others = {Oid{50}}, .tables = {}, .seen = "7:9:"};
  held.since = "3:4:";
  held.attached = {{.table = Oid{2}, .partition = Oid{5}, .name = "public.part", .link = "5/8"}};
  held.tables[Oid{2}] = By({50});
  held.tables[Oid{2}].HoldBack();
  held.tables[Oid{3}] = By({50});
  const std::vector<TableName> captured = {Named(2), Named(3, "b")};
  const std::vector<TableGap> first = FindGaps(known, true, captured, held);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].table.table, "b") << "nobody may write to it: it is judged at once";
  const KnownTables now = KnowNow(known, captured, held);
  EXPECT_THAT(now.names_others, IsEmpty());
  EXPECT_EQ(now.seen, "3:4:");
  EXPECT_EQ(now.tables.at("public.a"), known.tables.at("public.a"));
  const Coverage sent = {.publication = kPublication, .names_others = {Oid{50}}, .tables = {}};
  EXPECT_EQ(Gaps(now, Named(2), By({50}), sent), One(Kind::kAnew, 1));
  EXPECT_EQ(Gaps(now, Named(4, "c"), By({50}), sent), One(Kind::kNew, 0));
  // What was there before is known to bring what is made under it.
  known.names_others = {Oid{50}};
  EXPECT_EQ(KnowNow(known, captured, held).names_others, known.names_others);
  EXPECT_EQ(Gaps(KnowNow(known, captured, held), Named(2), By({50}), sent),
            One(Kind::kReplaced, 1));
}

TEST(TableGapsTest, OtherListsMakeATableNewWhateverNamesIt) {
  EXPECT_EQ(Gaps(Known({}), Named(2, "b"), By({}), kAll, false), One(Kind::kNew, 0));
}

TEST(TableGapsTest, WhatWasNotStoredIsNotHeldAgainstATable) {
  KnownTables names = Known({});
  names.publication = Oid{};
  names.tables["public.a"] = {};
  EXPECT_THAT(Gaps(names, Named(2), By({12})), IsEmpty()) << "OIDs were not stored";
  EXPECT_EQ(Gaps(names, Named(2, "b"), By({12})), One(Kind::kNew, 0));
  KnownTables merged = Known({});
  merged.publication = Oid{};
  EXPECT_THAT(Gaps(merged, Named(1), By({12})), IsEmpty()) << "another slot's publication";
  EXPECT_EQ(Gaps(merged, Named(2), By({12})), One(Kind::kAnew, 1));
}

TEST(TableGapsTest, WhatHadNoRowBeforeItWasNamedIsNone) {
  Coverage::Table now = By({12});
  now.whole = true;
  EXPECT_THAT(Gaps(Known({11}), Named(2, "b"), now), IsEmpty()) << "new, and empty";
  EXPECT_EQ(Gaps(Known({11}), Named(2), now), One(Kind::kReplaced, 1));
  EXPECT_EQ(Gaps(Known({11}), Named(1), now), One(Kind::kBack, 1)) << "rows may have been deleted";
}

// Letters, and what has written them last.
TEST(TableGapsTest, APublicationThatSentLessLeavesAGapInEachTable) {
  const auto kinds = [](const std::string& before, const std::string& after,
                        std::initializer_list<uint32_t> names = {11}) {
    KnownTables known = Known({11});
    known.settings = before;
    Coverage coverage = {
        .publication = kPublication, .settings = after, .names_others = {}, .tables = {}};
    coverage.tables[Oid{1}] = By(names);
    coverage.tables[Oid{2}] = By({12});
    const std::vector<TableName> captured = {Named(1), Named(2, "b")};
    std::vector<TableGap> gaps = FindGaps(known, true, captured, coverage);
    AddNarrower(known, captured, coverage, "iud", &gaps);
    std::string text;
    for (const TableGap& gap : gaps) absl::StrAppend(&text, static_cast<int>(gap.kind), " ");
    return text;
  };
  const std::string is_new = absl::StrCat(static_cast<int>(Kind::kNew), " ");
  const std::string less = absl::StrCat(static_cast<int>(Kind::kLess), " ");
  EXPECT_EQ(kinds("iudt 700", "iudt 700"), is_new);
  EXPECT_EQ(kinds("it 700", "iudt 701"), is_new + less) << "the gap is closed";
  EXPECT_EQ(kinds("iudt 700", "iudt 702"), is_new + less) << "perhaps nobody has looked meanwhile";
  EXPECT_EQ(kinds("iudt 700", "it 701"), is_new) << "it is open";
  EXPECT_EQ(kinds("iud 700", "iudt 701"), is_new) << "nobody wants truncates";
  EXPECT_EQ(kinds("iudt 700", "iudtr 701"), is_new) << "other names";
  EXPECT_EQ(kinds("iudt 700", "iudt 701o"), is_new) << "another owner";
  EXPECT_EQ(kinds("iudt 700", "iudt 700o"), is_new) << "stored by one that did not look for it";
  EXPECT_EQ(kinds("", "iudt 700"), is_new) << "not known";
  EXPECT_EQ(kinds("it 700", "iudt 701", {13}),
            absl::StrCat(static_cast<int>(Kind::kBack), " ", is_new))
      << "one is enough";
}

// Its name alone differs; OIDs of its tables go with their filters and lists.
TEST(TableGapsTest, APublicationThatWasRenamedHasSentAsMuch) {
  const auto gaps = [](const std::string& called, const std::string& before, const std::string& now,
                       uint32_t publication = 900, uint32_t named_by = 11) {
    KnownTables known = Known({11});
    known.called = called;
    known.settings = before;
    Coverage coverage = {.publication = Oid{publication},
                         .name = "new",
                         .settings = now,
                         .names_others = {},
                         .tables = {}};
    coverage.tables[Oid{1}] = By({named_by});
    std::vector<TableGap> found = FindGaps(known, true, {Named(1)}, coverage);
    AddNarrower(known, {Named(1)}, coverage, "iud", &found);
    std::vector<Kind> kinds;
    for (const TableGap& gap : found) kinds.push_back(gap.kind);
    return kinds;
  };
  using testing::ElementsAre;
  EXPECT_THAT(gaps("old", "iudt 700", "iudt 701"), IsEmpty());
  EXPECT_THAT(gaps("new", "iudt 700", "iudt 701"), ElementsAre(Kind::kLess)) << "not renamed";
  EXPECT_THAT(gaps("", "iudt 700", "iudt 701"), ElementsAre(Kind::kLess)) << "not known";
  EXPECT_THAT(gaps("old", "it 700", "iudt 701"), ElementsAre(Kind::kLess)) << "and sent less";
  EXPECT_THAT(gaps("old", "iudt 700", "iudt 701", 900, 12), ElementsAre(Kind::kBack));
  EXPECT_THAT(gaps("old", "iudt 700", "iudt 701", 901), IsEmpty()) << "another publication";
  EXPECT_THAT(gaps("old", "it 700", "iudt 700", 901), ElementsAre(Kind::kLess))
      << "another one, and the one before it sent less";
}

TEST(TableGapsTest, ThePublicationIsKnownByTheNameThatItHas) {
  const Coverage coverage = {
      .publication = kPublication, .name = "new", .names_others = {}, .tables = {}};
  KnownTables known = Known({11});
  known.called = "old";
  EXPECT_TRUE(WasRenamed(known, coverage));
  const KnownTables now = KnowNow(known, {}, coverage);
  EXPECT_EQ(now.called, "new");
  EXPECT_FALSE(WasRenamed(now, coverage));
  EXPECT_EQ(KnowNow(known, {}, {}).called, "old") << "it is gone, by that name";
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(now)), now);
}

// publish_via_partition_root was changed, and changed back.
TEST(TableGapsTest, WhatWasSentUnderAnotherNameForAWhileIsBack) {
  for (const bool all : {false, true}) {
    Coverage leaves = all ? kAll : Coverage{};
    leaves.publication = kPublication;
    const Coverage back = leaves;
    const KnownTables known = all ? Known({}) : Known({11});
    const Coverage::Table now = all ? By({}) : By({11});
    (leaves.tables[Oid{1}] = now).sent = false;
    const KnownTables away = KnowNow(known, {Named(1)}, leaves);
    EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(away)), away);
    EXPECT_EQ(Gaps(away, Named(1), now, back), One(Kind::kBack, 1));
    EXPECT_THAT(Gaps(known, Named(1), now, back), IsEmpty());
    leaves.tables[Oid{1}].HoldBack();
    EXPECT_EQ(KnowNow(known, {Named(1)}, leaves).tables, known.tables) << "it is judged later";
  }
}

// Changes from between would have ended the stream.
TEST(TableGapsTest, AnotherPublicationNamesAllAnew) {
  const Coverage other = {.publication = Oid{901}, .names_others = {}, .tables = {}};
  EXPECT_THAT(Gaps(Known({11}), Named(1), By({12}), other), IsEmpty());
  EXPECT_EQ(Gaps(Known({11}), Named(2), By({12}), other), One(Kind::kAnew, 1));
}

// publication.name was set to another one's, and set back.
TEST(TableGapsTest, WhatAnotherPublicationLeftOutIsBackWithTheFormerOne) {
  Coverage other = {.publication = Oid{901}, .names_others = {}, .tables = {}};
  other.tables[Oid{1}] = {};
  const KnownTables away = KnowNow(Known({11}), {Named(1)}, other);
  EXPECT_EQ(Gaps(away, Named(1), By({11})), One(Kind::kBack, 1));
  other.publication = Oid{902};
  EXPECT_EQ(Gaps(away, Named(1), By({13}), other), One(Kind::kBack, 1));
  const KnownTables further = KnowNow(away, {Named(1)}, other);
  EXPECT_EQ(Gaps(further, Named(1), By({11})), One(Kind::kBack, 1)) << "over two of them";
}

TEST(TableGapsTest, WhatIsCapturedAndNotSentNowStaysAsItWas) {
  Coverage coverage = {.publication = kPublication, .names_others = {}, .tables = {}};
  coverage.tables[Oid{1}] = {};
  KnownTables now = KnowNow(Known({11}), {Named(1), Named(2, "b")}, coverage);
  EXPECT_EQ(now.tables, Known({11}).tables);
  EXPECT_EQ(Gaps(now, Named(1), By({12})), One(Kind::kBack, 1)) << "it came back";
}

// It may have another name, by which it goes on.
TEST(TableGapsTest, APublicationThatIsGoneIsKnownByItsOid) {
  Coverage gone;
  gone.tables[Oid{1}] = {};
  KnownTables known = Known({11});
  known.names_others = {Oid{50}};
  known.settings = "iudt 7";
  EXPECT_EQ(KnowNow(known, {Named(1)}, gone), known);
  EXPECT_EQ(KnowNow({}, {}, gone).publication, Oid{}) << "nobody has ever seen one";
  const Coverage other = {.publication = Oid{901}, .names_others = {}, .tables = {}};
  EXPECT_EQ(KnowNow(known, {}, other).publication, Oid{901});
}

TEST(TableGapsTest, WhatWasNotInTheWalIsKnownUntilItIs) {
  Coverage coverage{
      .publication = kPublication, .all_tables = true, .names_others = {}, .tables = {}};
  coverage.tables[Oid{1}].unlogged = true;
  coverage.tables[Oid{2}].unlogged = true;
  const KnownTables away = KnowNow(Known({}), {Named(1), Named(2, "fresh")}, coverage);
  EXPECT_TRUE(away.tables.at("public.a").unlogged);
  EXPECT_EQ(away.tables.at("public.fresh").relation, Oid{2}) << "it has never been sent";
  EXPECT_THAT(Gaps(away, Named(1), {}, kAll), IsEmpty()) << "it still is";
  EXPECT_EQ(Gaps(away, Named(1), By({}), kAll), One(Kind::kLogged, 1));
  EXPECT_EQ(Gaps(away, Named(2, "fresh"), By({}), kAll), One(Kind::kLogged, 2));
  EXPECT_EQ(Gaps(away, Named(3), By({}), kAll), One(Kind::kReplaced, 1)) << "another table";
  Coverage::Table whole = By({});
  coverage.tables[Oid{1}] = whole;
  EXPECT_FALSE(KnowNow(away, {Named(1)}, coverage).tables.at("public.a").unlogged);
  whole.unlogged = true;
  EXPECT_THAT(Gaps(away, Named(1), whole, kAll), IsEmpty()) << "a partition of it is";
}

TEST(TableGapsTest, NewFilesOfANewTable) {
  Coverage::Table rewritten = By({});
  rewritten.rewritten = true;
  EXPECT_EQ(Gaps(Known({}), Named(2, "b"), rewritten, kAll), One(Kind::kRewritten, 0));
  EXPECT_THAT(Gaps(Known({}), Named(1), rewritten, kAll), IsEmpty()) << "VACUUM FULL";
}

TEST(TableGapsTest, WhatIsAttachedHadRows) {
  Coverage coverage = kAll;
  coverage.since = "7:9:";
  coverage.attached = {{.table = Oid{1},
                        .partition = Oid{5},
                        .name = "public.part",
                        .condition = "id > 1",
                        .link = "5/8"}};
  const auto gaps = [&](const KnownTables& known) {
    coverage.tables[Oid{1}] = By({});
    return FindGaps(known, true, {Named(1)}, coverage);
  };
  const std::vector<TableGap> found = gaps(Known({}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kAttached);
  EXPECT_EQ(found[0].partition, "public.part");
  EXPECT_EQ(found[0].condition, "id > 1");
  KnownTables other = Known({});
  other.lists = "x";
  other.tables.clear();
  coverage.all_tables = false;
  const std::vector<TableGap> whole = gaps(other);
  ASSERT_EQ(whole.size(), 1u) << "the whole table is new";
  EXPECT_EQ(whole[0].kind, Kind::kNew);
  // All of the new root is sent, and what one of its partitions had from before is not.
  KnownTables former = Known({});
  former.tables["public.a"].relation = Oid{9};
  coverage.all_tables = true;
  const std::vector<TableGap> replaced = gaps(former);
  ASSERT_EQ(replaced.size(), 2u);
  EXPECT_EQ(replaced[0].kind, Kind::kReplaced);
  EXPECT_EQ(replaced[1].kind, Kind::kAttached);
  // One that comes under its own name: known it is no news, else it has had another parent.
  coverage.attached = {{.table = Oid{1}, .partition = Oid{1}, .name = "public.a", .link = "1/8"}};
  EXPECT_EQ(gaps(Known({11})).at(0).kind, Kind::kBack) << "it was no partition for a while";
  coverage.tables[Oid{1}].by_itself = true;
  EXPECT_THAT(FindGaps(Known({11}), true, {Named(1)}, coverage), IsEmpty());
  KnownTables none = Known({});
  none.tables.clear();
  EXPECT_EQ(gaps(none)[0].kind, Kind::kPlaced);
}

TEST(TableGapsTest, WhatWasSeenMovesOnWithLooksThatWereToldOfIt) {
  Coverage coverage = kAll;
  coverage.seen = "7:9:";
  EXPECT_EQ(KnowNow({}, {}, coverage).seen, "7:9:");
  KnownTables known;
  known.seen = "3:4:";
  EXPECT_EQ(KnowNow(known, {}, coverage).seen, "3:4:") << "nobody asked who was attached";
  coverage.since = "3:4:";
  EXPECT_EQ(KnowNow(known, {}, coverage).seen, "7:9:");
}

// A schema "a.b" with a table c, a schema a with a table "b.c".
TEST(TableGapsTest, NamesWithDotsAreNotOne) {
  const TableName one{.relation = Oid{1}, .schema = "a.b", .table = "c"};
  const TableName other{.relation = Oid{2}, .schema = "a", .table = "b.c"};
  Coverage coverage = kAll;
  coverage.tables[Oid{1}] = By({});
  coverage.tables[Oid{2}] = By({});
  const KnownTables known = KnowNow({}, {one, other}, coverage);
  EXPECT_THAT(known.tables, testing::SizeIs(2));
  EXPECT_THAT(FindGaps(known, true, {one, other}, coverage), IsEmpty());
  // As it was once stored.
  KnownTables joined;
  joined.publication = kPublication;
  joined.tables["a.b.c"] = {.relation = Oid{1}};
  EXPECT_EQ(FindKnown(joined, one)->relation, Oid{1});
  EXPECT_EQ(FindKnown(joined, {.relation = Oid{7}, .schema = "a.b", .table = "c"}), nullptr);
  EXPECT_THAT(KnowNow(joined, {one}, coverage).tables,
              testing::Contains(testing::Key("\"a.b\".c")));
}

std::string Settings(const std::string& before, const std::string& now,
                     const std::string& wanted = "iud") {
  replication::Coverage coverage;
  coverage.publication = Oid{9};
  coverage.settings = now;
  return DescribeSettings({.publication = Oid{9}, .settings = before}, coverage, wanted);
}

TEST(TableGapsTest, SettingsThatSendLessThanBefore) {
  EXPECT_THAT(Settings("iudtr 7", "itr 8"), testing::HasSubstr("any more: updates, deletes"));
  EXPECT_EQ(Settings("iudt 7", "iud 8"), "") << "truncates are skipped";
  EXPECT_THAT(Settings("iudt 7", "iud 8", "iudt"), testing::HasSubstr("truncates"));
  EXPECT_THAT(Settings("iudg 7", "iud 8"), testing::HasSubstr("generated columns"));
  EXPECT_THAT(Settings("iudtr 7", "iudt 8"), testing::HasSubstr("under other names"));
  EXPECT_EQ(Settings("iu 7", "iud 8"), "") << "more";
}

// Nobody knows what was so in between.
TEST(TableGapsTest, SettingsThatWereAlteredAndAlteredBack) {
  EXPECT_THAT(Settings("iudt 7", "iudt 9"), testing::HasSubstr("altered"));
  EXPECT_EQ(Settings("iudt 7", "iudt 7"), "");
  EXPECT_EQ(Settings("", "iudt 7"), "") << "of an older version's position";
  replication::Coverage renamed;
  renamed.publication = Oid{9};
  renamed.name = "new";
  renamed.settings = "iudt 9";
  KnownTables known{.publication = Oid{9}, .called = "old", .settings = "iudt 7"};
  EXPECT_EQ(DescribeSettings(known, renamed, "iud"), "");
  renamed.settings = "iut 9";
  EXPECT_THAT(DescribeSettings(known, renamed, "iud"), testing::HasSubstr("any more: deletes"));
  replication::Coverage other;
  other.publication = Oid{10};
  other.settings = "i 8";
  EXPECT_EQ(DescribeSettings({.publication = Oid{9}, .settings = "iud 7"}, other, "iud"), "");
}

std::string Back(const std::string& before, const std::string& after) {
  replication::Coverage now;
  now.settings = after;
  return SettingsBack({.settings = before}, now, "pub_b");
}

TEST(SettingsBack, NamesWhatWasSentAndWhatIsSent) {
  EXPECT_EQ(Back("iud 7", "i 8"),
            "ALTER PUBLICATION \"pub_b\" SET (publish = 'insert, update, delete'), or "
            "skipped.operations where it is meant");
}

TEST(SettingsBack, NamesTheSettingThatWasAltered) {
  EXPECT_EQ(Back("iudtr 7", "iudt 8"),
            "ALTER PUBLICATION \"pub_b\" SET (publish_via_partition_root = true)");
  EXPECT_EQ(Back("iudt 7", "iudtr 8"),
            "ALTER PUBLICATION \"pub_b\" SET (publish_via_partition_root = false)");
  EXPECT_EQ(Back("iudg 7", "iud 8"),
            "ALTER PUBLICATION \"pub_b\" SET (publish_generated_columns = stored)");
  EXPECT_THAT(Back("iudtr 7", "iu 8"),
              testing::HasSubstr("(publish = 'insert, update, delete, truncate', "
                                 "publish_via_partition_root = true), or"));
  EXPECT_EQ(Back("iudt 7", "iudt 9"), "") << "nothing is to be altered";
}

}  // namespace
}  // namespace walduct::slot
