#include "slot/masks/mask_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "encode/options/column_options.h"
#include "java/regex/regex_list.h"
#include "route/message_keys.h"
#include "slot/masks/column_cover.h"
#include "slot/masks/mask_guard.h"
#include "slot/masks/mask_memory.h"

namespace walduct::slot {
namespace {

using encode::ColumnMaskKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = MaskLoss::Kind;

std::shared_ptr<const java::RegexList> List(const std::string& text) {
  return java::RegexList::OfChecked(text);
}

encode::ColumnOptions Masking(const std::string& list,
                              ColumnMaskKind kind = ColumnMaskKind::kStars) {
  encode::ColumnOptions options;
  encode::ColumnMask& mask = options.masks.emplace_back();
  mask.kind = kind;
  mask.length = 12;
  mask.columns = List(list);
  mask.property = "column.mask.with.12.chars";
  return options;
}

ColumnCover CoverOf(const encode::ColumnOptions& options) { return {options, std::nullopt}; }

KnownColumns Table(const std::vector<KnownColumn>& columns, uint32_t oid = 1,
                   const std::string& name = "people") {
  return {.relation = Oid{oid}, .schema = "public", .table = name, .columns = columns};
}

const KnownColumns kPeople = Table({{1, "id", false}, {2, "ssn"}, {3, "note"}});

auto Shown(const std::string& was, const std::string& is) {
  return AllOf(Field(&MaskLoss::kind, Kind::kShown), Field(&MaskLoss::was, "public." + was),
               Field(&MaskLoss::is, "public." + is));
}

TEST(MaskLossesTest, AColumnIsFollowedByItsNumber) {
  const ColumnCover cover = CoverOf(Masking("public.people.ssn"));
  EXPECT_THAT(FindLosses(kPeople, kPeople, cover), IsEmpty());
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}}), cover),
              ElementsAre(Shown("people.ssn", "people.ssn_no")));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {2, "note"}, {3, "ssn"}}), cover),
              ElementsAre(Shown("people.ssn", "people.note")))
      << "names have changed places";
  EXPECT_THAT(FindLosses(kPeople, Table(kPeople.columns, 1, "persons"), cover),
              ElementsAre(Shown("people.ssn", "persons.ssn")));
}

TEST(MaskLossesTest, WhatIsCoveredByAnyNameIsNotLost) {
  const ColumnCover cover = CoverOf(Masking("public.people.ssn.*,public.persons.ssn"));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}}), cover),
              IsEmpty());
  EXPECT_THAT(FindLosses(kPeople, Table(kPeople.columns, 1, "persons"), cover), IsEmpty());
}

TEST(MaskLossesTest, ADropShowsNothing) {
  const ColumnCover cover = CoverOf(Masking("public.people.ssn"));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {3, "note"}}), cover),
              ElementsAre(Field(&MaskLoss::kind, Kind::kGone)));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {3, "note"}, {4, "added"}}), cover),
              ElementsAre(Field(&MaskLoss::kind, Kind::kGone)))
      << "another number is another column";
}

TEST(MaskLossesTest, ACatalogThatIsAheadOfTheStream) {
  const ColumnCover cover = CoverOf(Masking("public.people.ssn"));
  // Renamed twice: the stream's name is not in the catalog any more.
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {0, "between"}, {3, "note"}}), cover),
              ElementsAre(Shown("people.ssn", "people.between")));
  // Renamed after these rows: they have the name that is known.
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {0, "ssn"}, {3, "note"}}), cover),
              IsEmpty());
  // Added and dropped: it is beside the column, not in its place.
  EXPECT_THAT(
      FindLosses(kPeople, Table({{1, "id", false}, {2, "ssn"}, {3, "note"}, {0, "new"}}), cover),
      IsEmpty());
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {2, "ssn"}, {0, "remark"}}), cover),
              IsEmpty());
  // Names changed places and back: number 2 is called ssn again, and here stands behind itself.
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {0, "x"}, {2, "ssn"}}), cover),
              ElementsAre(Shown("people.ssn", "people.x")));
}

TEST(MaskLossesTest, AnotherTableOfTheNameGoesByNames) {
  const ColumnCover cover = CoverOf(Masking("public.people.ssn"));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "ssn"}, {2, "id", false}}, 2), cover), IsEmpty());
  EXPECT_THAT(
      FindLosses(kPeople, Table({{1, "id", false}, {2, "tax_no"}, {3, "note"}}, 2), cover),
      ElementsAre(AllOf(Shown("people.ssn", "people.tax_no"), Field(&MaskLoss::guessed, true))));
  EXPECT_THAT(FindLosses(kPeople, Table({{1, "id", false}, {2, "note"}}, 2), cover),
              ElementsAre(Field(&MaskLoss::kind, Kind::kGone)));
}

