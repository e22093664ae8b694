#include "recover/run/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace walduct::recover {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Verdict = Plan::Verdict;

PlanFacts Held() {
  return {.slot_name = "shop",
          .position = Lsn(0x5000100),
          .stored_at = absl::FromUnixSeconds(1785542400),
          .slot_trouble = "",
          .slot = Lsn(0x7000028),
          .wal_end = Lsn(0x9000000),
          .version = 170004,
          .timeline = 2,
          .stored_timeline = 1,
          .segment_bytes = 16 << 20,
          .archives = true,
          .archive_command = "pgbackrest --stanza=shop archive-push %p",
          .last_archived = "000000020000000000000007",
          .last_failed = "",
          .lacking = {}};
}

Plan Of(const PlanFacts& facts) { return MakePlan(facts, "-f shop.json"); }

TEST(PlanTest, SaysWhichBackupWhichSegmentsAndWhatToType) {
  const Plan plan = Of(Held());
  EXPECT_EQ(plan.verdict, Verdict::kPossible);
  EXPECT_THAT(
      plan.text,
      AllOf(
          StartsWith("Have I lost data? Not yet"), HasSubstr("ended before 0/5000100"),
          HasSubstr("2026-08-01 00:00:00 UTC"), HasSubstr("0/5000100 to 0/7000028, 32.0 MB"),
          HasSubstr("in 3 segments, 000000010000000000000005 to 000000020000000000000007"),
          HasSubstr("from timeline 1 to 2"),
          HasSubstr("-- pgbackrest --stanza=shop --pg1-path=/restore/data archive-get %f \"%p\"'"),
          HasSubstr("walduct recover run -f shop.json --from 127.0.0.1:5433 --state "
                    "/var/tmp/shop\n")));
  EXPECT_THAT(plan.text, AllOf(Not(HasSubstr("AT ONCE")), Not(HasSubstr("idle_replication"))));
}

TEST(PlanTest, TheRoomThatTheRestoredServerTakes) {
  PlanFacts facts = Held();
  EXPECT_THAT(Of(facts).text, HasSubstr("takes as much as the primary's databases of disk"));
  facts.cluster_bytes = uint64_t{12} << 30;
  EXPECT_THAT(Of(facts).text, HasSubstr("takes about 12.0 GB of disk"));
}

TEST(PlanTest, ASlotThatIsNotHeldComesFirst) {
  PlanFacts facts = Held();
  facts.slot_trouble = "missing";
  facts.version = 180000;
  const Plan plan = Of(facts);
  EXPECT_THAT(plan.text, AllOf(HasSubstr("AT ONCE"), HasSubstr("the slot \"shop\" is missing"),
                               HasSubstr("walduct run -f shop.json -o walduct.slot.lost=hold"),
                               HasSubstr("0/5000100 to 0/9000000"),
                               HasSubstr("idle_replication_slot_timeout = 0")));
}

