#include "transform/geometry/geometry_stage.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"
#include "transform/values/json_reader.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

constexpr absl::string_view kGeometry = "io.debezium.data.geometry.Geometry";

bool IsGeometry(const ConnectSchema& schema) {
  return schema.type == ConnectType::kStruct && schema.name == kGeometry;
}

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

absl::Status AppendEdited(const GeometryEdit& edit, const ConnectSchema& schema,
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

}  // namespace

GeometryStage::GeometryStage(GeometryEdit edit, bool in_arrays)
    : edit_(std::move(edit)), in_arrays_(in_arrays) {}

absl::StatusOr<Verdict> GeometryStage::Apply(RecordTemplate* record, Questions*) const {
  if (!record->value || !record->value->is_struct() || record->value->schema == nullptr)
    return Verdict::kKeep;
  RETURN_IF_ERROR(EditMembers(&*record->value));
  return Verdict::kKeep;
}

absl::Status GeometryStage::EditMembers(Node* parent) const {
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

bool GeometryStage::HasGeometries(const ConnectSchema& schema) const {
  if (IsGeometry(schema)) return true;
  return in_arrays_ && schema.type == ConnectType::kArray && HasGeometries(*schema.items);
}

event::ValueFunctionPtr GeometryStage::MakeEdit(const event::ConnectSchemaPtr& schema) const {
  return MakeFunction([edit = edit_, schema](auto in, std::string* buffer, Scalar* out) {
    *out = Scalar::Null();
    if (in[0].is_null()) return absl::OkStatus();
    RETURN_IF_ERROR(AppendEdited(edit, *schema, in[0].text, buffer));
    *out = Scalar::Json(*buffer);
    return absl::OkStatus();
  });
}

}  // namespace walduct::transform
