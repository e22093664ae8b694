#include "offset/stored_offset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "offset/offset_key.h"

namespace walduct::offset {
namespace {

using event::SnapshotPhase;

std::string ReadGolden(const std::string& name) {
  std::ifstream in(std::string(WALDUCT_SOURCE_DIR "/tests/golden/offsets/") + name,
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

StoredOffset Decoded(absl::string_view json) {
  const absl::StatusOr<StoredOffset> offset = DecodeOffset(json);
  EXPECT_TRUE(offset.ok()) << offset.status();
  return offset.ok() ? *offset : StoredOffset{};
}

StoredOffset Streaming() {
  StoredOffset offset;
  offset.position.commit_end = Lsn(3594073400);
  offset.position.xid = 329789;
  offset.position.commit_time_us = 1795224837923741;
  offset.system_identifier = "7500000000000000001";
  offset.timeline = 1;
  return offset;
}

TEST(StoredOffsetTest, ACommitBoundaryIsWhatDebeziumWritesAtACommit) {
  EXPECT_EQ(EncodeOffset(Streaming()),
            R"({"lsn_proc":3594073400,"messageType":"COMMIT","lsn_commit":3594073400,)"
            R"("lsn":3594073400,"txId":329789,"ts_usec":1795224837923741,"walduct_ordinal":0,)"
            R"("walduct_system_id":"7500000000000000001","walduct_timeline":1})");
}

TEST(StoredOffsetTest, InsideATransactionDebeziumsKeysStayAtTheBoundary) {
  StoredOffset offset = Streaming();
  offset.position.ordinal = 7;
  offset.position.transaction_final_lsn = Lsn(3594080000);
  offset.position.change_lsn = Lsn(3594079000);
  const std::string json = EncodeOffset(offset);
  EXPECT_EQ(
      json.substr(0, 93),
      R"({"lsn_proc":3594073400,"messageType":"COMMIT","lsn_commit":3594073400,"lsn":3594073400,"txId")");
  const StoredOffset back = Decoded(json);
  EXPECT_EQ(back.position, offset.position);
  EXPECT_EQ(back.position.transaction_final_lsn, Lsn(3594080000));
  EXPECT_EQ(back.position.change_lsn, Lsn(3594079000));
  EXPECT_TRUE(back.written_by_walduct);
  EXPECT_EQ(back.system_identifier, "7500000000000000001");
  EXPECT_EQ(back.timeline, 1u);
}

TEST(StoredOffset, WhatIsKnownOfTheServerIsKept) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(5);
  offset.of_standby = true;
  offset.seen_behind = Lsn(4);
  offset.slot_held = true;
  const std::string json = EncodeOffset(offset);
  EXPECT_THAT(json,
              testing::HasSubstr(
                  R"("walduct_standby":true,"walduct_seen_behind":4,"walduct_slot_held":true})"));
  const StoredOffset back = *DecodeOffset(json);
  EXPECT_TRUE(back.of_standby);
  EXPECT_EQ(back.seen_behind, Lsn(4));
  EXPECT_TRUE(back.slot_held);
  EXPECT_FALSE(back.timeline.has_value());
  EXPECT_FALSE(DecodeOffset(R"({"lsn":1})")->seen_behind.has_value());
}

TEST(StoredOffset, TheSlotThatItWasReadFromIsKept) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(5);
  EXPECT_THAT(EncodeOffset(offset), testing::Not(testing::HasSubstr("walduct_slot_name")));
  offset.slot_name = "shop";
  const std::string json = EncodeOffset(offset);
  EXPECT_THAT(json, testing::HasSubstr(R"("walduct_slot_name":"shop")"));
  const StoredOffset back = *DecodeOffset(json);
  EXPECT_EQ(back.slot_name, "shop");
  EXPECT_TRUE(back.members.empty());
  EXPECT_EQ(DecodeOffset(R"({"lsn":1,"walduct_slot_name":7})")->slot_name, "");
}

TEST(StoredOffset, WhatASnapshotHasSeenIsKeptAndWhoTookItIsNot) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(5);
  offset.snapshot_seen = Lsn(9);
  offset.taken_by = "00f1";
  const std::string json = EncodeOffset(offset);
  EXPECT_THAT(json, testing::HasSubstr(R"("walduct_snapshot_seen":9,"walduct_taken_by":"00f1"})"));
  const StoredOffset back = *DecodeOffset(json);
  EXPECT_EQ(back.snapshot_seen, Lsn(9));
  EXPECT_TRUE(back.members.empty());
  EXPECT_THAT(EncodeOffset(back), testing::Not(testing::HasSubstr("taken_by")));
}

TEST(StoredOffset, AChangeToBeSkippedIsKept) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(5);
  offset.skip = event::ChangeId{Lsn(0x16B3748), 3};
  const std::string json = EncodeOffset(offset);
  EXPECT_THAT(json, testing::HasSubstr(R"("walduct_skip":"0/16B3748:3"})"));
  const StoredOffset back = *DecodeOffset(json);
  EXPECT_EQ(back.skip, offset.skip);
  EXPECT_TRUE(back.members.empty());
  for (const char* broken : {R"({"lsn":5,"walduct_skip":7})", R"({"lsn":5,"walduct_skip":"x"})"})
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeOffset(broken).status())) << broken;
}

