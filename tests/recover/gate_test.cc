#include "recover/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recover/state.h"
#include "recover/wal_segment.h"
#include "tests/recover/commit_builder.h"
#include "tests/recover/wal_builder.h"

namespace walduct::recover {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kSegment = WalBuilder::kSegment;

std::string NameOf(uint64_t number, uint32_t timeline = 1) {
  return absl::StrFormat("%08X%08X%08X", timeline, 0, number);
}

// A data folder, an archive that is a folder, and the server's side of restore_command.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    std::string path = testing::TempDir() + "/gate-XXXXXX";
    root_ = mkdtemp(path.data());
    for (const char* folder : {"/data", "/data/pg_wal", "/archive", "/state"})
      std::filesystem::create_directory(root_ + folder);
    Write("/data/standby.signal", "");
    Say(R"({"segment_bytes": 1048576, "free_to": "0/200000"})");
  }
  ~GateTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ + path, std::ios::binary) << text;
  }
  std::string Read(const std::string& path) const {
    std::ostringstream text;
    text << std::ifstream(root_ + path, std::ios::binary).rdbuf();
    return text.str();
  }
  bool Exists(const std::string& path) const { return std::filesystem::exists(root_ + path); }
  void Say(const std::string& json) { Write("/state/recovery.json", json); }
  void Archive(const WalBuilder& wal, uint64_t segments, uint64_t first = 1) {
    for (uint64_t i = 0; i < segments; ++i) Write("/archive/" + NameOf(first + i), wal.Segment(i));
  }

  GateAnswer Ask(const std::string& file) {
    const std::string path = root_ + "/data/pg_wal/RECOVERYXLOG";
    std::filesystem::remove(path);
    const GateRequest request{root_ + "/state", {file, path}, absl::ZeroDuration()};
    return AnswerAtGate(request, Environment::Real(), [&] {
      ++fetched_;
      return RunCommand({"cp", root_ + "/archive/" + file, path});
    });
  }
  // As the server does what it was given.
  bool Restore(const std::string& file) {
    const GateAnswer answer = Ask(file);
    said_ = answer.said;
    if (answer.end.exit_code != 0 || answer.end.signal != 0) return false;
    const std::string to = root_ + "/data/pg_wal/" + file;
    std::filesystem::remove(to);
    std::filesystem::rename(root_ + "/data/pg_wal/RECOVERYXLOG", to);
    return true;
  }
  std::string Restored(uint64_t number) const { return Read("/data/pg_wal/" + NameOf(number)); }

  std::string root_, said_;
  int fetched_ = 0;
};

TEST_F(GateTest, HoldsBackWhatIsBehindTheSlot) {
  WalBuilder wal;
  while (wal.log().size() < 3 * kSegment) wal.AddFilling(5000);
  Archive(wal, 3);
  EXPECT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), wal.Segment(0));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_THAT(said_, HasSubstr("000000010000000000000002 is held back: there is no slot yet"));
  EXPECT_EQ(fetched_, 1);
  // Said once, for any timeline.
  EXPECT_FALSE(Restore(NameOf(2, 2)));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_EQ(said_, "");
  EXPECT_THAT(Read("/state/gate.json"), HasSubstr(R"("waits_for":"slot")"));
  // The slot is behind the last record that ends in 1, and not at its end.
  Say(R"({"segment_bytes": 1048576, "confirmed": "0/1FFFF0"})");
  EXPECT_TRUE(Restore(NameOf(2)));
  EXPECT_FALSE(Restore(NameOf(3)));
  EXPECT_THAT(said_, HasSubstr("the slot has confirmed 0/1FFFF0"));
  EXPECT_THAT(Read("/state/gate.json"), HasSubstr(R"("waits_for":"confirmed")"));
}

TEST_F(GateTest, WhatASlotOfAnotherRestoreHasConfirmedCountsForNothing) {
  WalBuilder wal;
  while (wal.log().size() < 2 * kSegment) wal.AddFilling(5000);
  Archive(wal, 2);
  Say(R"({"segment_bytes": 1048576, "server": "1:1", "confirmed": "0/1FFFF0", "free_to": "0/200000"})");
  EXPECT_FALSE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr("there is no slot yet"));
  Say(R"({"segment_bytes": 1048576, "confirmed": "0/1FFFF0", "free_to": "0/200000"})");
  EXPECT_TRUE(Restore(NameOf(1)));
}

