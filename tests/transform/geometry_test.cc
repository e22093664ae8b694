// Geometries where ours and the original differ, or which the recorded vectors do not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/chain_config.h"
#include "tests/transform/spatial_records.h"
#include "transform/geometry/geometry_bytes.h"
#include "transform/template/stage.h"

namespace walduct::transform {
namespace {

using testing::HasSubstr;

constexpr char kOne[] = "000000000000f03f", kTwo[] = "0000000000000040";
constexpr char kBigOne[] = "3ff0000000000000", kBigTwo[] = "4000000000000000";

std::string Swapped(const std::string& hex) {
  std::string out;
  const absl::Status status = AppendSwapped(absl::HexStringToBytes(hex), &out);
  return status.ok() ? absl::BytesToHexString(out) : std::string(status.message());
}

std::string Nested(int collections) {
  std::string hex;
  for (int i = 0; i < collections; ++i) hex += "010700000001000000";
  return absl::StrCat(hex, "0101000000", kOne, kTwo);
}

// The bytes of the geometry of a created row.
std::string Format(const std::string& format, const std::string& geometry) {
  const ChainSpec spec =
      test::ChainOf(test::OneTransform("g", "GeometryFormatTransformer", {{"format", format}}));
  event::RecordTemplate record = SpatialRecords::Make("spatial c . " + geometry);
  Questions questions({});
  const auto verdict = spec.transforms[0].make()->Apply(&record, &questions);
  if (!verdict.ok()) return std::string(verdict.status().message());
  const event::Node& g = *record.value->Find("after")->Find("g");
  return JsonOf(g.leaf.constant_value(), *g.schema);
}

TEST(Geometry, PartsKeepTheirByteOrder) {
  EXPECT_EQ(Swapped(absl::StrCat("0104000000", "02000000", "0000000001", kBigOne, kBigTwo,
                                 "0101000000", kOne, kTwo)),
            absl::StrCat("0104000000", "02000000", "0000000001", kBigTwo, kBigOne, "0101000000",
                         kTwo, kOne));
}

TEST(Geometry, CollectionsInCollectionsHaveALimit) {
  EXPECT_THAT(Swapped(Nested(200)), HasSubstr(absl::StrCat(kTwo, kOne)));
  EXPECT_THAT(Swapped(Nested(100'000)), HasSubstr("too many nested collections"));
}

TEST(Geometry, EveryCutIsAnError) {
  const std::string whole =
      absl::StrCat("0106000020e610000001000000", "010300000001000000", "01000000", kOne, kTwo);
  EXPECT_THAT(Swapped(whole), HasSubstr(kTwo));
  for (size_t size = 0; size < whole.size(); size += 2)
    EXPECT_THAT(Swapped(whole.substr(0, size)), HasSubstr("is truncated")) << size;
}

TEST(Geometry, WithoutAnSridItStaysWkb) {
  const std::string wkb = absl::StrCat("0101000000", kOne, kTwo);
  const std::string json = absl::StrCat(
      "{\"wkb\":\"", absl::Base64Escape(absl::HexStringToBytes(wkb)), "\",\"srid\":null}");
  EXPECT_EQ(Format("wkb", wkb), json);
  EXPECT_EQ(Format("ewkb", wkb), json);
}

}  // namespace
}  // namespace walduct::transform
