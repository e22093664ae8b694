// Rows with geometries and vectors as templates of constants: those of vectors/SpatialRecords.java,
// where the names are explained.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/transform/sample_records.h"

namespace walduct::transform {

class SpatialRecords : public SampleRecords {
 public:
  static bool Has(absl::string_view name) { return absl::StartsWith(name, "spatial "); }

  static event::RecordTemplate Make(const std::string& name) {
    const std::vector<std::string> parts = absl::StrSplit(name, ' ');
    event::RecordTemplate record;
    record.topic = "srv.public.cust";
    record.headers = {Text("__debezium.context.taskId", "0")};
    record.key = Struct(KeySchema(), {Integer("id", 1)});
    record.value = Envelope(parts[1], Row(parts[2], "before"), Row(parts[3], "after"), false);
    return record;
  }

 private:
  static event::ConnectSchemaPtr Spatial(const char* name) {
    event::ConnectSchema schema =
        event::Schema(Type::kStruct, absl::StrCat("io.debezium.data.geometry.", name));
    schema.optional = true;
    schema.doc = name;
    schema.fields = {{"wkb", Of(Type::kBytes)}, {"srid", Of(Type::kInt32, true)}};
    return event::Shared(schema);
  }
  static event::ConnectSchema Array(event::ConnectSchemaPtr items, const char* name = "") {
    event::ConnectSchema schema = event::Schema(Type::kArray, name);
    schema.optional = true;
    schema.items = std::move(items);
    return schema;
  }
  static event::ConnectSchema Doubles() {
    return Array(Of(Type::kDouble), "io.debezium.data.DoubleVector");
  }
  static event::ConnectSchemaPtr Sparse() {
    event::ConnectSchema map = event::Schema(Type::kMap);
    map.keys = Of(Type::kInt16);
    map.items = Of(Type::kDouble);
    event::ConnectSchema schema =
        event::Schema(Type::kStruct, "io.debezium.data.SparseDoubleVector");
    schema.optional = true;
    schema.doc = "Sparse double vector";
    schema.fields = {{"dimensions", Of(Type::kInt16)}, {"vector", event::Shared(map)}};
    return event::Shared(schema);
  }
  static event::ConnectSchemaPtr RowSchema() {
    event::ConnectSchema required = Doubles(), with_default = Doubles();
    required.optional = false;
    with_default.default_value = event::ConnectDefault(TreeOf("[1.5]", with_default));
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = "srv.public.cust.Value";
    schema.optional = true;
    schema.fields = {{"id", Of(Type::kInt32)},
                     {"g", Spatial("Geometry")},
                     {"gg", Spatial("Geography")},
                     {"ga", event::Shared(Array(Spatial("Geometry")))},
                     {"pt", Point()},
                     {"dv", event::Shared(Doubles())},
                     {"fv", event::Shared(Array(Of(Type::kFloat), "io.debezium.data.FloatVector"))},
                     {"sv", Sparse()},
                     {"rv", event::Shared(required)},
                     {"wd", event::Shared(with_default)},
                     {"n", WithDefault(Type::kString, true, Scalar::Text("dflt"))}};
    return event::Shared(schema);
  }

  static Node Row(const std::string& spec, const std::string& name) {
    const event::ConnectSchemaPtr schema = RowSchema();
    if (spec == ".") return event::NullNode(schema, name);
    std::vector<Node> members;
    for (const event::ConnectField& field : schema->fields)
      members.push_back(event::ConstantNode(field.schema, Scalar::Null(), field.name));
    Node row = event::StructNode(schema, std::move(members), name);
    Set("id", Scalar::Integer(1), &row);
    SetTree("rv", "[]", &row);
    if (spec == "-") return row;
    if (spec == "~") {
      SetTree("dv", "[]", &row);
      SetTree("fv", "[]", &row);
      SetTree("sv", "{\"dimensions\":3,\"vector\":[]}", &row);
      SetTree("wd", "[]", &row);
      return row;
    }
    const std::string geometry = Geometry(spec), array = absl::StrCat("[", geometry, ",null]");
    SetTree("g", geometry, &row);
    SetTree("gg", geometry, &row);
    SetTree("ga", array, &row);
    SetTree("pt", "{\"x\":1.0,\"y\":2.5,\"wkb\":null,\"srid\":null}", &row);
    SetTree("dv", "[101.0,102.5,1.0E-7,-0.25,1.0E10]", &row);
    SetTree("fv", "[1.0,0.1,65504.0]", &row);
    SetTree("sv", "{\"dimensions\":1200,\"vector\":[[1,10.0],[3,20.5],[1000,1.0]]}", &row);
    SetTree("rv", "[0.125]", &row);
    SetTree("wd", "[2.0,-0.0]", &row);
    Set("n", Scalar::Text("x"), &row);
    return row;
  }
  static void Set(const char* column, const Scalar& value, Node* row) {
    Node* member = row->Find(column);
    *member = event::ConstantNode(member->schema, value, column);
  }
  static void SetTree(const char* column, const std::string& json, Node* row) {
    Set(column, TreeOf(json, *row->Find(column)->schema), row);
  }
  // "HEX" or "HEX@SRID".
  static std::string Geometry(const std::string& spec) {
    const std::vector<std::string> parts = absl::StrSplit(spec, '@');
    return absl::StrCat("{\"wkb\":\"", absl::Base64Escape(absl::HexStringToBytes(parts[0])),
                        "\",\"srid\":", parts.size() == 1 ? "null" : parts[1], "}");
  }
};

}  // namespace walduct::transform
