// Debezium's GeometryFormatTransformer: takes the SRID out of the bytes of PostGIS geometries.
// Geographies and points stay.
#include <memory>
#include <string>

#include "transform/geometry/geometry_bytes.h"
#include "transform/geometry/geometry_stage.h"
#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;

// Gives *out, which is empty, what becomes of the geometry's bytes; leaves it empty where they
// stay. Copied into functions.
class Format {
 public:
  explicit Format(const TransformSpec& spec) : extends_(spec.options.Text("format") == "wkb") {}

  // As the original does before it has seen an SRID inside: format is what there is, not what is
  // wanted.
  absl::Status operator()(const Geometry& geometry, std::string* out) const {
    if (HasInnerSrid(geometry.wkb)) return AppendWithoutSrid(geometry.wkb, out);
    if (!extends_ || !geometry.srid) return absl::OkStatus();
    return AppendWithSrid(geometry.wkb, *geometry.srid, out);
  }

 private:
  bool extends_;
};

class GeometryFormatTransformer final : public GeometryStage {
 public:
  explicit GeometryFormatTransformer(const TransformSpec& spec)
      : GeometryStage(Format(spec), false) {}
};

}  // namespace

StagePtr MakeGeometryFormat(const TransformSpec& spec) {
  return std::make_unique<GeometryFormatTransformer>(spec);
}

}  // namespace walduct::transform
