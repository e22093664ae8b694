// What names Debezium's series.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MetricTagsTest : public LoadFixture {};

TEST_F(MetricTagsTest, InTheirOrder) {
  EXPECT_EQ(LoadWith("custom.metric.tags=z=1, a=2,").options.runtime->metric_tags, ", z=1, a=2");
  EXPECT_EQ(LoadWith("").options.runtime->metric_tags, "");
}

TEST_F(MetricTagsTest, ArePairs) {
  for (const char* wrong : {"a", "a=", "m=3=4", "a=1,,b=2"}) {
    EXPECT_THAT(LoadWith(absl::StrCat("custom.metric.tags=", wrong)).errors,
                ElementsAre(HasSubstr("map of valid key/value pairs is expected")))
        << wrong;
  }
}

TEST_F(MetricTagsTest, AndTables) {
  EXPECT_FALSE(LoadWith("").options.runtime->counts_per_table);
  EXPECT_TRUE(LoadWith("advanced.metrics.enable=true").options.runtime->counts_per_table);
}

}  // namespace
}  // namespace walduct::loader
