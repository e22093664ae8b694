#include "offset/seen_value.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::offset {
namespace {

// As a store saves: it looks, and then writes.
std::string ReasonOfSave(SeenValue* seen, const std::optional<std::string>& held,
                         const std::string& value) {
  const absl::Status looked = seen->CheckUnchanged(held, "");
  if (looked.ok()) seen->Try(value);
  return ErrorReason(looked);
}

TEST(SeenValueTest, WhatAnotherHasStoredIsTold) {
  SeenValue seen;
  seen.Saw("a");
  EXPECT_EQ(ReasonOfSave(&seen, "a", "b"), "");
  seen.Stored();
  EXPECT_FALSE(seen.unsure());
  EXPECT_EQ(ReasonOfSave(&seen, "x", "c"), "offset_superseded");
  EXPECT_EQ(ReasonOfSave(&seen, "b", "c"), "");
}

// The position goes on meanwhile: the next save has another one.
TEST(SeenValueTest, ASaveWhoseAnswerWasLostIsOurs) {
  SeenValue seen;
  seen.Saw("a");
  EXPECT_EQ(ReasonOfSave(&seen, "a", "b"), "");
  EXPECT_TRUE(seen.unsure());
  EXPECT_EQ(ReasonOfSave(&seen, "b", "c"), "");
  seen.Stored();
  EXPECT_EQ(seen.seen(), "c");
  EXPECT_EQ(ReasonOfSave(&seen, "b", "d"), "offset_superseded");
}

TEST(SeenValueTest, OneThatComesLateIsOursToo) {
  SeenValue seen;
  seen.Saw("a");
  EXPECT_EQ(ReasonOfSave(&seen, "a", "b"), "");
  EXPECT_EQ(ReasonOfSave(&seen, "a", "c"), "");
  EXPECT_EQ(ReasonOfSave(&seen, "b", "d"), "");
  EXPECT_EQ(ReasonOfSave(&seen, "c", "e"), "");
}

// A store that answers looks, and takes no save.
TEST(SeenValueTest, WhatIsThereStaysKnownHoweverManyAreTriedInVain) {
  SeenValue seen;
  seen.Saw("a");
  EXPECT_EQ(ReasonOfSave(&seen, "a", "b"), "");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ReasonOfSave(&seen, "b", absl::StrCat("v", i)), "") << i;
  EXPECT_EQ(ReasonOfSave(&seen, "a", "z"), "offset_superseded");
}

}  // namespace
}  // namespace walduct::offset