TEST(MaskLossesTest, ATypeThatMasksDoNotApplyTo) {
  const KnownColumns retyped = Table({{1, "id", false}, {2, "ssn", false}, {3, "note"}});
  const auto losses = FindLosses(kPeople, retyped, CoverOf(Masking("public.people.ssn")));
  ASSERT_THAT(losses, ElementsAre(Shown("people.ssn", "people.ssn")));
  EXPECT_THAT(ErrorHint(LossError(losses[0])), HasSubstr("column.exclude.list"));
  EXPECT_THAT(FindLosses(retyped, retyped, CoverOf(Masking("public.people.ssn"))), IsEmpty())
      << "it never did";
}

TEST(MaskLossesTest, LessIsHiddenThanBefore) {
  encode::ColumnOptions options = Masking("public.people.ssn");
  encode::ColumnMask& cut = options.masks.emplace_back();
  cut.kind = ColumnMaskKind::kTruncate;
  cut.length = 3;
  cut.columns = List("public.people.(ssn_no|note)");
  cut.property = "column.truncate.to.3.chars";
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn_no"}, {3, "remark"}});
  EXPECT_THAT(
      FindLosses(kPeople, renamed, CoverOf(options)),
      ElementsAre(Shown("people.ssn", "people.ssn_no"), Shown("people.note", "people.remark")));
  options.exclude = List("public.people.(ssn_no|remark)");
  EXPECT_THAT(FindLosses(kPeople, renamed, CoverOf(options)), IsEmpty());
}

TEST(MaskLossesTest, MessageKeyColumns) {
  const ColumnCover cover({}, *route::MessageKeys::Parse("public.people:note;public.people:id"));
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn"}, {3, "re:mark"}});
  const auto losses = FindLosses(kPeople, renamed, cover);
  ASSERT_THAT(losses, ElementsAre(Field(&MaskLoss::kind, Kind::kNotInKey)));
  EXPECT_THAT(ErrorHint(LossError(losses[0])), HasSubstr("add public.people:re\\:mark to message"));
  EXPECT_THAT(FindLosses(kPeople, kPeople, cover), IsEmpty());
}

TEST(MaskLossesTest, AListOfWhatIsWantedIsAdvice) {
  encode::ColumnOptions options;
  options.include = List("public.people.(id|note)");
  const auto losses =
      FindLosses(kPeople, Table({{1, "id", false}, {2, "note"}, {3, "old"}}), CoverOf(options));
  EXPECT_THAT(losses, ElementsAre(Field(&MaskLoss::kind, Kind::kAdmitted),
                                  Field(&MaskLoss::kind, Kind::kNotSent)));
  for (const MaskLoss& loss : losses) EXPECT_FALSE(loss.stops());
}

TEST(MaskLossesTest, TheHintIsAnEntryThatMatches) {
  const KnownColumns odd = Table({{1, "id", false}, {2, "a,b (c)"}, {3, "note"}});
  const auto losses = FindLosses(kPeople, odd, CoverOf(Masking("public.people.ssn")));
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_TRUE(List("public.people.ssn, " + losses[0].entry)->Matches("public.people.a,b (c)"))
      << losses[0].entry;
  EXPECT_EQ(ErrorReason(LossError(losses[0])), "mask_lost");
}

// --- the guard ---

std::unique_ptr<MaskGuard> Guard(const encode::ColumnOptions& options, engine::WarnOnce* warn_once,
                                 const std::vector<KnownColumns>& now,
                                 const std::vector<KnownColumns>& known = {}) {
  auto guard = MaskGuard::Create(CoverOf(options), known, now, warn_once);
  return guard.ok() ? *std::move(guard) : nullptr;
}

event::TableSchema Streamed(const std::vector<std::pair<int16_t, std::string>>& columns,
                            uint32_t oid = 1, const std::string& name = "people") {
  event::TableSchema schema;
  schema.relation = Oid{oid};
  schema.schema = "public";
  schema.table = name;
  auto text = std::make_shared<event::Type>();
  text->oid = Oid{25};
  text->schema = "pg_catalog";
  text->name = "text";
  for (const auto& [attnum, column] : columns) {
    event::Column& one = schema.columns.emplace_back();
    one.name = column;
    one.type = text;
    one.attnum = attnum;
  }
  return schema;
}