TEST_F(GateTest, CutsBehindRunningXactsAndGoesOnInTheSameFile) {
  WalBuilder wal;
  wal.AddFilling(100);
  wal.AddRunning(10);
  const Lsn first_end = wal.next();
  wal.AddFilling(20000);
  wal.AddRunning(12);
  const Lsn second_end = wal.next();
  wal.AddFilling(100);
  Archive(wal, 1);
  Say(R"({"segment_bytes": 1048576, "free_to": "0/100010", "cut_from": "0/100010"})");
  ASSERT_TRUE(Restore(NameOf(1)));
  const size_t first = wal.OffsetOf(first_end);
  const std::string whole = wal.Segment(0);
  std::string zeros(kSegment, '\0');
  EXPECT_EQ(Restored(1), whole.substr(0, first) + zeros.substr(first));
  // A session that decodes has it open.
  std::ifstream open(root_ + "/data/pg_wal/" + NameOf(1), std::ios::binary);
  EXPECT_FALSE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr("held back: the slot has confirmed 0/0"));
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "confirmed": ")",
                   first_end.ToString(), R"(", "catalog_xmin": "9"})"));
  EXPECT_FALSE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr("catalog_xmin is 9, and not yet 10"));
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "confirmed": ")",
                   first_end.ToString(), R"(", "catalog_xmin": "10"})"));
  ASSERT_TRUE(Restore(NameOf(1)));
  const size_t second = wal.OffsetOf(second_end);
  EXPECT_EQ(Restored(1), whole.substr(0, second) + zeros.substr(second));
  std::string seen(second, '\0');
  open.read(seen.data(), static_cast<std::streamsize>(second));
  EXPECT_EQ(seen, whole.substr(0, second));
  // A server that has lost its copy gets what it had.
  std::filesystem::remove(root_ + "/data/pg_wal/" + NameOf(1));
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), whole.substr(0, second) + zeros.substr(second));
  EXPECT_EQ(fetched_, 1);
  // And one whose state folder has lost the segment, too.
  std::filesystem::remove(root_ + "/state/" + NameOf(1) + ".whole");
  std::filesystem::remove(root_ + "/data/pg_wal/" + NameOf(1));
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), whole.substr(0, second) + zeros.substr(second));
  EXPECT_EQ(fetched_, 2);
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "confirmed": ")",
                   second_end.ToString(), R"(", "catalog_xmin": "12"})"));
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), whole);
  EXPECT_FALSE(Exists("/state/" + NameOf(1) + ".whole"));
}

TEST_F(GateTest, StopsBeforePruningsAndTakesTheirMark) {
  WalBuilder wal;
  wal.AddFilling(100);
  wal.AddPruning(4);  // which the slot allows
  wal.AddFilling(100);
  const Lsn first = wal.next();
  wal.AddPruning(10);
  wal.AddPruning(9);  // no further than the one before
  wal.AddFilling(20000);
  const Lsn second = wal.next();
  wal.AddPruning(11);
  wal.AddRunning(12);
  Archive(wal, 1);
  const auto say = [&](Lsn confirmed, absl::string_view more) {
    Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "confirmed": ")",
                     confirmed.ToString(), R"(", "catalog_xmin": "5")", more, "}"));
  };
  const std::string marks = R"(, "clear_marks": true)";
  say(Lsn(0x100010), marks);
  ASSERT_TRUE(Restore(NameOf(1)));
  const std::string zeros(kSegment, '\0');
  EXPECT_EQ(Restored(1).substr(wal.OffsetOf(first)), zeros.substr(wal.OffsetOf(first)));
  EXPECT_NE(Restored(1)[wal.OffsetOf(first) - 8], '\0');
  EXPECT_FALSE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr(absl::StrCat("the WAL is cut at ", first.ToString())));
  say(first, marks);
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1).substr(wal.OffsetOf(second)), zeros.substr(wal.OffsetOf(second)));
  EXPECT_FALSE(Restore(NameOf(1)));
  say(second, marks);
  ASSERT_TRUE(Restore(NameOf(1)));
  const std::string restored = Restored(1);
  const SegmentRecords records = ReadRecords(*ReadSegmentHeader(restored), restored, "", Lsn());
  EXPECT_THAT(records.prunings, IsEmpty());
  EXPECT_EQ(records.running.size(), 1u);
  EXPECT_EQ(records.stopped, "");
  // Nothing of that unless it is asked for.
  std::filesystem::remove_all(root_ + "/data/pg_wal");
  std::filesystem::remove_all(root_ + "/state");
  std::filesystem::create_directory(root_ + "/data/pg_wal");
  std::filesystem::create_directory(root_ + "/state");
  say(Lsn(0x100010), "");
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), wal.Segment(0));
}

