// Debezium's transforms of PostGIS' geometries: GeometryFormatTransformer and
// SwapGeometryCoordinates. Geographies and points stay as they are.
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/stages/geometry_bytes.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"
#include "transform/values/json_reader.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

constexpr absl::string_view kGeometry = "io.debezium.data.geometry.Geometry";

bool IsGeometry(const ConnectSchema& schema) {
  return schema.type == ConnectType::kStruct && schema.name == kGeometry;
}

struct Geometry {
  std::string wkb;
  std::optional<int32_t> srid;
};

absl::StatusOr<Geometry> ReadGeometry(absl::string_view json) {
  Geometry geometry;
  const absl::string_view srid = JsonMember(json, "srid");
  int32_t number = 0;
  if (absl::SimpleAtoi(srid, &number)) geometry.srid = number;
  std::string base64;
  if (!JsonText(JsonMember(json, "wkb"), &base64) || !absl::Base64Unescape(base64, &geometry.wkb))
    return RecordError("a geometry has no bytes");
  return geometry;
}

void AppendGeometry(absl::string_view wkb, std::optional<int32_t> srid, std::string* json) {
  absl::StrAppend(json, "{\"wkb\":\"", absl::Base64Escape(wkb), "\",\"srid\":");
  if (srid) {
    absl::StrAppend(json, *srid, "}");
  } else {
    json->append("null}");
  }
}

// Gives *out, which is empty, what becomes of the geometry's bytes; leaves it empty where they
// stay. Copied into functions.
class Format {
 public:
  static constexpr bool kInArrays = false;
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

class Swap {
 public:
  static constexpr bool kInArrays = true;
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

template <typename Edit>
class GeometryStage final : public Stage {
 public:
  explicit GeometryStage(const TransformSpec& spec) : edit_(spec) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!record->value || !record->value->is_struct() || record->value->schema == nullptr)
      return Verdict::kKeep;
    RETURN_IF_ERROR(EditMembers(&*record->value));
    return Verdict::kKeep;
  }

 private:
  absl::Status EditMembers(Node* parent) const {
    for (Node& member : parent->members) {
      if (member.schema == nullptr) continue;
      if (member.is_struct()) {
        RETURN_IF_ERROR(EditMembers(&member));
        continue;
      }
      if (member.schema->default_value) member = Taken(member, true);
      if (!HasGeometries(*member.schema)) continue;
      ASSIGN_OR_RETURN(member, Converted(member, member.schema, MakeEdit(member.schema)));
    }
    return absl::OkStatus();
  }

  static bool HasGeometries(const ConnectSchema& schema) {
    if (IsGeometry(schema)) return true;
    return Edit::kInArrays && schema.type == ConnectType::kArray && HasGeometries(*schema.items);
  }

  event::ValueFunctionPtr MakeEdit(const event::ConnectSchemaPtr& schema) const {
    return MakeFunction([edit = edit_, schema](auto in, std::string* buffer, Scalar* out) {
      *out = Scalar::Null();
      if (in[0].is_null()) return absl::OkStatus();
      RETURN_IF_ERROR(AppendEdited(edit, *schema, in[0].text, buffer));
      *out = Scalar::Json(*buffer);
      return absl::OkStatus();
    });
  }

  static absl::Status AppendEdited(const Edit& edit, const ConnectSchema& schema,
                                   absl::string_view json, std::string* out) {
    if (json == "null") {
      absl::StrAppend(out, json);
      return absl::OkStatus();
    }
    if (schema.type == ConnectType::kArray) {
      out->push_back('[');
      for (const absl::string_view item : JsonItems(json)) {
        if (out->back() != '[') out->push_back(',');
        RETURN_IF_ERROR(AppendEdited(edit, *schema.items, item, out));
      }
      out->push_back(']');
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Geometry geometry, ReadGeometry(json));
    std::string wkb;
    RETURN_IF_ERROR(edit(geometry, &wkb));
    if (wkb.empty()) {
      absl::StrAppend(out, json);
    } else {
      AppendGeometry(wkb, geometry.srid, out);
    }
    return absl::OkStatus();
  }

  const Edit edit_;
};

}  // namespace

StagePtr MakeGeometryFormat(const TransformSpec& spec) {
  return std::make_unique<GeometryStage<Format>>(spec);
}
StagePtr MakeSwapGeometry(const TransformSpec& spec) {
  return std::make_unique<GeometryStage<Swap>>(spec);
}

}  // namespace walduct::transform