TEST(MaskGuardTest, WhatTheCatalogHadAtTheStartCounts) {
  engine::WarnOnce warn_once;
  const auto guard = Guard(Masking("public.people.ssn"), &warn_once, {kPeople});
  EXPECT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "ssn"}, {3, "note"}})).ok());
  EXPECT_EQ(ErrorReason(guard->Judge(Streamed({{1, "id"}, {2, "ssn_no"}, {3, "note"}}))),
            "mask_lost");
  EXPECT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "other"}}, 9, "things")).ok());
}

TEST(MaskGuardTest, ANewPartitionOfARenamedColumn) {
  engine::WarnOnce warn_once;
  KnownColumns first = Table(kPeople.columns, 1, "people_1");
  first.parent = Oid{100};
  const auto guard = Guard(Masking("public.people_.*.ssn"), &warn_once, {first});
  const auto comes = [&](uint32_t oid, const std::string& name, uint32_t parent) {
    event::TableSchema schema =
        Streamed({{1, "id"}, {2, name}, {3, "note"}}, oid, "people_" + std::to_string(oid));
    schema.parent = Oid{parent};
    return guard->Judge(schema).ok();
  };
  EXPECT_TRUE(comes(2, "ssn", 100));
  EXPECT_FALSE(comes(3, "ssn_no", 100));
  EXPECT_TRUE(comes(4, "ssn_no", 101)) << "of another table";
  EXPECT_TRUE(comes(5, "ssn_no", 0));
}

TEST(MaskGuardTest, ItFollowsFromNameToName) {
  engine::WarnOnce warn_once;
  const auto guard = Guard(Masking("public.people.(ssn|tax)"), &warn_once, {kPeople});
  EXPECT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "tax"}, {3, "note"}})).ok());
  EXPECT_FALSE(guard->Judge(Streamed({{1, "id"}, {2, "open"}, {3, "note"}})).ok());
}

TEST(MaskGuardTest, TheNextProcessKnows) {
  engine::WarnOnce warn_once;
  const auto guard = Guard(Masking("public.people.ssn"), &warn_once, {kPeople});
  const auto known = DecodeMasks(guard->Member());
  ASSERT_TRUE(known.has_value());
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}});
  EXPECT_EQ(Guard(Masking("public.people.ssn"), &warn_once, {renamed}, *known), nullptr);
  EXPECT_NE(Guard(Masking("public.people.(ssn|ssn_no)"), &warn_once, {renamed}, *known), nullptr);
  EXPECT_NE(Guard(Masking("public.people.ssn_no"), &warn_once, {renamed}, *known), nullptr)
      << "the old name was taken out";
  EXPECT_NE(Guard({}, &warn_once, {renamed}, *known), nullptr);
  EXPECT_EQ(Guard(Masking("public.people.ssn"), &warn_once, {Table(renamed.columns, 7)}, *known),
            nullptr)
      << "created anew";
}

// So that an entry of the old name is known to be kept on purpose, by later processes too.
TEST(MaskGuardTest, FormerNamesGoWithThePosition) {
  engine::WarnOnce warn_once;
  const encode::ColumnOptions both = Masking("public.people.(ssn|ssn_no|tax_no)");
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}});
  const auto guard = Guard(both, &warn_once, {renamed}, {kPeople});
  ASSERT_NE(guard, nullptr);
  const FormerNames once = {{"public.people.ssn", "public.people.ssn_no"}};
  EXPECT_EQ(guard->former(), once);
  EXPECT_EQ(DecodeFormer(guard->Member()), once);
  ASSERT_TRUE(DecodeMasks(guard->Member()).has_value());
  EXPECT_EQ(DecodeFormer(MergeMasks({guard->Member(), ""})), once);
  // And again.
  const auto next =
      MaskGuard::Create(CoverOf(both), {renamed},
                        {Table({{1, "id", false}, {2, "tax_no"}, {3, "note"}})}, &warn_once, once);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ((*next)->former(), (FormerNames{{"public.people.ssn", "public.people.tax_no"},
                                            {"public.people.ssn_no", "public.people.tax_no"}}));
  // Names of what is not hidden are nobody's.
  EXPECT_THAT(Guard(Masking("public.people.note"), &warn_once, {renamed}, {kPeople})->former(),
              IsEmpty());
  EXPECT_THAT(DecodeFormer(R"("{\"tables\":[],\"former\":[[1,2],[\"a\"]]}")"), IsEmpty());
}

// A table that the lists leave out for a while comes back with the entries that it had.
TEST(MaskGuardTest, FormerNamesOutliveTheTable) {
  engine::WarnOnce warn_once;
  const encode::ColumnOptions both = Masking("public.people.(ssn|ssn_no)");
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}});
  const FormerNames once = {{"public.people.ssn", "public.people.ssn_no"}};
  const auto away = MaskGuard::Create(CoverOf(both), {renamed}, {}, &warn_once, once);
  ASSERT_TRUE(away.ok());
  EXPECT_THAT((*away)->Known(), IsEmpty());
  EXPECT_EQ(DecodeFormer((*away)->Member()), once);
  EXPECT_EQ(DecodeFormer(MergeMasks({(*away)->Member()})), once);
  const auto known = DecodeMasks((*away)->Member());
  ASSERT_TRUE(known.has_value());
  EXPECT_THAT(*known, IsEmpty());
}