TEST(PlanTest, TheToolIsTakenFromArchiveCommand) {
  const auto said = [](const char* command) {
    PlanFacts facts = Held();
    facts.archive_command = command;
    return Of(facts).text;
  };
  EXPECT_THAT(
      said("/usr/bin/pgbackrest --config=/etc/b.conf --stanza=a --pg1-path=/pg archive-push %p"),
      AllOf(HasSubstr("\n  /usr/bin/pgbackrest --config=/etc/b.conf --stanza=a info\n"),
            HasSubstr("--stanza=a --set=BACKUP --type=standby")));
  EXPECT_THAT(said("pgbackrest archive-push %p"),
              HasSubstr("-- pgbackrest --stanza=STANZA --pg1-path=/restore/data archive-get"));
  EXPECT_THAT(said("env 'A=b c' wal-g --config /etc/w.yaml wal-push %p"),
              AllOf(HasSubstr("\n  env 'A=b c' wal-g --config /etc/w.yaml backup-fetch"),
                    HasSubstr("-- env ''A=b c'' wal-g --config /etc/w.yaml wal-fetch %f")));
  EXPECT_THAT(said("WALG_FILE_PREFIX=/b wal-g wal-push %p"),
              HasSubstr("-- env WALG_FILE_PREFIX=/b wal-g wal-fetch %f"));
  // Behind the gate's -- nothing of a list may stand: what follows would run without it.
  for (const char* const list : {". /etc/wal-g.env; wal-g wal-push %p",
                                 "bash -c 'source /etc/wal-g.env && wal-g wal-push %p'"})
    EXPECT_THAT(said(list), HasSubstr("-- wal-g wal-fetch %f \"%p\"'")) << list;
  EXPECT_THAT(said("PGBACKREST_CONFIG=/etc/pgbackrest/b.conf /usr/bin/pgbackrest --stanza=a "
                   "archive-push %p"),
              HasSubstr("-- /usr/bin/pgbackrest --stanza=a --pg1-path"));
  EXPECT_THAT(said("sh -c 'pgbackrest --stanza=a archive-push %p'"),
              HasSubstr("-- pgbackrest --stanza=STANZA --pg1-path"));
  EXPECT_THAT(said("barman-wal-archive -U keeper --zstd backups shop %p"),
              AllOf(HasSubstr("\n  barman list-backups shop\n"),
                    HasSubstr("-- barman-wal-restore -U keeper backups shop %f \"%p\"'")));
  EXPECT_THAT(said("rsync -a %p barman@backups:/var/lib/barman/shop/incoming/%f"),
              HasSubstr("-- barman-wal-restore HOST SERVER %f \"%p\"'"));
  EXPECT_THAT(said("true"), HasSubstr("-- cp /archive/%f \"%p\"'"));
  EXPECT_THAT(said("cp %p /wal/a/%f.new && mv /wal/a/%f.new \"/wal/a/%f\""),
              HasSubstr("-- cp /wal/a/%f \"%p\"'"));
  EXPECT_THAT(said("rsync %p backups:/wal/%f"), HasSubstr("-- cp /archive/%f \"%p\"'"));
  PlanFacts looked = Held();
  looked.archive_command = "cp %p /wal/%f";
  looked.archive_folder = "/mnt/wal";
  EXPECT_THAT(Of(looked).text, HasSubstr("-- cp /mnt/wal/%f \"%p\"'"));
}

TEST(PlanTest, WhatCannotBeGotBack) {
  PlanFacts old = Held();
  old.version = 150010;
  EXPECT_EQ(Of(old).verdict, Verdict::kImpossible);
  EXPECT_THAT(Of(old).text, HasSubstr("PostgreSQL 15"));
  PlanFacts without = Held();
  without.archives = false;
  EXPECT_EQ(Of(without).verdict, Verdict::kImpossible);
  EXPECT_THAT(Of(without).text, HasSubstr("archive_mode"));
  PlanFacts hole = Held();
  hole.lacking = {6, 7};
  EXPECT_EQ(Of(hole).verdict, Verdict::kImpossible);
  EXPECT_THAT(Of(hole).text, HasSubstr("2 segments of the gap are not in the archive, the first is "
                                       "000000020000000000000006"));
}

