#include "kafka/lines/line_groups.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace walduct::kafka {
namespace {

std::string NotFound(int partition) {
  return absl::StrCat("[thrd:main]: Partition connect-offsets[", partition, "]: new leader",
                      partition % 2 - 1, " not found in cache");
}

TEST(LineGroupsTest, TheFirstOfAKindIsWrittenTheRestCounted) {
  LineGroups groups;
  for (int i = 0; i < 25; ++i)
    EXPECT_EQ(groups.Admit(absl::Seconds(1), "METADATAUPDATE", NotFound(2 * i)), i == 0) << i;
  EXPECT_TRUE(groups.Take(absl::Seconds(10)).empty());
  const auto taken = groups.Take(absl::Seconds(11));
  ASSERT_EQ(taken.size(), 1);
  EXPECT_EQ(taken[0].count, 24);
  EXPECT_EQ(taken[0].facility, "METADATAUPDATE");
  EXPECT_EQ(taken[0].text, NotFound(48));
  // They go on, within the next period; without any it ends.
  EXPECT_FALSE(groups.Admit(absl::Seconds(12), "METADATAUPDATE", NotFound(0)));
  EXPECT_EQ(groups.Take(absl::Seconds(21)).size(), 1);
  EXPECT_TRUE(groups.Take(absl::Seconds(31)).empty());
  EXPECT_TRUE(groups.Admit(absl::Seconds(32), "METADATAUPDATE", NotFound(0)));
}

TEST(LineGroupsTest, AnotherTextOrFacilityIsAnotherKind) {
  LineGroups groups;
  EXPECT_TRUE(groups.Admit({}, "METADATAUPDATE", NotFound(0)));
  EXPECT_TRUE(groups.Admit({}, "LEADER", NotFound(0)));
  EXPECT_TRUE(groups.Admit({}, "METADATAUPDATE", "Partition orders[0]: gone"));
  EXPECT_FALSE(groups.Admit({}, "METADATAUPDATE", "Partition items[7]: gone"));
}

TEST(LineGroupsTest, KindsHaveNoTopicsAndNoNumbers) {
  EXPECT_EQ(KindOfLine("REQTMOUT", "broker/1: Timed out 12 in-flight, 0 retried"),
            "REQTMOUT broker/#: Timed out # in-flight, # retried");
  EXPECT_EQ(KindOfLine("A", "orders [12] moved"), KindOfLine("A", "items [3] moved"));
  EXPECT_NE(KindOfLine("A", "kafka-1:9092/1: gone"), KindOfLine("A", "kafka-2:9092/2: gone"))
      << "another broker";
  EXPECT_EQ(KindOfLine("", ""), " ");
}

}  // namespace
}  // namespace walduct::kafka