// The new name was added to the list first: nothing stops, and the next start knows the rename.
TEST(MaskGuardTest, ARenameThatTheStreamTellsOfIsAFormerNameToo) {
  engine::WarnOnce warn_once;
  const encode::ColumnOptions both = Masking("public.people.(ssn|ssn_no)");
  const auto guard = Guard(both, &warn_once, {kPeople});
  ASSERT_NE(guard, nullptr);
  EXPECT_THAT(DecodeFormer(guard->Member()), IsEmpty());
  ASSERT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "ssn_no"}, {3, "note"}})).ok());
  const FormerNames once = {{"public.people.ssn", "public.people.ssn_no"}};
  EXPECT_EQ(guard->former(), once);
  EXPECT_EQ(DecodeFormer(guard->Member()), once);
  ASSERT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "ssn"}, {3, "note"}})).ok());
  EXPECT_EQ(DecodeFormer(guard->Member()),
            (FormerNames{{"public.people.ssn_no", "public.people.ssn"}}))
      << "and back";
}

TEST(MaskGuardTest, AWarningIsNotForgotten) {
  engine::WarnOnce warn_once;
  encode::ColumnOptions warns = Masking("public.people.ssn");
  warns.lost_warns = true;
  const KnownColumns renamed = Table({{1, "id", false}, {2, "ssn_no"}, {3, "note"}});
  const auto guard = Guard(warns, &warn_once, {renamed}, {kPeople});
  ASSERT_NE(guard, nullptr);
  EXPECT_TRUE(guard->Judge(Streamed({{1, "id"}, {2, "ssn_no"}, {3, "note"}})).ok());
  const auto known = DecodeMasks(guard->Member());
  EXPECT_EQ(Guard(Masking("public.people.ssn"), &warn_once, {renamed}, *known), nullptr);
}

TEST(MaskGuardTest, AMemberHasABound) {
  engine::WarnOnce warn_once;
  std::vector<KnownColumns> many;
  for (uint32_t oid = 1; oid <= 3000; ++oid) {
    many.push_back(kPeople);
    many.back().relation = Oid{oid};
    many.back().table = "people_of_a_long_name_" + std::to_string(oid);
  }
  const auto guard = Guard(Masking("public.people_.*.ssn"), &warn_once, many);
  EXPECT_LT(guard->Member().size(), kLongestMasks * 5 / 4);
  const auto known = DecodeMasks(guard->Member());
  ASSERT_TRUE(known.has_value());
  ASSERT_FALSE(known->empty());
  EXPECT_EQ(known->front().columns.size(), 1u) << "what is covered";
  EXPECT_FALSE(DecodeMasks("\"{}\"").has_value());
  EXPECT_FALSE(DecodeMasks(R"("{\"tables\":[[1,\"a\",\"b\",[[99999,\"c\",1]]]]}")").has_value());
}

// A list of what is wanted watches every table, and needs no room.
TEST(MaskGuardTest, WhatIsOnlyToldAboutMakesRoom) {
  engine::WarnOnce warn_once;
  std::vector<KnownColumns> many;
  for (uint32_t oid = 1; oid <= 3000; ++oid) {
    many.push_back(kPeople);
    many.back().relation = Oid{oid};
    many.back().table = "people_of_a_long_name_" + std::to_string(oid);
  }
  encode::ColumnOptions options = Masking("public.people_of_a_long_name_2999.ssn");
  options.include = List(".*(id|ssn)");
  const auto guard = Guard(options, &warn_once, many);
  const auto known = DecodeMasks(guard->Member());
  ASSERT_TRUE(known.has_value());
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().table, "people_of_a_long_name_2999");
}

TEST(MaskGuardTest, SlotsTellEachOther) {
  engine::WarnOnce warn_once;
  const auto one = Guard(Masking(".*ssn"), &warn_once, {kPeople});
  const auto two = Guard(Masking(".*ssn"), &warn_once, {Table(kPeople.columns, 2, "others")});
  const auto all = DecodeMasks(MergeMasks({one->Member(), two->Member()}));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 2u);
  EXPECT_EQ(MergeMasks({}), "");
}

}  // namespace
}  // namespace walduct::slot
