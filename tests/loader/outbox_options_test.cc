#include "absl/strings/str_cat.h"
#include "java/regex/regex_list.h"
#include "outbox/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class OutboxOptionsTest : public LoadFixture {};

TEST_F(OutboxOptionsTest, AreOffByDefault) {
  const LoadResult result = LoadWith("");
  EXPECT_EQ(result.options.outbox->cleanup, outbox::OutboxCleanup::kNone);
  EXPECT_FALSE(result.options.outbox->tables != nullptr);
}

TEST_F(OutboxOptionsTest, AreRead) {
  const LoadResult result = LoadWith(
      "walduct.outbox.tables=public.outbox\nwalduct.outbox.cleanup=drop_partitions\n"
      "walduct.outbox.retention.ms=5000\nwalduct.outbox.cleanup.time.column=sent\n"
      "walduct.outbox.cleanup.interval.ms=700\nwalduct.outbox.cleanup.batch.size=9\n"
      "walduct.outbox.cleanup.history=delete");
  ASSERT_TRUE(result.errors.empty()) << result.errors.front();
  const outbox::OutboxOptions& outbox = *result.options.outbox;
  EXPECT_TRUE(outbox.tables->Matches("public.outbox"));
  EXPECT_EQ(outbox.cleanup, outbox::OutboxCleanup::kDropPartitions);
  EXPECT_EQ(outbox.retention, absl::Seconds(5));
  EXPECT_EQ(outbox.time_column, "sent");
  EXPECT_EQ(outbox.interval, absl::Milliseconds(700));
  EXPECT_EQ(outbox.batch_rows, 9);
  EXPECT_TRUE(outbox.delete_history);
}

TEST_F(OutboxOptionsTest, APolledTableIsPrintedOnlyWhenToldSo) {
  const std::string polled = "walduct.outbox.source=poll\nwalduct.outbox.tables=public.outbox\n";
  for (const std::string sink : {"sink=stdout", "sink=file\nsink.file.path=/tmp/x"}) {
    EXPECT_THAT(LoadWith(absl::StrCat(polled, sink)).errors,
                Contains(HasSubstr("walduct.outbox.publish.locally=true")));
    EXPECT_TRUE(LoadWith(absl::StrCat(polled, "walduct.outbox.publish.locally=true\n", sink))
                    .errors.empty());
    EXPECT_TRUE(LoadWith(sink).errors.empty());
  }
  EXPECT_TRUE(LoadWith(polled).errors.empty());
  EXPECT_THAT(LoadWith("walduct.outbox.publish.locally=true").warnings,
              Contains(HasSubstr("has no effect without walduct.outbox.source=poll")));
}

TEST_F(OutboxOptionsTest, APolledTableIsInOrderUnlessToldOtherwise) {
  const std::string polled = "walduct.outbox.source=poll\nwalduct.outbox.tables=public.outbox\n";
  EXPECT_TRUE(LoadWith(polled).options.outbox->keeps_order);
  EXPECT_FALSE(LoadWith(polled + "walduct.outbox.order=none").options.outbox->keeps_order);
  EXPECT_THAT(LoadWith(polled + "walduct.outbox.order=id").errors,
              Contains(HasSubstr("key, none")));
  EXPECT_THAT(LoadWith(polled + "walduct.outbox.order=none\nwalduct.outbox.done=position").errors,
              Contains(HasSubstr("'walduct.outbox.order'")));
  EXPECT_THAT(LoadWith(polled + "walduct.outbox.order=none\nwalduct.outbox.parked=hold").errors,
              Contains(HasSubstr("'walduct.outbox.parked'")));
  EXPECT_TRUE(
      LoadWith(polled + "walduct.outbox.order=none\nwalduct.outbox.parked=pass").errors.empty());
  EXPECT_THAT(LoadWith("walduct.outbox.order=none").warnings,
              Contains(HasSubstr("has no effect without walduct.outbox.source=poll")));
}

TEST_F(OutboxOptionsTest, PartitionsOfAPolledTableAreDroppedAndRowsAreNot) {
  const std::string polled = "walduct.outbox.source=poll\nwalduct.outbox.tables=public.outbox\n";
  EXPECT_TRUE(LoadWith(polled + "walduct.outbox.cleanup=drop_partitions").errors.empty());
  EXPECT_THAT(LoadWith(polled + "walduct.outbox.cleanup=delete").errors,
              Contains(HasSubstr("or set it to drop_partitions")));
}

TEST_F(OutboxOptionsTest, CleanupNeedsTables) {
  EXPECT_THAT(LoadWith("walduct.outbox.cleanup=delete").errors,
              Contains(HasSubstr("'walduct.outbox.tables'")));
}

TEST_F(OutboxOptionsTest, CleanupRefusesUnpublishedInserts) {
  EXPECT_THAT(LoadWith("walduct.outbox.cleanup=delete\nwalduct.outbox.tables=public.outbox\n"
                       "skipped.operations=c,t")
                  .errors,
              Contains(HasSubstr("'skipped.operations'")));
}

TEST_F(OutboxOptionsTest, CleanupOfRowsThatAreOnlyInTheLogIsWarnedOf) {
  constexpr char kCleanup[] =
      "walduct.outbox.cleanup=delete\nwalduct.outbox.tables=public.outbox\nerrors.tolerance=all\n";
  EXPECT_THAT(LoadWith(kCleanup).warnings, Contains(HasSubstr("were only logged; set")));
  EXPECT_THAT(
      LoadWith(std::string(kCleanup) + "errors.deadletterqueue.topic.name=letters").warnings,
      testing::Not(Contains(HasSubstr("were only logged; set"))));
}

TEST_F(OutboxOptionsTest, BadValuesAreNamed) {
  for (const char* line :
       {"walduct.outbox.cleanup=truncate", "walduct.outbox.retention.ms=-1",
        "walduct.outbox.cleanup.batch.size=0", "walduct.outbox.cleanup.interval.ms=0",
        "walduct.outbox.cleanup.history=maybe", "walduct.outbox.tables=public.(outbox"}) {
    const std::string name = std::string(line).substr(0, std::string(line).find('='));
    EXPECT_THAT(LoadWith(line).errors, Contains(HasSubstr("'" + name + "'"))) << line;
  }
}

}  // namespace
}  // namespace walduct::loader
