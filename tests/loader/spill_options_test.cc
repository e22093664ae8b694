#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "spill/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SpillOptionsTest : public LoadFixture {};

TEST_F(SpillOptionsTest, OffUnlessWanted) {
  const LoadResult result = LoadWith("");
  EXPECT_FALSE(result.options.spill->enabled);
  EXPECT_FALSE(result.options.replication->stream_in_progress);
  EXPECT_EQ(result.options.spill->max_bytes, 10ull << 30);
}

TEST_F(SpillOptionsTest, OnWithADirectory) {
  const LoadResult result = LoadWith(
      "walduct.transaction.streaming=true\n"
      "walduct.transaction.spill.directory=/var/lib/walduct\n"
      "walduct.transaction.spill.max.bytes=12345");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_TRUE(result.options.spill->enabled);
  EXPECT_TRUE(result.options.replication->stream_in_progress);
  EXPECT_EQ(result.options.spill->directory, "/var/lib/walduct");
  EXPECT_EQ(result.options.spill->max_bytes, 12345u);
}

TEST_F(SpillOptionsTest, NeedsADirectory) {
  EXPECT_THAT(LoadWith("walduct.transaction.streaming=true").errors,
              ElementsAre(AllOf(HasSubstr("'walduct.transaction.spill.directory'"),
                                HasSubstr("is required with walduct.transaction.streaming=true"),
                                HasSubstr("name a directory"))));
}

TEST_F(SpillOptionsTest, BadValues) {
  EXPECT_THAT(LoadWith("walduct.transaction.streaming=maybe").errors,
              ElementsAre(HasSubstr("'walduct.transaction.streaming'")));
  EXPECT_THAT(LoadWith("walduct.transaction.spill.max.bytes=-1").errors,
              ElementsAre(HasSubstr("'walduct.transaction.spill.max.bytes'")));
}

}  // namespace
}  // namespace walduct::loader
