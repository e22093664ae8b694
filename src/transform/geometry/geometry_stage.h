// GeometryStage: an edit of every PostGIS geometry in a record's value. Geographies and points stay
// as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/record_template.h"
#include "transform/template/stage.h"

namespace walduct::transform {

struct Geometry {
  std::string wkb;
  std::optional<int32_t> srid;
};

// Gives *out, which is empty, what becomes of the geometry's bytes; leaves it empty where they
// stay. Thread-safe; copied into functions.
using GeometryEdit = std::function<absl::Status(const Geometry& geometry, std::string* out)>;

class GeometryStage : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(event::RecordTemplate* record, Questions* questions) const override;
  SharedHeaders shared_headers(const event::RecordTemplate& /*record*/) const override {
    return SharedHeaders::kKept;  // Debezium changes the value in its place
  }

 protected:
  // in_arrays: also the geometries in arrays.
  GeometryStage(GeometryEdit edit, bool in_arrays);

 private:
  absl::Status EditMembers(event::Node* parent) const;
  bool HasGeometries(const event::ConnectSchema& schema) const;
  event::ValueFunctionPtr MakeEdit(const event::ConnectSchemaPtr& schema) const;

  const GeometryEdit edit_;
  const bool in_arrays_;
};

}  // namespace walduct::transform