TEST(StoredOffsetTest, SNP_12_ARunningSnapshotSaysSo) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(100);
  offset.position.xid = 5;
  offset.position.commit_time_us = 9;
  offset.position.snapshot = SnapshotPhase::kRunning;
  EXPECT_EQ(EncodeOffset(offset),
            R"({"ts_usec":9,"txId":5,"lsn":100,"snapshot":"INITIAL","last_snapshot_record":false,)"
            R"("snapshot_completed":false,"walduct_ordinal":0})");
  EXPECT_EQ(Decoded(EncodeOffset(offset)).position.snapshot, SnapshotPhase::kRunning);
}

TEST(StoredOffsetTest, ACompletedSnapshotKeepsItsKeysUntilTheFirstCommit) {
  StoredOffset offset;
  offset.position.commit_end = Lsn(100);
  offset.position.snapshot = SnapshotPhase::kCompleted;
  offset.position.ordinal = 3;
  offset.position.transaction_final_lsn = Lsn(150);
  const std::string json = EncodeOffset(offset);
  EXPECT_EQ(json, R"({"ts_usec":0,"lsn":100,"snapshot":"INITIAL","last_snapshot_record":true,)"
                  R"("snapshot_completed":true,"walduct_ordinal":3,"walduct_final_lsn":150})");
  EXPECT_EQ(Decoded(json).position.snapshot, SnapshotPhase::kCompleted);
  EXPECT_EQ(Decoded(json).position.ordinal, 3u);
}

TEST(StoredOffsetTest, RST_18_DebeziumsRestBodyIsRead) {
  const auto offsets = DecodeRestBody(ReadGolden("streaming.rest.json"), "srv", 1);
  ASSERT_TRUE(offsets.ok()) << offsets.status();
  const std::optional<StoredOffset>* const offset = offsets->data();
  ASSERT_TRUE(offset->has_value());
  EXPECT_EQ((*offset)->position.commit_end, Lsn(3594073400));
  EXPECT_EQ((*offset)->position.xid, 329789u);
  EXPECT_EQ((*offset)->position.commit_time_us, 1795224837923741);
  EXPECT_EQ((*offset)->position.snapshot, SnapshotPhase::kNone);
  EXPECT_FALSE((*offset)->written_by_walduct);
  EXPECT_EQ((*offset)->members.at("transaction_id"), "\"329789\"");
}

TEST(StoredOffsetTest, RST_17_OlderFormatsStandAtWhatWasProcessedLast) {
  EXPECT_EQ(Decoded(R"({"lsn_proc":70,"lsn":90,"lsn_commit":50})").position.commit_end, Lsn(50));
  EXPECT_EQ(Decoded(R"({"lsn_proc":70,"lsn":90})").position.commit_end, Lsn(70));
  const StoredOffset oldest = Decoded(R"({"lsn":90})");
  EXPECT_EQ(oldest.position.commit_end, Lsn(90));
  EXPECT_EQ(oldest.position.commit_time_us, 0);
  EXPECT_EQ(oldest.position.xid, 0u);
}

TEST(StoredOffsetTest, AnLsnThatJavaPrintsAsNegativeIsUnsigned) {
  EXPECT_EQ(Decoded(R"({"lsn":-1})").position.commit_end, Lsn(0xFFFFFFFFFFFFFFFF));
  StoredOffset offset;
  offset.position.commit_end = Lsn(0xFFFFFFFFFFFFFFFE);
  EXPECT_NE(EncodeOffset(offset).find("\"lsn\":-2"), std::string::npos);
  EXPECT_EQ(Decoded(EncodeOffset(offset)).position.commit_end, offset.position.commit_end);
}

