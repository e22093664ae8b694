#include "sink/redis/entry_writer.h"

#include <gtest/gtest.h>

namespace walduct::sink {
namespace {

using Of = event::RecordId::Of;

EntryId IdOf(uint64_t lsn, Of of, uint64_t number = 0, uint32_t part = 0) {
  return EntryIdOf({.lsn = lsn, .number = number, .part = part, .of = of});
}

std::string Written(const RedisSinkOptions& options, const event::Record& record,
                    absl::string_view id = "*") {
  std::string out;
  EntryWriter(options).Append(record, id, absl::FromUnixMillis(5000), &out);
  return out;
}

event::Record Sample() {
  event::Record record;
  record.topic = "t";
  record.key = "k";
  record.value = "v";
  return record;
}

TEST(EntryId, NeverGoesBack) {
  const EntryId ids[] = {IdOf(5, Of::kEnd),          IdOf(5, Of::kBegin),
                         IdOf(5, Of::kChange),       IdOf(5, Of::kChange, 1),
                         IdOf(5, Of::kChange, 1, 1), IdOf(5, Of::kChange, 2),
                         IdOf(6, Of::kEnd),          IdOf(~uint64_t{0}, Of::kChange, 1u << 30)};
  for (size_t i = 1; i < std::size(ids); ++i) EXPECT_LT(ids[i - 1], ids[i]) << i;
  for (const EntryId& id : ids) EXPECT_TRUE(IsOfPosition(id));
}

// Thousands of rows that are read beside two changes have their ids between them.
TEST(EntryId, LeavesRoomBehindAChange) {
  EXPECT_EQ(IdOf(5, Of::kChange, 2).second - IdOf(5, Of::kChange, 1).second, 1u << 24);
  EXPECT_FALSE(IsOfPosition({1795784148764, 3})) << "of the server's clock";
}

TEST(EntryId, AsText) {
  EntryId id;
  EXPECT_TRUE(ParseEntryId(IdOf(7, Of::kChange, 1, 2).Text(), &id));
  EXPECT_EQ(id, IdOf(7, Of::kChange, 1, 2));
  EXPECT_FALSE(ParseEntryId("7", &id));
}

TEST(EntryWriter, Compact) {
  EXPECT_EQ(Written({}, Sample()),
            "*5\r\n$4\r\nXADD\r\n$1\r\nt\r\n$1\r\n*\r\n$1\r\nk\r\n$1\r\nv\r\n");
  event::Record record = Sample();
  record.key.reset();
  record.value.reset();
  EXPECT_EQ(Written({.null_key = "K", .null_value = ""}, record, "5-*"),
            "*5\r\n$4\r\nXADD\r\n$1\r\nt\r\n$3\r\n5-*\r\n$1\r\nK\r\n$0\r\n\r\n");
}

TEST(EntryWriter, ExtendedHasHeadersInUpperCase) {
  const event::Header headers[] = {{"__op", "c"}, {"none", "", true}};
  event::Record record = Sample();
  record.headers = headers;
  EXPECT_EQ(
      Written({.extended = true}, record),
      "*11\r\n$4\r\nXADD\r\n$1\r\nt\r\n$1\r\n*\r\n$3\r\nkey\r\n$1\r\nk\r\n$5\r\nvalue\r\n$1\r\n"
      "v\r\n$4\r\n__OP\r\n$1\r\nc\r\n$4\r\nNONE\r\n$7\r\ndefault\r\n");
}

TEST(EntryWriter, Limits) {
  EXPECT_EQ(
      Written({.max_entries = 10}, Sample()),
      "*8\r\n$4\r\nXADD\r\n$1\r\nt\r\n$6\r\nMAXLEN\r\n$1\r\n~\r\n$2\r\n10\r\n$1\r\n*\r\n$1\r\n"
      "k\r\n$1\r\nv\r\n");
  EXPECT_EQ(
      Written({.max_age = absl::Seconds(4)}, Sample()),
      "*8\r\n$4\r\nXADD\r\n$1\r\nt\r\n$5\r\nMINID\r\n$1\r\n~\r\n$4\r\n1000\r\n$1\r\n*\r\n$1\r\n"
      "k\r\n$1\r\nv\r\n");
}

}  // namespace
}  // namespace walduct::sink
