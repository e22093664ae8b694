// Whatever a property is set to: an answer, and no number that is none.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "config/properties/property_table.h"
#include "loader/all_properties.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using config::PropertyType;

class BadValuesTest : public LoadFixture {
 protected:
  static bool IsNumber(PropertyType type) {
    return type >= PropertyType::kPositiveInt && type <= PropertyType::kNonNegativeLong;
  }
};

TEST_F(BadValuesTest, NoneEndsTheProcessAndNoWordIsANumber) {
  for (const config::PropertyDefinition* property : AllProperties().all()) {
    for (const char* value : {"many", "1.5", "99999999999999999999", "-99999999999999999999"}) {
      const LoadResult result = LoadWith(absl::StrCat(property->name, "=", value));
      const auto* const report = Report(result, std::string(property->name));
      const bool counts = report != nullptr && report->status == config::PropertyStatus::kHonoured;
      if (!IsNumber(property->type) || !counts) continue;
      EXPECT_THAT(result.errors, testing::Not(testing::IsEmpty())) << property->name << value;
    }
  }
}

TEST_F(BadValuesTest, ARefusedNumberOfSlotsIsTheOnlyFinding) {
  for (const char* value : {"zero", "-1"})
    EXPECT_THAT(LoadWith(absl::StrCat("walduct.slots=", value)).errors,
                testing::ElementsAre(testing::HasSubstr("walduct.slots")));
}

}  // namespace
}  // namespace walduct::loader