// What ends the gap is not known yet: the segment that is written to is in no archive.
TEST(PlanTest, TheArchiveOfASlotThatIsNotHeld) {
  const std::string folder = testing::TempDir() + "/plan-archive";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  for (const char digit : {'5', '6', '7', '8'})
    std::ofstream(absl::StrCat(folder, "/00000002000000000000000", std::string(1, digit)));
  PlanFacts facts = Held();
  facts.slot_trouble = "missing";
  ASSERT_TRUE(LookIntoArchive({.folder = folder, .command = ""}, &facts).ok());
  EXPECT_THAT(facts.lacking, testing::Optional(testing::IsEmpty()));
  EXPECT_EQ(Of(facts).verdict, Verdict::kPossible);
  EXPECT_THAT(Of(facts).text, AllOf(HasSubstr("AT ONCE"), HasSubstr("all of them but the last")));
  const std::string command = absl::StrCat("test -f ", folder, "/%f");
  ASSERT_TRUE(LookIntoArchive({.folder = "", .command = command}, &facts).ok());
  EXPECT_THAT(facts.lacking, testing::Optional(testing::IsEmpty()));
  std::filesystem::remove(folder + "/000000020000000000000008");
  ASSERT_TRUE(LookIntoArchive({.folder = folder, .command = ""}, &facts).ok());
  EXPECT_THAT(facts.lacking, testing::Optional(testing::ElementsAre(8u)));
  EXPECT_EQ(Of(facts).verdict, Verdict::kImpossible);
  // It may come yet.
  EXPECT_THAT(Of(facts).text, HasSubstr("walduct run -f shop.json -o walduct.slot.lost=hold"));
  // The slot is in it, and stays there.
  facts.slot_trouble = "";
  facts.slot = Lsn(0x9000028);
  ASSERT_TRUE(LookIntoArchive({.folder = folder, .command = ""}, &facts).ok());
  EXPECT_THAT(facts.lacking, testing::Optional(testing::ElementsAre(8u, 9u)));
  std::filesystem::remove_all(folder);
}

// What a process answers.
TEST(PlanTest, FactsOfAnotherProcess) {
  constexpr char kFacts[] =
      R"("slot_name":"shop","position":"0/5000100","slot":"0/7000028","wal_end":"0/9000000",)"
      R"("version":170004,"timeline":2,"segment_bytes":16777216)";
  const auto served = ParsePlanFacts(absl::StrCat("{", kFacts, R"(,"worker_file":"/etc/w"})"));
  ASSERT_TRUE(served);
  EXPECT_EQ(served->worker_file, "/etc/w");
  EXPECT_FALSE(served->from_input);
  const auto input = ParsePlanFacts(absl::StrCat("{", kFacts, R"(,"from_input":true})"));
  ASSERT_TRUE(input.has_value());
  EXPECT_TRUE(input->from_input);
  EXPECT_EQ(served->files, "");
  const auto run = ParsePlanFacts(absl::StrCat("{", kFacts, R"(,"files":"-f a.json"})"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->files, "-f a.json");
}

TEST(PlanTest, NoGap) {
  PlanFacts facts = Held();
  facts.slot = facts.position;
  EXPECT_EQ(Of(facts).verdict, Verdict::kNoGap);
  EXPECT_THAT(Of(facts).text, StartsWith("Have I lost data? No: "));
}

TEST(PlanTest, AnArchiverThatFailsIsARisk) {
  PlanFacts facts = Held();
  facts.last_failed = "000000020000000000000008";
  EXPECT_THAT(Of(facts).text, HasSubstr("AT RISK: its archiver fails"));
}

TEST(PlanTest, AsksACommandForEachSegment) {
  const std::string folder = testing::TempDir() + "/plan_archive";
  ASSERT_EQ(std::system(("rm -rf " + folder + " && mkdir " + folder + " && cd " + folder +
                         " && truncate -s 1048576 000000010000000000000005 "
                         "000000020000000000000006 && truncate -s 7 000000020000000000000007")
                            .c_str()),
            0);
  const SegmentRange range{
      .first = 5, .last = 20, .oldest = 1, .newest = 2, .segment_bytes = 1 << 20};
  const auto fetched = LackingBehind("cp " + folder + "/%f \"%p\" 2>/dev/null", range);
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_THAT(*fetched, testing::ElementsAre(7u, 8u, 9u));
  const auto asked = LackingBehind("test -f " + folder + "/%f", range);
  ASSERT_TRUE(asked.ok());
  EXPECT_THAT(*asked, testing::ElementsAre(8u, 9u, 10u));
  EXPECT_EQ(LackingBehind("/nowhere/tool %f %p 2>/dev/null", range).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace walduct::recover
