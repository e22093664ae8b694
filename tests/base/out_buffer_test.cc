#include "base/out_buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace walduct {
namespace {

// Short ones have a way of their own for each range of sizes.
TEST(OutBuffer, AppendsBytesOfEverySize) {
  OutBuffer buffer;
  std::string expected, bytes;
  for (int size = 0; size < 70; ++size) {
    buffer.append(bytes);
    expected += bytes;
    ASSERT_EQ(buffer.view(), expected) << size;
    bytes.push_back(static_cast<char>('!' + size));
  }
}

TEST(OutBuffer, IsFilledInItsRoom) {
  OutBuffer buffer;
  EXPECT_NE(buffer.Room(0), nullptr);
  buffer.push_back('a');
  char* const to = buffer.Room(1000);
  to[0] = 'b';
  to[999] = 'c';
  EXPECT_EQ(buffer.view(), "a");
  buffer.EndAt(to + 1000);
  EXPECT_EQ(buffer.size(), 1001u);
  EXPECT_EQ(buffer.back(), 'c');
  buffer.CutTo(2);
  EXPECT_EQ(buffer.view(), "ab");
}

TEST(OutBuffer, KeepsItsMemory) {
  OutBuffer buffer;
  buffer.assign(std::string(5000, 'x'));
  const char* const at = buffer.data();
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  buffer.append(std::string(5000, 'y'));
  EXPECT_EQ(buffer.data(), at);
}

TEST(OutBuffer, ReplacesInTheMiddle) {
  OutBuffer buffer;
  buffer.assign("0123456789");
  buffer.replace(2, 1, "two");
  EXPECT_EQ(buffer.view(), "01two3456789");
  buffer.replace(2, 3, "");
  EXPECT_EQ(buffer.view(), "013456789");
  buffer.replace(9, 0, std::string(1000, 'x'));
  EXPECT_EQ(buffer.view(), "013456789" + std::string(1000, 'x'));
}

TEST(OutBuffer, IsMoved) {
  OutBuffer from;
  from.assign("text");
  const OutBuffer to = std::move(from);
  EXPECT_EQ(to.view(), "text");
  EXPECT_EQ(OutBuffer().view(), "");
}

}  // namespace
}  // namespace walduct
