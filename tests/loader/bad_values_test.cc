// Whatever a property is set to: an answer, and no number that is none.
#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

// What stands for a placeholder, and then each letter left out, and each end.
TEST_F(BadValuesTest, NoMisspeltNameEndsTheProcess) {
  for (const config::PropertyDefinition* property : AllProperties().all()) {
    if (!property->is_pattern()) continue;
    const std::string name = absl::StrReplaceAll(property->name, {{"<", ""}, {">", ""}});
    for (const char* value : {"a.b.c", "1"}) {
      for (size_t at = 1; at < name.size(); ++at) {
        LoadWith(absl::StrCat(name.substr(0, at), "=", value));
        LoadWith(absl::StrCat(name.substr(0, at), name.substr(at + 1), "=", value));
      }
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