TEST_F(GateTest, StopsBeforeCommitsThatChangeTables) {
  const std::string altered = CommitBuilder().Column(20000, 1).Data();
  WalBuilder wal;
  wal.AddRow(700);
  wal.AddCommit(700);
  const Lsn first = wal.AddCommit(701, altered);
  for (uint32_t xid = 702; xid < 900; ++xid) wal.AddCommit(xid, altered);
  for (uint32_t xid = 900; xid < 2000; ++xid)  // temporary tables, one after the other
    wal.AddCommit(xid, CommitBuilder().Table(40000 + xid).Data());
  wal.AddRow(2000);
  wal.AddCommit(2000);
  const Lsn second = wal.AddCommit(2001, altered);
  wal.AddFilling(100);
  Archive(wal, 1);
  const auto say = [&](Lsn confirmed) {
    Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "clear_marks": true, )",
                     R"("cut_at_ddl": true, "database": 5, "confirmed": ")", confirmed.ToString(),
                     R"("})"));
  };
  // What follows is told from what was before by the numbers of transactions.
  Write("/state/gate.json", "{}");
  GateNotes notes = *StateFolder(root_ + "/state").ReadNotes();
  notes.file = NameOf(0);
  notes.next_xid = Xid(700);
  struct stat status {};
  stat((root_ + "/data").c_str(), &status);
  notes.data_folder = absl::StrCat(status.st_dev, ":", status.st_ino);
  ASSERT_TRUE(StateFolder(root_ + "/state").WriteNotes(notes).ok());
  const std::string whole = wal.Segment(0), zeros(kSegment, '\0');
  const auto upto = [&](Lsn lsn) {
    return whole.substr(0, wal.OffsetOf(lsn)) + zeros.substr(wal.OffsetOf(lsn));
  };
  say(Lsn(0x100010));
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), upto(first));
  EXPECT_FALSE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr(absl::StrCat("the WAL is cut at ", first.ToString())));
  say(first);
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), upto(second));  // not before one that follows on no rows
  say(second);
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), whole);
  EXPECT_EQ(StateFolder(root_ + "/state").ReadNotes()->next_xid, Xid(2002));
}

// Whatever was waited for before, the cut is known when it has been passed.
TEST_F(GateTest, ACommitThatTwoSegmentsHold) {
  WalBuilder wal;
  while (kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
  const Lsn last = wal.AddFilling(kSegment - wal.OffsetOf(wal.next()) - 40 - 29);
  const Lsn begin = wal.AddCommit(700, CommitBuilder().Column(20000, 1).Data());
  wal.AddFilling(100);
  Archive(wal, 2);
  const auto say = [&](Lsn confirmed) {
    Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "cut_at_ddl": true, )",
                     R"("confirmed": ")", confirmed.ToString(), R"("})"));
  };
  say(Lsn(0x100010));
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), wal.Segment(0));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_THAT(said_, HasSubstr("the last record before it begins"));
  say(Lsn(last.value() + 8));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_THAT(said_, HasSubstr("the WAL is cut at 0/200000"));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_EQ(said_, "");
  say(begin);
  ASSERT_TRUE(Restore(NameOf(2)));
  EXPECT_EQ(Restored(2), wal.Segment(1));
}

TEST_F(GateTest, GoesAheadOfTheSlotUpToTheFirstCut) {
  WalBuilder wal;
  while (wal.log().size() < 2 * kSegment + 5000) wal.AddFilling(5000);
  const Lsn pruning = wal.next();
  wal.AddPruning(10);
  while (wal.log().size() < 4 * kSegment) wal.AddFilling(5000);
  Archive(wal, 4);
  const auto say = [&](Lsn confirmed) {
    Say(absl::StrCat(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "clear_marks": true, )",
                     R"("ahead": 2, "catalog_xmin": "5", "confirmed": ")", confirmed.ToString(),
                     R"("})"));
  };
  say(Lsn(0x100010));
  ASSERT_TRUE(Restore(NameOf(1)));
  ASSERT_TRUE(Restore(NameOf(2)));
  ASSERT_TRUE(Restore(NameOf(3)));
  EXPECT_EQ(Restored(2), wal.Segment(1));
  const size_t bytes = wal.OffsetOf(pruning) - 2 * kSegment;
  EXPECT_EQ(Restored(3), wal.Segment(2).substr(0, bytes) + std::string(kSegment - bytes, '\0'));
  EXPECT_FALSE(Restore(NameOf(3)));
  EXPECT_FALSE(Restore(NameOf(4)));
  say(pruning);
  ASSERT_TRUE(Restore(NameOf(3)));
  EXPECT_NE(Restored(3).back(), '\0');
  EXPECT_TRUE(Restore(NameOf(4)));
}

