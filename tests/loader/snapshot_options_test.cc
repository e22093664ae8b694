// Properties of snapshots: their options, and what is refused.
#include "snapshot/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using SnapshotOptionsTest = LoadFixture;

TEST_F(SnapshotOptionsTest, ModeByItsFlags_SNP08) {
  const std::string based = "snapshot.mode=configuration_based\n";
  const std::string data = "snapshot.mode.configuration.based.snapshot.data=true\n";
  const std::string stream = "snapshot.mode.configuration.based.start.stream=true\n";
  const std::string error = "snapshot.mode.configuration.based.snapshot.on.data.error=true\n";
  const auto mode = [&](const std::string& flags) {
    const LoadResult result = LoadWith(based + flags);
    EXPECT_THAT(result.errors, IsEmpty()) << flags;
    return result.options.snapshot->mode;
  };
  using snapshot::SnapshotMode;
  EXPECT_EQ(mode(data + stream), SnapshotMode::kAlways);
  EXPECT_EQ(mode(data), SnapshotMode::kAlwaysOnly);
  EXPECT_EQ(mode(stream), SnapshotMode::kNoData);
  EXPECT_EQ(mode(stream + error), SnapshotMode::kGapsOnly);
  EXPECT_EQ(mode(data + stream + error), SnapshotMode::kAlways);
  EXPECT_EQ(mode(error), SnapshotMode::kNothing);
  EXPECT_THAT(LoadWith(based).warnings, Contains(HasSubstr("does nothing")));
  EXPECT_THAT(LoadWith(based + data).warnings, Not(Contains(HasSubstr("does nothing"))));
  EXPECT_THAT(LoadWith("snapshot.mode.configuration.based.start.stream=maybe").errors,
              ElementsAre(HasSubstr("snapshot.mode.configuration.based.start.stream")));
}

TEST_F(SnapshotOptionsTest, SnapshotThreadsAreRead_SNP23) {
  const LoadResult result = LoadWith(
      "snapshot.max.threads=4\nsnapshot.max.threads.multiplier=2\n"
      "snapshot.max.threads.multiplier.public.big=8\nlegacy.snapshot.max.threads=true");
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  const snapshot::SnapshotOptions& options = *result.options.snapshot;
  EXPECT_EQ(options.threads, 4u);
  EXPECT_EQ(options.multiplier, 2u);
  EXPECT_EQ(options.multipliers.at("public.big"), 8u);
  EXPECT_TRUE(options.whole_tables);
  EXPECT_THAT(LoadWith("snapshot.max.threads=0").errors,
              ElementsAre(HasSubstr("snapshot.max.threads")));
  EXPECT_THAT(LoadWith("snapshot.max.threads=65").warnings, ElementsAre(HasSubstr("counts as 64")));
}

TEST_F(SnapshotOptionsTest, ResumeIsOffUnlessAskedFor) {
  EXPECT_FALSE(LoadWith("").options.snapshot->resume);
  EXPECT_TRUE(LoadWith("walduct.snapshot.resume=true").options.snapshot->resume);
  EXPECT_THAT(LoadWith("walduct.snapshot.resume=maybe").errors,
              ElementsAre(HasSubstr("walduct.snapshot.resume")));
  EXPECT_THAT(LoadWith("walduct.snapshot.resume=true\nexactly.once.support=required").errors,
              Contains(HasSubstr("nothing of it is published before its end")));
}

TEST_F(SnapshotOptionsTest, RowsAreReadFromAStandbyWhereOneIsNamed) {
  const std::string standby = "walduct.snapshot.standby.hostname=";
  EXPECT_FALSE(LoadWith("").options.snapshot->reads_standby());
  const LoadResult one = LoadWith(standby + "replica.example");
  EXPECT_THAT(one.errors, IsEmpty());
  EXPECT_TRUE(one.options.snapshot->reads_standby());
  EXPECT_EQ(one.options.snapshot->standby_hostname, "replica.example");
  EXPECT_EQ(one.options.snapshot->standby_port, "");
  const LoadResult two = LoadWith(standby + "a,b\nwalduct.snapshot.standby.port=5433,5434");
  EXPECT_THAT(two.errors, IsEmpty());
  EXPECT_EQ(two.options.snapshot->standby_port, "5433,5434");
  EXPECT_THAT(LoadWith(standby + "a\nwalduct.snapshot.standby.port=5433,5434").errors,
              ElementsAre(HasSubstr("lists 2 ports for 1 hosts")));
  EXPECT_THAT(LoadWith(standby + "postgres://a").errors, ElementsAre(HasSubstr("invalid format")));
  EXPECT_THAT(LoadWith(standby + "a\nwalduct.snapshot.standby.port=many").errors,
              ElementsAre(HasSubstr("walduct.snapshot.standby.port")));
  const LoadResult port = LoadWith("walduct.snapshot.standby.port=5433");
  ASSERT_NE(Report(port, "walduct.snapshot.standby.port"), nullptr);
  EXPECT_EQ(Report(port, "walduct.snapshot.standby.port")->note,
            "it needs walduct.snapshot.standby.hostname");
  EXPECT_THAT(LoadWith(standby + "a\nexactly.once.support=required").errors,
              Contains(HasSubstr("as a read and as a change")));
}

}  // namespace
}  // namespace walduct::loader
