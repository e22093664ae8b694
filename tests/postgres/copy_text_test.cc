#include "postgres/copy_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace walduct::postgres {
namespace {

// Fields as text, NULL as "<null>"; the status's reason when it failed.
std::vector<std::string> Split(std::string line, size_t columns) {
  std::vector<event::Value> values(columns);
  const absl::Status status = SplitCopyRow(line.data(), line.size(), absl::MakeSpan(values));
  if (!status.ok()) return {ErrorReason(status)};
  std::vector<std::string> fields;
  for (const event::Value& value : values)
    fields.emplace_back(value.is_text() ? std::string(value.text()) : "<null>");
  return fields;
}

using Fields = std::vector<std::string>;

TEST(CopyTextTest, SplitsAtTabs) { EXPECT_EQ(Split("1\tabc\t\n", 3), (Fields{"1", "abc", ""})); }

TEST(CopyTextTest, TellsNullFromEmptyAndFromTheTextN) {
  EXPECT_EQ(Split("\\N\t\t\\\\N\tN\n", 4), (Fields{"<null>", "", "\\N", "N"}));
}

TEST(CopyTextTest, UnescapesControlCharacters) {
  EXPECT_EQ(Split("a\\tb\\nc\\\\d\\b\\f\\r\\v\n", 1), (Fields{"a\tb\nc\\d\b\f\r\v"}));
}

TEST(CopyTextTest, UnescapesOctalAndHexadecimal) {
  EXPECT_EQ(Split("\\101\\7x\\x41\\x4g\n", 1), (Fields{"A\ax"
                                                       "A\x04g"}));
}

TEST(CopyTextTest, KeepsOtherEscapedBytes) { EXPECT_EQ(Split("\\q\\.\n", 1), (Fields{"q."})); }

TEST(CopyTextTest, SNP21_RowOfATableWithoutColumns) {
  EXPECT_EQ(Split("\n", 0), Fields());
  EXPECT_EQ(Split("\n", 1), (Fields{""}));
}

TEST(CopyTextTest, RefusesAnotherNumberOfColumns) {
  EXPECT_EQ(Split("1\t2\n", 1), (Fields{"copy_malformed"}));
  EXPECT_EQ(Split("1\t2\n", 3), (Fields{"copy_malformed"}));
  EXPECT_EQ(Split("1\n", 0), (Fields{"copy_malformed"}));
}

TEST(CopyTextTest, RefusesALineWithoutEnd) {
  EXPECT_EQ(Split("1", 1), (Fields{"copy_malformed"}));
  EXPECT_EQ(Split("", 1), (Fields{"copy_malformed"}));
}

}  // namespace
}  // namespace walduct::postgres