TEST_F(GateTest, ASegmentThatBeginsWithAPruning) {
  WalBuilder wal;
  while (kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
  wal.AddFilling(kSegment - wal.OffsetOf(wal.next()) - 29);
  ASSERT_EQ(wal.OffsetOf(wal.next()), kSegment);
  wal.AddPruning(10);
  Archive(wal, 2);
  const std::string more = R"("cut_from": "0/100010", "clear_marks": true})";
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "free_to": "0/200000", )", more));
  ASSERT_TRUE(Restore(NameOf(1)));
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "confirmed": "0/1FFFF0", )", more));
  EXPECT_FALSE(Restore(NameOf(2)));
  EXPECT_THAT(said_, HasSubstr("cut at 0/200000"));
  Say(absl::StrCat(R"({"segment_bytes": 1048576, "confirmed": "0/200000", )", more));
  EXPECT_TRUE(Restore(NameOf(2)));
  EXPECT_NE(Restored(2), wal.Segment(1));
}

TEST_F(GateTest, CutsBehindARecordThatTwoSegmentsHold) {
  WalBuilder wal;
  while (kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
  wal.AddFilling(kSegment - wal.OffsetOf(wal.next()) - 40 - 29);
  wal.AddRunning(10, 5);
  const Lsn end = wal.next();
  wal.AddFilling(100);
  Archive(wal, 2);
  Say(R"({"segment_bytes": 1048576, "free_to": "0/100010", "cut_from": "0/100010"})");
  ASSERT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), wal.Segment(0));
  Say(R"({"segment_bytes": 1048576, "cut_from": "0/100010", "confirmed": "0/1FFFD8"})");
  ASSERT_TRUE(Restore(NameOf(2)));
  const size_t bytes = wal.OffsetOf(end) - kSegment;
  EXPECT_EQ(Restored(2).substr(0, bytes), wal.Segment(1).substr(0, bytes));
  EXPECT_EQ(Restored(2).substr(bytes), std::string(kSegment - bytes, '\0'));
}

TEST_F(GateTest, WhatItCannotReachIsWaitedFor) {
  WalBuilder wal;
  wal.AddFilling(100);
  Archive(wal, 1);
  for (const char* wrong : {"", "{", "[]", R"({"free_to": 5})", R"({"confirmed": "x"})",
                            R"({"segment_bytes": 5})", R"({"catalog_xmin": "many"})"}) {
    Say(wrong);
    EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 1) << wrong;
    EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("cannot read")) << wrong;
  }
  std::filesystem::remove(root_ + "/state/recovery.json");
  EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("there is no "));
  std::filesystem::remove_all(root_ + "/state");
  EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 1);
  EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("gate.lock: No such file or directory"));
  EXPECT_EQ(fetched_, 0);
  // What it does not need the folder for.
  Write("/archive/00000002.history", "1\t0/100000\tno recovery target specified\n");
  EXPECT_TRUE(Restore("00000002.history"));
}

// PostgreSQL's umask lets nobody else read what is made.
TEST_F(GateTest, WhatItNotesTheRecoverysUserReads) {
  WalBuilder wal;
  wal.AddFilling(100);
  Archive(wal, 1);
  const mode_t before = umask(077);
  EXPECT_TRUE(Restore(NameOf(1)));
  EXPECT_TRUE(StateFolder(root_ + "/state").WriteHowFar({}).ok());
  umask(before);
  for (const char* file : {"/state/gate.json", "/state/recovery.json"}) {
    struct stat status {};
    ASSERT_EQ(stat((root_ + file).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0644u) << file;
  }
}

TEST_F(GateTest, AnotherGateIsAtWork) {
  StateFolder other(root_ + "/state");
  ASSERT_TRUE(other.Lock().ok());
  EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 1);
  EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("another gate has "));
}

TEST_F(GateTest, WhatWaitingCannotMendStopsTheServer) {
  WalBuilder wal;
  wal.AddFilling(100);
  Archive(wal, 1);
  Write("/data/recovery.signal", "");
  EXPECT_TRUE(Restore(NameOf(1)));  // both: it stays a standby
  std::filesystem::remove(root_ + "/data/standby.signal");
  EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 126);
  EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("would be promoted"));
  std::filesystem::remove(root_ + "/data/recovery.signal");
  Say(R"({"free_to": "0/2000000"})");
  EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 126);
  EXPECT_THAT(Ask(NameOf(1)).said, HasSubstr("has 1048576 bytes, but recovery.json says"));
  Say(R"({"segment_bytes": 1048576, "free_to": "0/2000000"})");
  WalBuilder newer(2, 0xD120);
  newer.AddFilling(100);
  Archive(newer, 1, 2);
  EXPECT_EQ(Ask(NameOf(2)).end.exit_code, 126);
  EXPECT_THAT(Ask(NameOf(2)).said, HasSubstr("page magic D120"));
}

