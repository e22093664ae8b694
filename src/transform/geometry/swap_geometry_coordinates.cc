// Debezium's SwapGeometryCoordinates: swaps the first two coordinates of PostGIS geometries.
// Geographies and points stay.
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "java/text/text_lists.h"
#include "transform/geometry/geometry_bytes.h"
#include "transform/geometry/geometry_stage.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using enum OptionType;

std::string CheckSrids(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    int32_t srid = 0;
    if (!absl::SimpleAtoi(item, &srid))
      return absl::StrCat("has the item '", item, "', which is not a 32-bit integer");
  }
  return "";
}

constexpr OptionRow kOptions[] = {{.name = "srids",
                                   .type = kList,
                                   .default_value = "4326,3857,4269",
                                   .doc = "SRIDs of the geometries to change.",
                                   .check = CheckSrids}};

struct Options {
  std::set<int32_t> srids;
};

Options Read(const Setting& setting) {
  Options options;
  for (const std::string& item : setting.options.List("srids")) {
    int32_t srid = 0;
    if (absl::SimpleAtoi(item, &srid)) options.srids.insert(srid);  // checked before
  }
  return options;
}

GeometryEdit Swap(const Options& options) {
  return [srids = options.srids](const Geometry& geometry, std::string* out) {
    if (!geometry.srid || srids.count(*geometry.srid) == 0) return absl::OkStatus();
    return AppendSwapped(geometry.wkb, out);
  };
}

class SwapGeometryCoordinates final : public GeometryStage {
 public:
  explicit SwapGeometryCoordinates(const Options& options) : GeometryStage(Swap(options), true) {}
};

}  // namespace

extern constinit const TransformClass kSwapGeometryCoordinates = {
    .name = "io.debezium.transforms.SwapGeometryCoordinates",
    .options = kOptions,
    .doc = "Swaps the first two coordinates of PostGIS geometries.",
    .make = MakeStage<SwapGeometryCoordinates, Read>};

}  // namespace walduct::transform
