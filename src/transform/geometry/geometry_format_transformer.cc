// Debezium's GeometryFormatTransformer: takes the SRID out of the bytes of PostGIS geometries.
// Geographies and points stay.
#include <string>

#include "transform/geometry/geometry_bytes.h"
#include "transform/geometry/geometry_stage.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using enum OptionType;

constexpr OptionRow kOptions[] = {
    {.name = "format",
     .type = kEnum,
     .default_value = "wkb",
     .allowed = "wkb, ewkb",
     .doc =
         "Format of geometries without an SRID in their bytes: with wkb, those with a value in the "
         "field srid get it. Geometries with an SRID in their bytes lose it with both settings."}};

struct Options {
  bool extend = true;  // geometries without an SRID in their bytes get it
};

Options Read(const Setting& setting) { return {.extend = setting.options.Text("format") == "wkb"}; }

// Only where it is asked for: the default does what its name says.
std::string WarnOfEwkb(OptionValues* options) {
  if (options->Text("format") != "ewkb") return "";
  return "GeometryFormatTransformer converts PostGIS's EWKB to WKB with format=ewkb, too, as "
         "Debezium does; for EWKB remove the transform";
}

// As the original does before it has seen an SRID inside: format is what there is, not what is
// wanted.
GeometryEdit Format(const Options& options) {
  return [extend = options.extend](const Geometry& geometry, std::string* out) {
    if (HasInnerSrid(geometry.wkb)) return AppendWithoutSrid(geometry.wkb, out);
    if (!extend || !geometry.srid) return absl::OkStatus();
    return AppendWithSrid(geometry.wkb, *geometry.srid, out);
  };
}

class GeometryFormatTransformer final : public GeometryStage {
 public:
  explicit GeometryFormatTransformer(const Options& options)
      : GeometryStage(Format(options), false) {}
};

}  // namespace

extern constinit const TransformClass kGeometryFormatTransformer = {
    .name = "io.debezium.transforms.GeometryFormatTransformer",
    .options = kOptions,
    .doc = "Removes the SRID from the bytes of PostGIS geometries; the field srid keeps it.",
    .modernize = WarnOfEwkb,
    .make = MakeStage<GeometryFormatTransformer, Read>};

}  // namespace walduct::transform