TEST(StoredOffsetTest, EverySpellingOfTheSnapshotKeys) {
  const auto phase = [](absl::string_view keys) {
    return Decoded("{\"lsn\":1," + std::string(keys) + "}").position.snapshot;
  };
  EXPECT_EQ(phase(R"("snapshot":true)"), SnapshotPhase::kRunning);
  EXPECT_EQ(phase(R"("snapshot":true,"last_snapshot_record":true)"), SnapshotPhase::kCompleted);
  EXPECT_EQ(phase(R"("snapshot":"true","last_snapshot_record":false)"), SnapshotPhase::kRunning);
  EXPECT_EQ(phase(R"("snapshot":"INITIAL","snapshot_completed":false)"), SnapshotPhase::kRunning);
  EXPECT_EQ(phase(R"("snapshot":"INITIAL","last_snapshot_record":true,"snapshot_completed":false)"),
            SnapshotPhase::kRunning);
  EXPECT_EQ(phase(R"("snapshot":"INITIAL","snapshot_completed":true)"), SnapshotPhase::kCompleted);
  EXPECT_EQ(phase(R"("snapshot":"INCREMENTAL","snapshot_completed":false)"), SnapshotPhase::kNone);
  EXPECT_EQ(phase(R"("snapshot":false)"), SnapshotPhase::kNone);
  EXPECT_EQ(phase(R"("snapshot":null)"), SnapshotPhase::kNone);
}

TEST(StoredOffsetTest, ForeignKeysSurviveARoundTrip) {
  const StoredOffset offset = Decoded(R"({"lsn":1,"xmin":12,"transaction_id":null})");
  const StoredOffset again = Decoded(EncodeOffset(offset));
  EXPECT_EQ(again.members, offset.members);
  EXPECT_EQ(again.members.at("xmin"), "12");
  for (const std::string name : {"walduct_blocking_snapshots", "walduct_incremental_snapshot",
                                 "walduct_tables", "walduct_types"}) {
    const StoredOffset waits = Decoded(R"({"lsn":1,")" + name + R"(":"[]"})");
    EXPECT_EQ(Decoded(EncodeOffset(waits)).members.at(name), "\"[]\"");
  }
}

TEST(StoredOffsetTest, MalformedOffsetsAreRefused) {
  for (const char* json :
       {"", "null", "[]", "{}", "{\"lsn\":\"5\"}", "{\"lsn\":1.5}", "{\"lsn\":1",
        "{\"lsn\":1,\"ts_usec\":\"x\"}", "{\"lsn\":1,\"walduct_timeline\":-1}",
        R"({"lsn":1,"half \udF9e a character":1})", R"({"lsn":1,"half":"a character \udf4e"})",
        R"({"lsn":1,"large":999999999999999999994e300})"}) {
    const absl::Status refused = DecodeOffset(json).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << json;
    // Not all who have a slot have a backup.
    EXPECT_NE(ErrorHint(refused).find("walduct offsets set NAME LSN, with its"), std::string::npos);
    // What the command does not always say is not promised.
    EXPECT_NE(ErrorHint(refused).find("or asks for --accept-loss where"), std::string::npos);
    EXPECT_EQ(ErrorHint(refused).find("leaves nothing out"), std::string::npos);
  }
}

TEST(StoredOffsetTest, TheKeyIsConnectsBytes) {
  EXPECT_EQ(OffsetKey({"orders-connector", "srv"}), R"(["orders-connector",{"server":"srv"}])");
}

TEST(StoredOffsetTest, KeysAreComparedAsJson) {
  const OffsetIdentity identity{"a\"b", "srv"};
  EXPECT_TRUE(KeyBelongsTo(OffsetKey(identity), identity));
  EXPECT_TRUE(KeyBelongsTo(R"( [ "a\u0022b" , { "server" : "srv" } ] )", identity));
  EXPECT_FALSE(KeyBelongsTo(R"(["a",{"server":"srv"}])", identity));
  EXPECT_FALSE(KeyBelongsTo(R"(["a\"b",{"server":"srv","x":1}])", identity));
  EXPECT_FALSE(KeyBelongsTo("commit-x-0", identity));
}

TEST(StoredOffsetTest, SlotsBeyondTheFirstHaveKeysOfTheirOwn) {
  const OffsetIdentity first{"c", "srv"}, second{"c", "srv", 2}, third{"c", "srv", 3};
  EXPECT_EQ(OffsetKey(second), R"(["c",{"server":"srv","walduct_slot":2}])");
  EXPECT_TRUE(KeyBelongsTo(OffsetKey(second), second));
  EXPECT_TRUE(KeyBelongsTo(R"(["c",{"walduct_slot":2,"server":"srv"}])", second));
  EXPECT_FALSE(KeyBelongsTo(OffsetKey(second), first));
  EXPECT_FALSE(KeyBelongsTo(OffsetKey(second), third));
  EXPECT_FALSE(KeyBelongsTo(OffsetKey(first), second));
  EXPECT_FALSE(KeyBelongsTo(R"(["c",{"server":"srv","walduct_slot":"2"}])", second));
}

