#include "slot/world/known/known_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// public.a, as OID 1.
KnownTables Known() {
  KnownTables known;
  known.publication = Oid{900};
  known.tables["public.a"] = {.relation = Oid{1}, .named_by = {Oid{11}}};
  return known;
}

KnownTables Many(uint32_t count, const std::string& prefix = "public.table_") {
  KnownTables known;
  known.lists = "0123456789abcdef";
  known.publication = Oid{4000000000};
  known.names_others = {Oid{17}, Oid{18}};
  for (uint32_t i = 1; i <= count; ++i) {
    known.tables[absl::StrCat(prefix, i)] = {.relation = Oid{16384 + 10 * i},
                                             .named_by = {Oid{90000 + i}, Oid{4294967295}}};
  }
  return known;
}

TEST(KnownTablesTest, SaysWhichTableEachNameWas) {
  KnownTables known = Known();
  known.tables["public.unknown"] = {};
  EXPECT_EQ(KnownTablesIn({{"walduct_tables", EncodeKnownTables(known)}, {"other", "{}"}}), known);
  EXPECT_EQ(KnownTablesIn({{"walduct_tables", "damaged"}}), KnownTables());
  EXPECT_EQ(KnownTablesIn({}), KnownTables());
}

TEST(KnownTablesTest, WhatIsUnloggedAndWhatWasSeenComeBack) {
  KnownTables known = Known();
  known.tables["public.b"] = {.relation = Oid{2}, .unlogged = true};
  known.seen = "700:705:700,702";
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(known)), known);
  for (int i = 0; i < 2000; ++i) known.tables[absl::StrCat("public.table_", i)] = {};
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(known)), known) << "packed";
}

TEST(KnownTablesTest, ComeBackAsTheyWere) {
  for (const uint32_t count : {0u, 1u, 3u, 3000u}) {
    const KnownTables known = Many(count);
    const std::string member = EncodeKnownTables(known);
    EXPECT_THAT(member, HasSubstr(count < 1000 ? "tables" : "packed"));
    EXPECT_EQ(DecodeKnownTables(member), known) << count;
  }
  // Half a character is no text.
  const KnownTables odd = Many(2000, "public.\"\xC3\xA4 \n\xF0\x9F\x90\x98");
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(odd)), odd);
  KnownTables close = Many(2000);
  close.tables["public.z\xC3\xA4"] = {};
  close.tables["public.z\xC3\xA5"] = {};
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(close)), close);
}

TEST(KnownTablesTest, ThousandsFit) {
  KnownTables known = Many(0);
  for (uint32_t i = 1; i <= 2000; ++i) {
    known.tables[absl::StrCat("public.customer_orders_of_region_", i % 50, "_and_month_", i / 50)] =
        {.relation = Oid{16384 + 10 * i}, .named_by = {Oid{90000 + i}}};
  }
  EXPECT_LT(EncodeKnownTables(known).size(), 2000u * 30);
  EXPECT_THAT(EncodeKnownTables(Many(5000)), HasSubstr("packed"));
  EXPECT_THAT(EncodeKnownTables(Many(30'000)), IsEmpty());
}

TEST(KnownTablesTest, WhatTheListsHaveLeftOutGoesWhereThereIsNoRoomForIt) {
  KnownTables known = Known();
  const auto leave = [&known](size_t size) {
    known.left.clear();
    for (size_t i = 0; i < KnownTables::kMostLeft; ++i)
      known.left[absl::StrCat("public.", i, std::string(size, 'x'))] = Oid{2};
  };
  leave(50);
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(known)), known);
  leave(600);
  const auto stored = DecodeKnownTables(EncodeKnownTables(known));
  known.left.clear();
  EXPECT_EQ(stored, known) << "the others are known";
}

TEST(KnownTablesTest, NamesAloneAreReadAsTheyWereOnceWritten) {
  const auto known = DecodeKnownTables(R"("{\"lists\":\"x\",\"tables\":[\"public.a\"]}")");
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->tables.at("public.a").relation, Oid{});
  EXPECT_EQ(known->publication, Oid{});
}

TEST(KnownTablesTest, DamagedOidsLeaveTheNames) {
  for (const char* const oids : {"", "1", "1 2 3", "1 x!", "1 99999999"}) {
    const auto known = DecodeKnownTables(absl::StrCat(
        R"("{\"lists\":\"x\",\"tables\":[\"public.a\"],\"oids\":\")", oids, R"(\"}")"));
    ASSERT_TRUE(known.has_value()) << oids;
    EXPECT_EQ(known->tables.at("public.a").relation, Oid{}) << oids;
  }
}

TEST(KnownTablesTest, DamagedPacksAreNone) {
  for (const char* const packed :
       {"", "1 5 3 abc1 ", "1 0 9 abc1 ", "1 0 3", "1 0 99999999999999999999 a1 ", "1 0 3 abc"}) {
    EXPECT_FALSE(
        DecodeKnownTables(absl::StrCat(R"("{\"lists\":\"x\",\"packed\":\")", packed, R"(\"}")"))
            .has_value())
        << packed;
  }
}

}  // namespace
}  // namespace walduct::slot
