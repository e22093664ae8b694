#include "java/serial/hash_map_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace walduct::java {
namespace {

std::string ReadGolden(const std::string& name) {
  std::ifstream in(std::string(WALDUCT_SOURCE_DIR "/tests/golden/offsets/") + name,
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class JavaHashMapGoldenTest : public testing::TestWithParam<const char*> {};

TEST_P(JavaHashMapGoldenTest, WhatConnectWroteRoundTripsByteForByte) {
  const std::string bytes = ReadGolden(GetParam());
  ASSERT_FALSE(bytes.empty());
  const auto map = HashMapFile::Parse(bytes);
  ASSERT_TRUE(map.ok()) << map.status();
  ASSERT_EQ(map->entries().size(), 1u);
  EXPECT_EQ(map->entries()[0].first, R"(["orders-connector",{"server":"srv"}])");
  EXPECT_EQ(map->Serialize(), bytes);
}

TEST_P(JavaHashMapGoldenTest, TruncatedAnywhereItIsRefused) {
  const std::string bytes = ReadGolden(GetParam());
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(HashMapFile::Parse(bytes.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(HashMapFile::Parse(bytes + "x").status()));
}

INSTANTIATE_TEST_SUITE_P(Files, JavaHashMapGoldenTest,
                         testing::Values("after-snapshot.dat", "streaming.dat"));

TEST(JavaHashMapTest, AnEmptyFileIsAnEmptyMap) {
  const auto map = HashMapFile::Parse("");
  ASSERT_TRUE(map.ok());
  EXPECT_TRUE(map->entries().empty());
}

TEST(JavaHashMapTest, NullsEmptyArraysAndManyEntriesRoundTrip) {
  HashMapFile map;
  map.Set("none", std::nullopt);
  map.Set("", "");
  for (int i = 0; i < 40; ++i) map.Set("key" + std::to_string(i), std::string(300, 'v'));
  const auto back = HashMapFile::Parse(map.Serialize());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->entries(), map.entries());
}

TEST(JavaHashMapTest, TheTableHasTheSizeTheJvmGivesIt) {
  constexpr size_t kThreshold = 67;
  constexpr size_t kBuckets = 73;
  HashMapFile map;
  for (int i = 0; i < 12; ++i) map.Set(std::to_string(i), "");
  EXPECT_EQ(map.Serialize()[kThreshold + 3], 12);
  EXPECT_EQ(map.Serialize()[kBuckets + 3], 16);
  map.Set("13th", "");
  EXPECT_EQ(map.Serialize()[kThreshold + 3], 24);
  EXPECT_EQ(map.Serialize()[kBuckets + 3], 32);
}

TEST(JavaHashMapTest, SetReplacesInPlaceAndRemoveRemoves) {
  HashMapFile map;
  map.Set("a", "1");
  map.Set("b", "2");
  map.Set("a", "3");
  ASSERT_EQ(map.entries().size(), 2u);
  EXPECT_EQ(map.entries()[0].second, "3");
  map.Remove("a");
  ASSERT_EQ(map.entries().size(), 1u);
  EXPECT_EQ(map.entries()[0].first, "b");
}

// The JVM writes an array that it has written before as a reference to it.
TEST(JavaHashMapTest, AReferenceToAnEarlierArrayIsFollowed) {
  HashMapFile map;
  map.Set("same", "");
  std::string bytes = map.Serialize();
  // Replaces the value, 75 71 007E0002 00000000, by a reference to the first array, 71 007E0003.
  bytes.replace(bytes.size() - 11, 10, std::string("\x71\x00\x7E\x00\x03", 5));
  const auto back = HashMapFile::Parse(bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->entries()[0].second, "same");
}

TEST(JavaHashMapTest, AnnouncedSizesAreNotTrusted) {
  std::string bytes = ReadGolden("streaming.dat");
  bytes[77] = '\x7F';  // number of entries
  EXPECT_TRUE(absl::IsDataLoss(HashMapFile::Parse(bytes).status()));
  bytes = ReadGolden("streaming.dat");
  bytes[100] = '\x7F';  // length of the first array
  EXPECT_TRUE(absl::IsDataLoss(HashMapFile::Parse(bytes).status()));
}

}  // namespace
}  // namespace walduct::java