TEST(StoredOffsetTest, TheNumberOfSlotsIsStoredWhereThereAreSeveral) {
  StoredOffset offset = Streaming();
  EXPECT_EQ(EncodeOffset(offset).find("walduct_slots"), std::string::npos);
  EXPECT_EQ(Decoded(EncodeOffset(offset)).slots, 1);
  offset.slots = 3;
  EXPECT_EQ(Decoded(EncodeOffset(offset)).slots, 3);
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeOffset(R"({"lsn":1,"walduct_slots":0})").status()));
}

TEST(StoredOffsetTest, AHandoverStandsWithThePosition) {
  StoredOffset offset = Streaming();
  EXPECT_EQ(EncodeOffset(offset).find("walduct_handover"), std::string::npos);
  for (const char* const text : {"1>3 moving", "12>2 draining 16/B374D848", "2>1 ending"}) {
    offset.handover = ParseHandover(text);
    ASSERT_TRUE(offset.handover) << text;
    EXPECT_EQ(HandoverText(*offset.handover), text);
    EXPECT_EQ(Decoded(EncodeOffset(offset)).handover, offset.handover);
  }
  for (const char* const text :
       {"", "moving", "1>3", "1>1 moving", "0>2 moving", "1>x ending", "1>2 resting",
        "1>2 draining", "1>2 draining x", "1>2 moving 0/1", "1>2>3 moving"}) {
    EXPECT_FALSE(ParseHandover(text)) << text;
    const std::string json = absl::StrCat(R"({"lsn":1,"walduct_handover":")", text, R"("})");
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeOffset(json).status())) << text;
  }
}

TEST(StoredOffsetTest, TheRestBodyRoundTrips) {
  const StoredOffset offset = Streaming();
  const std::string body = EncodeRestBody("srv", {offset});
  EXPECT_EQ(body, "{\"offsets\":[{\"partition\":{\"server\":\"srv\"},\"offset\":" +
                      EncodeOffset(offset) + "}]}");
  const auto back = DecodeRestBody(body, "srv", 1);
  ASSERT_TRUE(back.ok() && back->front().has_value());
  EXPECT_EQ(back->front()->position, offset.position);
}

TEST(StoredOffsetTest, TheRestBodyOfSeveralSlots) {
  const StoredOffset offset = Streaming();
  const std::string body = EncodeRestBody("srv", {std::nullopt, offset});
  EXPECT_EQ(body, R"({"offsets":[{"partition":{"server":"srv","walduct_slot":2},"offset":)" +
                      EncodeOffset(offset) + "}]}");
  const auto both = DecodeRestBody(EncodeRestBody("srv", {offset, offset}), "srv", 2);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[1]->position, offset.position);
  for (const std::string& other :
       {body, EncodeRestBody("srv", {offset}), EncodeRestBody("srv", {offset, {}, offset}),
        std::string(R"({"offsets":[{"partition":{"server":"srv"},"offset":null},)"
                    R"({"partition":{"server":"srv"},"offset":null}]})")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeRestBody(other, "srv", 2).status())) << other;
  }
}

TEST(StoredOffsetTest, ARestBodyWithoutAnOffset) {
  EXPECT_EQ(EncodeRestBody("srv", {std::nullopt}), R"({"offsets":[]})");
  const auto reset =
      DecodeRestBody(R"({"offsets":[{"partition":{"server":"srv"},"offset":null}]})", "srv", 1);
  ASSERT_TRUE(reset.ok());
  EXPECT_FALSE(reset->front().has_value());
}

TEST(StoredOffsetTest, ARestBodyOfAnotherShapeOrPartitionIsRefused) {
  for (const char* body : {"", "[]", "{}", R"({"offsets":[]})", R"({"offsets":[1]})",
                           R"({"offsets":[{"partition":{"server":"other"},"offset":null}]})",
                           R"({"offsets":[{"partition":{"server":"srv","db":"x"},"offset":null}]})",
                           R"({"offsets":[{"partition":{"server":"srv"}}]})",
                           R"({"offsets":[{"partition":{"server":"srv"},"offset":{}}]})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeRestBody(body, "srv", 1).status())) << body;
  }
}

}  // namespace
}  // namespace walduct::offset