// As it is: the server says what is wrong with it.
TEST_F(GateTest, WhatIsNoSegmentIsHandedOn) {
  Write("/archive/" + NameOf(1), "short");
  EXPECT_TRUE(Restore(NameOf(1)));
  EXPECT_EQ(Restored(1), "short");
  EXPECT_THAT(said_, HasSubstr("is not a segment"));
  const auto notes = StateFolder(root_ + "/state").ReadNotes();
  ASSERT_TRUE(notes.ok());
  EXPECT_EQ(notes->file, "");
  EXPECT_EQ(notes->waits_for, "archive");
  WalBuilder other(7);
  other.AddFilling(100);
  Archive(other, 1);
  EXPECT_TRUE(Restore(NameOf(1)));
  EXPECT_THAT(said_, HasSubstr("holds the WAL of 0/700000"));
}

TEST_F(GateTest, AnotherRestoreBeginsAnew) {
  WalBuilder wal;
  while (wal.log().size() < 3 * kSegment) wal.AddFilling(5000);
  Archive(wal, 3);
  Say(R"({"segment_bytes": 1048576, "free_to": "0/400000"})");
  for (uint64_t number = 1; number <= 3; ++number) EXPECT_TRUE(Restore(NameOf(number)));
  Say(R"({"segment_bytes": 1048576, "free_to": "0/200000"})");
  EXPECT_TRUE(Restore(NameOf(3)));  // it had it
  std::filesystem::rename(root_ + "/data", root_ + "/old");
  std::filesystem::create_directories(root_ + "/data/pg_wal");
  EXPECT_FALSE(Restore(NameOf(3)));
  EXPECT_TRUE(Restore(NameOf(1)));
}

TEST_F(GateTest, TheArchivesAnswerIsHandedOn) {
  EXPECT_EQ(Ask(NameOf(1)).end.exit_code, 1);  // cp's
  EXPECT_THAT(Read("/state/gate.json"), HasSubstr(R"("waits_for":"archive")"));
  const GateRequest request{root_ + "/state", {NameOf(1), "pg_wal/RECOVERYXLOG"}, {}};
  for (const CommandEnd end : {CommandEnd{2, 0}, {125, 0}, {126, 0}, {255, 0}, {0, SIGTERM}}) {
    const GateAnswer answer = AnswerAtGate(request, Environment::Real(), [&] { return end; });
    EXPECT_EQ(answer.end.exit_code, end.exit_code);
    EXPECT_EQ(answer.end.signal, end.signal);
    EXPECT_THAT(answer.said, IsEmpty());
  }
}

TEST(ArchiveCommandTest, EndsAsItEnds) {
  EXPECT_EQ(RunCommand({"true"}).exit_code, 0);
  EXPECT_EQ(RunCommand({"sh", "-c", "exit 125"}).exit_code, 125);
  EXPECT_EQ(RunCommand({"sh", "-c", "kill -TERM $$"}).signal, SIGTERM);
  EXPECT_EQ(RunCommand({"no-such-command-at-all"}).exit_code, 127);
  EXPECT_EQ(RunCommand({"/etc/passwd"}).exit_code, 126);
}

TEST(ArchiveCommandTest, OneWordIsForTheShell) {
  const AskedFor asked{"00000002.history", "pg_wal/RECOVERYHISTORY"};
  EXPECT_EQ(CommandFor({"gunzip < /a/%f.gz > \"%p\"; date +%%s %x"}, asked),
            (std::vector<std::string>{
                "/bin/sh", "-c",
                "gunzip < /a/00000002.history.gz > \"pg_wal/RECOVERYHISTORY\"; date +%s %x"}));
  EXPECT_EQ(CommandFor({"cp", "%f"}, asked), (std::vector<std::string>{"cp", "%f"}));
}

TEST(ArchiveCommandTest, TheProcessEndsInTheSameWay) {
  EXPECT_EXIT(EndAs({125, 0}), testing::ExitedWithCode(125), "");
  EXPECT_EXIT(EndAs({0, SIGTERM}), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(EndAs({0, SIGKILL}), testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace walduct::recover
