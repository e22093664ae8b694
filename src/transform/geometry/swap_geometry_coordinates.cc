// Debezium's SwapGeometryCoordinates: swaps the first two coordinates of PostGIS geometries.
// Geographies and points stay.
#include <memory>
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "transform/geometry/geometry_bytes.h"
#include "transform/geometry/geometry_stage.h"
#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;

class Swap {
 public:
  explicit Swap(const TransformSpec& spec) {
    for (const std::string& item : spec.options.List("srids")) {
      int32_t srid = 0;
      if (absl::SimpleAtoi(item, &srid)) srids_.insert(srid);  // checked before
    }
  }

  absl::Status operator()(const Geometry& geometry, std::string* out) const {
    if (!geometry.srid || srids_.count(*geometry.srid) == 0) return absl::OkStatus();
    return AppendSwapped(geometry.wkb, out);
  }

 private:
  std::set<int32_t> srids_;
};

class SwapGeometryCoordinates final : public GeometryStage {
 public:
  explicit SwapGeometryCoordinates(const TransformSpec& spec) : GeometryStage(Swap(spec), true) {}
};

}  // namespace

StagePtr MakeSwapGeometry(const TransformSpec& spec) {
  return std::make_unique<SwapGeometryCoordinates>(spec);
}

}  // namespace walduct::transform
