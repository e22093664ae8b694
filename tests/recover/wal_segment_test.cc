#include "recover/wal_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recover/crc32c.h"
#include "recover/wal_name.h"
#include "tests/recover/commit_builder.h"
#include "tests/recover/wal_builder.h"

namespace walduct::recover {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

SegmentRecords Read(const std::string& segment, absl::string_view head = "", Lsn begin = Lsn()) {
  const auto header = ReadSegmentHeader(segment);
  EXPECT_TRUE(header.ok()) << header.status();
  return header.ok() ? ReadRecords(*header, segment, head, begin) : SegmentRecords();
}

TEST(Crc32cTest, IsCastagnolis) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c("6789", Crc32c("12345")), 0xE3069283u);
}

TEST(WalNameTest, SegmentsByNumberWhateverTheTimeline) {
  const auto name = WalName::OfSegment("0000000200000001000000AB");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->timeline, 2u);
  EXPECT_EQ(name->Number(16 << 20), 0x1ABu);
  EXPECT_EQ(name->Begin(16 << 20).ToString(), "1/AB000000");
  EXPECT_EQ(WalName::OfSegment("00000002000000010000000F")->Begin(256 << 20).ToString(),
            "1/F0000000");
  for (const char* other :
       {"00000002.history", "0000000200000001000000AB.partial", "0000000200000001000000aB", ""})
    EXPECT_FALSE(WalName::OfSegment(other)) << other;
}

TEST(WalNameTest, AreFoundInTheWordsOfACommand) {
  AskedFor asked;
  for (const char* word :
       {"--stanza=shop", "archive-get", "000000010000000000000005", "pg_wal/RECOVERYXLOG"})
    FindAskedFor(word, &asked);
  EXPECT_EQ(asked.file, "000000010000000000000005");
  EXPECT_EQ(asked.path, "pg_wal/RECOVERYXLOG");
  AskedFor in_text;
  FindAskedFor("lz4 -d < /archive/00000002.history.lz4 > \"pg_wal/RECOVERYHISTORY\"", &in_text);
  EXPECT_EQ(in_text.file, "00000002.history");
  EXPECT_EQ(in_text.path, "pg_wal/RECOVERYHISTORY");
  AskedFor none;
  FindAskedFor("/a0000000100000000000000051/x", &none);
  EXPECT_EQ(none.file + none.path, "");
}

TEST(WalSegmentTest, RunningXactsAreFoundOverPages) {
  WalBuilder wal;
  wal.AddFilling(100);
  const Lsn first = wal.AddRunning(700, 3);
  const Lsn behind_first = wal.next();
  for (int i = 0; i < 20; ++i) wal.AddFilling(3000);  // over pages
  wal.AddFilling(50000);                              // over many
  const Lsn second = wal.AddRunning(0xFFFFFFF0, 2000);
  const Lsn last = wal.AddFilling(1);
  const SegmentRecords records = Read(wal.Segment(0));
  ASSERT_EQ(records.running.size(), 2u);
  EXPECT_EQ(records.running[0].begin, first);
  EXPECT_EQ(records.running[0].end, behind_first);
  EXPECT_EQ(records.running[0].oldest_running, Xid(700));
  EXPECT_EQ(records.running[1].begin, second);
  EXPECT_EQ(records.running[1].oldest_running, Xid(0xFFFFFFF0));
  EXPECT_EQ(records.last_begin, last);
  EXPECT_EQ(records.last_end, wal.next());
  EXPECT_EQ(records.head + records.stopped, "");
}

