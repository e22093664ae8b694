#include "transform/geometry/geometry_stage.h"

#include <utility>

#include "base/status_macros.h"
#include "event/tree.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using event::TreeBuilder;

constexpr absl::string_view kGeometry = "io.debezium.data.geometry.Geometry";

bool IsGeometry(const ConnectSchema& schema) {
  return schema.type == ConnectType::kStruct && schema.name == kGeometry;
}

absl::StatusOr<Geometry> ReadGeometry(const Scalar& value) {
  const Scalar wkb = event::TreeField(value, "wkb"), srid = event::TreeField(value, "srid");
  if (wkb.kind != Scalar::Kind::kBytes) return RecordError("a geometry has no bytes");
  Geometry geometry;
  geometry.wkb = std::string(wkb.text);
  if (!srid.is_null()) geometry.srid = static_cast<int32_t>(srid.integer);
  return geometry;
}

void AddGeometry(absl::string_view wkb, std::optional<int32_t> srid, TreeBuilder* out) {
  out->Begin(Scalar::Kind::kStruct);
  out->Name("wkb");
  out->Add(Scalar::Bytes(wkb));
  out->Name("srid");
  out->Add(srid ? Scalar::Integer(*srid) : Scalar::Null());
  out->End();
}

absl::Status AddEdited(const GeometryEdit& edit, const ConnectSchema& schema, const Scalar& value,
                       TreeBuilder* out) {
  if (value.is_null()) {
    out->Add(value);
    return absl::OkStatus();
  }
  if (schema.type == ConnectType::kArray) {
    out->Begin(Scalar::Kind::kArray);
    for (event::TreeReader items(value); !items.done();)
      RETURN_IF_ERROR(AddEdited(edit, *schema.items, items.Value(), out));
    out->End();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Geometry geometry, ReadGeometry(value));
  std::string wkb;
  RETURN_IF_ERROR(edit(geometry, &wkb));
  if (wkb.empty()) {
    out->Add(value);
  } else {
    AddGeometry(wkb, geometry.srid, out);
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
  return CheckPuts(*parent);
}

bool GeometryStage::HasGeometries(const ConnectSchema& schema) const {
  if (IsGeometry(schema)) return true;
  return in_arrays_ && schema.type == ConnectType::kArray && HasGeometries(*schema.items);
}

event::ValueFunctionPtr GeometryStage::MakeEdit(const event::ConnectSchemaPtr& schema) const {
  return MakeFunction([edit = edit_, schema](auto in, std::string* buffer, Scalar* out) {
    TreeBuilder edited(buffer);
    RETURN_IF_ERROR(AddEdited(edit, *schema, in[0], &edited));
    *out = edited.value();
    return absl::OkStatus();
  });
}

}  // namespace walduct::transform
