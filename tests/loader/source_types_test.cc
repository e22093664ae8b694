#include "loader/source_types.h"

#include <gtest/gtest.h>

#include "engine/configuration/connector_options.h"
#include "slot/attempts/slot_source.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

class SourceTypesTest : public LoadFixture {};

TEST_F(SourceTypesTest, TheSlotIsTheSourceWhereNoOtherIsAskedFor) {
  EXPECT_EQ(SourceTypes().back(), &slot::kSlotSource);
  EXPECT_EQ(slot::kSlotSource.chosen, nullptr);
  for (const engine::SourceType* type : SourceTypes().first(SourceTypes().size() - 1))
    EXPECT_NE(type->chosen, nullptr) << type->name;
  EXPECT_EQ(LoadWith("").options.source, &slot::kSlotSource);
}

TEST_F(SourceTypesTest, HaveNamesAndAttempts) {
  for (const engine::SourceType* type : SourceTypes()) {
    EXPECT_FALSE(type->name.empty());
    EXPECT_NE(type->attempts, nullptr) << type->name;
    EXPECT_TRUE(type->rows == nullptr || !type->section.empty()) << type->name;
  }
}

}  // namespace
}  // namespace walduct::loader