// At each place around the end of a segment, the record's header over it, too.
TEST(WalSegmentTest, OneThatTheNextSegmentEnds) {
  for (size_t before = 8; before <= 64; before += 8) {
    WalBuilder wal;
    wal.AddFilling(100);
    while (WalBuilder::kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
    const Lsn last = wal.next();
    // 24 bytes of header and 5 before the payload.
    wal.AddFilling(WalBuilder::kSegment - wal.OffsetOf(last) - before - 29);
    ASSERT_EQ(wal.OffsetOf(wal.next()), WalBuilder::kSegment - before);
    const Lsn running = wal.AddRunning(800, 20);
    const Lsn behind = wal.next();
    wal.AddRunning(801);
    const SegmentRecords first = Read(wal.Segment(0));
    EXPECT_EQ(first.last_begin, last);
    EXPECT_THAT(first.running, IsEmpty());
    EXPECT_EQ(first.head.size(), before);
    EXPECT_EQ(first.head_begin, running);
    const SegmentRecords second = Read(wal.Segment(1), first.head, first.head_begin);
    ASSERT_EQ(second.running.size(), 2u) << before;
    EXPECT_EQ(second.running[0].begin, running);
    EXPECT_EQ(second.running[0].end, behind);
    EXPECT_EQ(second.running[0].oldest_running, Xid(800));
    EXPECT_EQ(Read(wal.Segment(1)).running.size(), 1u);  // without its head it is skipped
  }
}

TEST(WalSegmentTest, ARecordThatFillsSegments) {
  WalBuilder wal;
  wal.AddFilling(3 << 20);
  const Lsn running = wal.AddRunning(9);
  const SegmentRecords first = Read(wal.Segment(0));
  EXPECT_FALSE(first.last_begin.valid());
  EXPECT_EQ(first.head, "");  // of no use, and large
  EXPECT_FALSE(Read(wal.Segment(1)).last_begin.valid());
  const SegmentRecords last = Read(wal.Segment(3));
  ASSERT_EQ(last.running.size(), 1u);
  EXPECT_EQ(last.running[0].begin, running);
}

TEST(WalSegmentTest, EndsWhereTheServerHasWrittenNoFurther) {
  WalBuilder wal;
  wal.AddRunning(7);
  const std::string written = wal.Segment(0);
  const size_t end = wal.OffsetOf(wal.next());
  wal.AddRunning(8);
  EXPECT_EQ(Read(written).running.size(), 1u);
  EXPECT_EQ(Read(written).stopped, "");
  // Half of a record.
  std::string half = wal.Segment(0);
  std::fill(half.begin() + static_cast<ptrdiff_t>(end) + 30, half.end(), '\0');
  EXPECT_EQ(Read(half).running.size(), 1u);
  EXPECT_THAT(Read(half).stopped, HasSubstr("no valid record"));
  // What a recycled file had before: whole records, which follow on others.
  std::string recycled = wal.Segment(0);
  WalBuilder older;
  for (int i = 0; i < 9; ++i) older.AddRunning(1);
  const std::string old = older.Segment(0);
  std::copy(old.begin() + static_cast<ptrdiff_t>(end), old.end(),
            recycled.begin() + static_cast<ptrdiff_t>(end));
  recycled[end + 8] ^= 1;
  EXPECT_EQ(Read(recycled).running.size(), 1u);
}

std::string WithEdits(std::string segment, const SegmentRecords& records) {
  for (const CatalogPruning& pruning : records.prunings) {
    for (const CatalogPruning::Edit& edit : pruning.edits) segment[edit.at] = edit.to;
  }
  return segment;
}

// At each place around the end of a page: checksum and mark on either side.
TEST(WalSegmentTest, APruningLosesItsMark) {
  for (size_t before = 8; before <= 64; before += 8) {
    WalBuilder wal;
    wal.AddFilling(WalBuilder::kPage - 40 - before - 29);
    ASSERT_EQ(wal.OffsetOf(wal.next()), WalBuilder::kPage - before);
    const Lsn begin = wal.AddPruning(700);
    wal.AddPruning(701, 1259, false);
    const Lsn last = wal.AddPruning(0xFFFFFFF0, 1249);
    const std::string segment = wal.Segment(0);
    const SegmentRecords records = Read(segment);
    ASSERT_EQ(records.prunings.size(), 2u) << before;
    EXPECT_EQ(records.prunings[0].begin, begin);
    EXPECT_EQ(records.prunings[0].horizon, Xid(700));
    EXPECT_EQ(records.prunings[1].horizon, Xid(0xFFFFFFF0));
    const SegmentRecords without = Read(WithEdits(segment, records));
    EXPECT_THAT(without.prunings, IsEmpty());
    EXPECT_EQ(without.last_begin, last);  // with its checksum
    EXPECT_EQ(without.stopped, "");
  }
}

// What is published is looked up in them.
TEST(WalSegmentTest, APruningOfPublicationsKeepsIt) {
  WalBuilder wal;
  for (const uint32_t relation : {6104u, 6106u, 6116u, 6237u}) wal.AddPruning(700, relation);
  const SegmentRecords records = Read(wal.Segment(0));
  ASSERT_EQ(records.prunings.size(), 4u);
  EXPECT_EQ(WithEdits(wal.Segment(0), records), wal.Segment(0));
}

TEST(WalSegmentTest, APromotionIsSeen) {
  constexpr std::pair<int, uint32_t> kRecords[] = {{0x90, 1}, {0x00, 1}, {0x00, 2}, {0x10, 1}};
  for (const auto& [info, before] : kRecords) {
    WalBuilder wal;
    wal.AddRunning(100);
    std::string timelines(40, '\0');
    WalBuilder::Put<uint32_t>(&timelines, 8, 2);
    WalBuilder::Put<uint32_t>(&timelines, 12, before);
    const Lsn begin = wal.Add(0, static_cast<uint8_t>(info), timelines);
    const std::string segment = wal.Segment(0);
    const SegmentRecords found = ReadRecords(*ReadSegmentHeader(segment), segment, "", Lsn());
    EXPECT_EQ(found.promoted, info != 0x10 && before == 1 ? begin : Lsn());
  }
}

TEST(WalSegmentTest, ASwitchEndsIt) {
  WalBuilder wal;
  wal.AddRunning(7);
  const Lsn ended = wal.Add(0, 0x40, "");
  wal.AddRunning(8);
  const SegmentRecords records = Read(wal.Segment(0));
  EXPECT_EQ(records.running.size(), 1u);
  EXPECT_EQ(records.last_begin, ended);
  EXPECT_EQ(records.last_end, Lsn(2 << 20));
}

// A server that crashed in a record, and goes on behind it on the next page.
TEST(WalSegmentTest, ARecordThatWasNeverFinished) {
  WalBuilder wal;
  const Lsn valid = wal.AddFilling(8000);
  wal.AddFilling(3000);
  std::string segment = wal.Segment(0);
  const size_t page = WalBuilder::kPage;
  std::fill(segment.begin() + page, segment.end(), '\0');
  WalBuilder::Put<uint16_t>(&segment, page, 0xD116);
  WalBuilder::Put<uint16_t>(&segment, page + 2, 8);
  WalBuilder::Put<uint32_t>(&segment, page + 4, 1);
  WalBuilder::Put<uint64_t>(&segment, page + 8, (1 << 20) + page);
  std::string record(26 + 24, '\0');
  WalBuilder::Put<uint32_t>(&record, 0, static_cast<uint32_t>(record.size()));
  WalBuilder::Put<uint64_t>(&record, 8, valid.value());
  record[16] = 0x10;
  record[17] = 8;
  record[24] = '\xFF';
  record[25] = 24;
  WalBuilder::Put<uint32_t>(&record, 26 + 16, 55);
  WalBuilder::Put<uint32_t>(&record, 20, Crc32c(record.substr(0, 20), Crc32c(record.substr(24))));
  segment.replace(page + 24, record.size(), record);
  const SegmentRecords records = Read(segment);
  ASSERT_EQ(records.running.size(), 1u);
  EXPECT_EQ(records.running[0].begin.value(), (1u << 20) + page + 24);
  EXPECT_EQ(records.running[0].oldest_running, Xid(55));
}

TEST(WalSegmentTest, AWrongByteIsSeen) {
  WalBuilder wal;
  const Lsn good = wal.AddFilling(500);
  const Lsn bad = wal.AddFilling(500);
  wal.AddRunning(7);
  wal.log()[wal.OffsetOf(bad) + 100] ^= 1;
  const SegmentRecords records = Read(wal.Segment(0));
  EXPECT_EQ(records.last_begin, good);
  EXPECT_THAT(records.running, IsEmpty());
  EXPECT_THAT(records.stopped, HasSubstr(bad.ToString()));
}

std::string Altered() { return CommitBuilder().Column(20000, 1).Data(); }

std::vector<DdlCommit> DdlOf(const WalBuilder& wal, std::optional<Xid> begun_from) {
  const std::string segment = wal.Segment(0);
  return ReadRecords(*ReadSegmentHeader(segment), segment, "", Lsn(), begun_from).ddl;
}

TEST(DdlWatchTest, WhatWasCommittedBeforeHasRowsOrNot) {
  WalBuilder wal;
  wal.AddRow(700);
  const Lsn first = wal.AddCommit(701, Altered());
  const Lsn second = wal.AddCommit(702, Altered());
  wal.AddCommit(700);
  const Lsn rows = wal.next();
  const Lsn third = wal.AddCommit(703, Altered());
  wal.AddRow(705);  // of a subtransaction
  wal.AddCommit(704, CommitBuilder().Subtransactions({705}).Column(20000, 1).Data());
  const Lsn own_rows = wal.next();
  wal.AddCommit(706, CommitBuilder().Table(30000).Data());
  wal.AddRow(707, 1259);  // of a catalog
  const Lsn last = wal.AddCommit(707, Altered());
  const std::vector<DdlCommit> ddl = DdlOf(wal, Xid(700));
  ASSERT_EQ(ddl.size(), 5u);
  const Lsn begin(WalBuilder::kSegment);
  EXPECT_EQ(ddl[0].begin, first);
  EXPECT_EQ(ddl[0].stop, first);
  EXPECT_EQ(ddl[0].database, 5u);
  EXPECT_EQ(ddl[0].rows_to, begin);
  EXPECT_EQ(ddl[0].enough, first);
  EXPECT_EQ(ddl[1].begin, second);
  EXPECT_EQ(ddl[1].rows_to, begin);
  EXPECT_EQ(ddl[2].begin, third);
  EXPECT_EQ(ddl[2].rows_to, rows);
  EXPECT_EQ(ddl[2].enough, rows);
  EXPECT_EQ(ddl[3].rows_to, rows);
  EXPECT_EQ(ddl[4].begin, last);
  EXPECT_EQ(ddl[4].rows_to, own_rows);
}

// It may have them in a segment before.
TEST(DdlWatchTest, ATransactionThatMayHaveBegunBefore) {
  WalBuilder wal;
  wal.AddCommit(700, Altered());
  const Lsn behind = wal.next();
  wal.AddCommit(701, Altered());
  for (const std::optional<Xid> begun_from : {std::optional<Xid>(), std::optional(Xid(701))})
    EXPECT_EQ(DdlOf(wal, begun_from)[1].rows_to, behind);
  EXPECT_EQ(DdlOf(wal, Xid(700))[1].rows_to, Lsn(WalBuilder::kSegment));
  // A list of those that run says where the next one begins.
  WalBuilder listed;
  listed.AddRunning(700);
  listed.AddCommit(700, Altered());
  listed.AddCommit(701, Altered());
  EXPECT_EQ(DdlOf(listed, std::nullopt)[1].rows_to, Lsn(WalBuilder::kSegment));
}

TEST(DdlWatchTest, ThoseThatWerePrepared) {
  WalBuilder wal;
  wal.Add(1, 0x10, std::string(60, 'x'), "", 700);
  const Lsn prepared = wal.next();
  const Lsn begin = wal.Add(1, 0x80 | 0x30, CommitBuilder().Column(20000, 1).Prepared(700).Data());
  const Lsn committed = wal.next();
  wal.AddCommit(701, Altered());
  const std::vector<DdlCommit> ddl = DdlOf(wal, Xid(700));
  ASSERT_EQ(ddl.size(), 2u);
  EXPECT_EQ(ddl[0].begin, begin);
  EXPECT_EQ(ddl[0].rows_to, prepared);
  EXPECT_EQ(ddl[1].rows_to, committed);
}

TEST(DdlWatchTest, NoneWhileACatalogIsLocked) {
  WalBuilder wal;
  wal.AddLock(700, 1259);
  wal.AddLock(701, 20000);
  wal.AddCommit(701, Altered());
  wal.AddCommit(700, CommitBuilder().Table(30000).Files(1).Data());
  wal.AddLock(702, 1259);
  wal.Add(1, 0x20, std::string(8, 'x'), "", 702);
  const Lsn free = wal.AddCommit(703, Altered());
  const std::vector<DdlCommit> ddl = DdlOf(wal, Xid(700));
  ASSERT_EQ(ddl.size(), 1u);
  EXPECT_EQ(ddl[0].begin, free);
}

TEST(DdlWatchTest, ACatalogIsFreeWhenWhoHadItLockedHasEnded) {
  const auto cut_behind = [](const std::function<void(WalBuilder*)>& ends) {
    WalBuilder wal;
    wal.AddLock(701, 1259);
    wal.AddCommit(710, Altered());
    ends(&wal);
    wal.AddCommit(711, Altered());
    return DdlOf(wal, Xid(700)).size();
  };
  const auto aborts = [](WalBuilder* wal, uint8_t info, uint32_t xid, const CommitBuilder& parts) {
    wal->Add(1, 0x80 | info, parts.Data(), "", xid);
  };
  EXPECT_EQ(cut_behind([](WalBuilder*) {}), 0u);
  EXPECT_EQ(cut_behind([&](WalBuilder* wal) { aborts(wal, 0x20, 702, CommitBuilder()); }), 0u);
  EXPECT_EQ(cut_behind([&](WalBuilder* wal) { aborts(wal, 0x20, 701, CommitBuilder()); }), 1u);
  EXPECT_EQ(
      cut_behind([&](WalBuilder* wal) {  // of a subtransaction
        aborts(wal, 0x20, 700, CommitBuilder().Subtransactions({701, 705}).Files(2).Statistics(1));
      }),
      1u);
  EXPECT_EQ(cut_behind([&](WalBuilder* wal) {  // ROLLBACK PREPARED
              aborts(wal, 0x40, 0, CommitBuilder().Subtransactions({705}).Files(2).Prepared(701));
            }),
            1u);
  // After a crash, which leaves no record of it.
  EXPECT_EQ(cut_behind([](WalBuilder* wal) { wal->AddRunning(701, 20); }), 0u);
  EXPECT_EQ(cut_behind([](WalBuilder* wal) { wal->AddRunning(702, 20); }), 1u);
}

TEST(DdlWatchTest, ACatalogThatASegmentBeforeHasLocked) {
  WalBuilder wal;
  wal.AddLock(701, 1259);
  const SegmentRecords first = Read(wal.Segment(0));
  EXPECT_EQ(first.lock_catalogs, std::vector<Xid>{Xid(701)});
  WalBuilder next(2);
  next.AddCommit(702, Altered());
  next.AddCommit(701);
  const Lsn free = next.AddCommit(703, Altered());
  const std::string segment = next.Segment(0);
  const SegmentRecords second =
      ReadRecords(*ReadSegmentHeader(segment), segment, "", Lsn(), Xid(702), first.lock_catalogs);
  ASSERT_EQ(second.ddl.size(), 1u);
  EXPECT_EQ(second.ddl[0].begin, free);
  EXPECT_THAT(second.lock_catalogs, IsEmpty());
}

// ALTER TABLE beside ANALYZE of a catalog; and VACUUM FULL, whose lock may be in a segment before.
TEST(DdlWatchTest, ACommitThatSpeaksOfACatalog) {
  WalBuilder wal;
  const std::string both = CommitBuilder().Relation(1259).Column(20000, 1).Data();
  wal.AddCommit(700, both);
  wal.AddRunning(701);
  const Lsn known = wal.AddCommit(701, both);
  const std::vector<DdlCommit> ddl = DdlOf(wal, std::nullopt);
  ASSERT_EQ(ddl.size(), 1u);
  EXPECT_EQ(ddl[0].begin, known);
  EXPECT_EQ(DdlOf(wal, Xid(700)).size(), 2u);
}

TEST(DdlWatchTest, TheNextTransaction) {
  WalBuilder wal;
  wal.AddRow(700);
  EXPECT_FALSE(Read(wal.Segment(0)).next_xid);  // an older one may have a higher number
  const auto next = [](const WalBuilder& of, uint32_t begun_from) {
    const std::string segment = of.Segment(0);
    const auto header = ReadSegmentHeader(segment);
    return ReadRecords(*header, segment, "", Lsn(), Xid(begun_from)).next_xid;
  };
  EXPECT_EQ(next(wal, 650), Xid(701));
  EXPECT_EQ(next(wal, 750), Xid(750));
  wal.AddRunning(690, 20);
  EXPECT_EQ(Read(wal.Segment(0)).next_xid, Xid(710));
  // Of a record that only begins here, too.
  while (WalBuilder::kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
  wal.Add(10, 0, std::string(5000, 'x'), "", 800);
  EXPECT_EQ(next(wal, 650), Xid(801));
  WalBuilder around;
  around.AddRow(3);
  EXPECT_EQ(next(around, 0xFFFFFFF0), Xid(4));
  around.AddRow(4);
  around.log().back() ^= 1;  // no valid record
  EXPECT_FALSE(next(around, 0xFFFFFFF0));
}

// At each place around the end of a segment: replay stops where the next one begins, for of that
// one it needs the rest.
TEST(DdlWatchTest, OneThatTheNextSegmentEnds) {
  for (size_t before = 8; before <= 88; before += 8) {
    WalBuilder wal;
    wal.AddFilling(100);
    while (WalBuilder::kSegment - wal.OffsetOf(wal.next()) > 3000) wal.AddFilling(2000);
    wal.AddFilling(WalBuilder::kSegment - wal.OffsetOf(wal.next()) - before - 29);
    ASSERT_EQ(wal.OffsetOf(wal.next()), WalBuilder::kSegment - before);
    const Lsn begin = wal.AddCommit(700, Altered());
    wal.AddFilling(10);
    const SegmentRecords first = Read(wal.Segment(0));
    EXPECT_THAT(first.ddl, IsEmpty());
    const SegmentRecords second = Read(wal.Segment(1), first.head, first.head_begin);
    ASSERT_EQ(second.ddl.size(), 1u) << before;
    EXPECT_EQ(second.ddl[0].begin, begin);
    EXPECT_EQ(second.ddl[0].stop, Lsn(2 * WalBuilder::kSegment));
    EXPECT_EQ(second.ddl[0].rows_to, Lsn(2 * WalBuilder::kSegment));
    EXPECT_EQ(second.ddl[0].enough, begin);
  }
}

// The record before it ends before the page's header.
TEST(DdlWatchTest, OneThatAPageBeginsWith) {
  WalBuilder wal;
  wal.AddFilling(WalBuilder::kPage - 40 - 29);
  ASSERT_EQ(wal.OffsetOf(wal.next()), WalBuilder::kPage);
  const Lsn begin = wal.AddCommit(700, Altered());
  EXPECT_EQ(begin.value(), WalBuilder::kSegment + WalBuilder::kPage + 24u);
  EXPECT_EQ(DdlOf(wal, std::nullopt)[0].begin.value(), WalBuilder::kSegment + WalBuilder::kPage);
  // And of the last page of a segment, over the end of which it goes.
  WalBuilder large;
  const size_t last_page = WalBuilder::kSegment - WalBuilder::kPage;
  while (last_page - large.OffsetOf(large.next()) > 3000) large.AddFilling(2000);
  large.AddFilling(last_page - large.OffsetOf(large.next()) - 29);
  ASSERT_EQ(large.OffsetOf(large.next()), last_page);
  CommitBuilder commit;
  for (int16_t number = 1; number < 300; ++number) commit.Column(20000, number);
  large.AddCommit(700, commit.Data());
  const SegmentRecords first = Read(large.Segment(0));
  const SegmentRecords second = Read(large.Segment(1), first.head, first.head_begin);
  ASSERT_EQ(second.ddl.size(), 1u);
  EXPECT_EQ(second.ddl[0].begin.value(), WalBuilder::kSegment + last_page);
}

TEST(WalSegmentTest, WhatIsNoSegment) {
  WalBuilder wal;
  wal.AddRunning(7);
  const std::string good = wal.Segment(0);
  EXPECT_EQ(ReadSegmentHeader(good)->major, 17);
  for (const std::string& bad : {std::string(), std::string(1 << 20, '\0'), good.substr(0, 40),
                                 good.substr(0, 8192), good + good}) {
    EXPECT_TRUE(absl::IsDataLoss(ReadSegmentHeader(bad).status()));
  }
  for (const uint16_t magic : {uint16_t{0xD110}, uint16_t{0xD11A}}) {  // of 15; of none yet
    WalBuilder other(1, magic);
    other.AddRunning(7);
    const auto header = ReadSegmentHeader(other.Segment(0));
    EXPECT_TRUE(absl::IsUnimplemented(header.status()));
    EXPECT_THAT(header.status().message(), HasSubstr("16, 17 and 18"));
  }
}

}  // namespace
}  // namespace walduct::recover
