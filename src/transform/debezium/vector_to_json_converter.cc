// Debezium's VectorToJsonConverter: vectors of pgvector as texts of JSON.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "event/tree.h"
#include "java/text/number_text.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

// Infinities and NaN without quotes.
void AppendNumber(const Scalar& number, ConnectType type, std::string* out) {
  if (type == ConnectType::kFloat) {
    java::AppendFloat(static_cast<float>(number.real), out);
  } else {
    java::AppendDouble(number.real, out);
  }
}

void AppendDense(const Scalar& vector, ConnectType type, std::string* out) {
  out->append("{ \"values\": [");
  const char* separator = "";
  for (event::TreeReader numbers(vector); !numbers.done(); separator = ", ") {
    out->append(separator);
    AppendNumber(numbers.Value(), type, out);
  }
  out->append("] }");
}

// {dimensions, vector: {index: number, …}}, in any order.
void AppendSparse(const Scalar& vector, ConnectType type, std::string* out) {
  std::vector<std::pair<int64_t, Scalar>> entries;
  for (event::TreeReader map(event::TreeField(vector, "vector")); !map.done();) {
    const int64_t index = map.Value().integer;
    entries.emplace_back(index, map.Value());
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  absl::StrAppend(out, "{ \"dimensions\": ", event::TreeField(vector, "dimensions").integer,
                  ", \"vector\": { ");
  const char* separator = "";
  for (const auto& [index, number] : entries) {
    absl::StrAppend(out, std::exchange(separator, ", "), "\"", index, "\": ");
    AppendNumber(number, type, out);
  }
  out->append(" } }");
}

struct VectorType {
  absl::string_view schema_name;
  void (*append)(const Scalar& vector, ConnectType type, std::string* out);
  ConnectType number;
};
constexpr VectorType kVectorTypes[] = {
    {"io.debezium.data.DoubleVector", AppendDense, ConnectType::kDouble},
    {"io.debezium.data.FloatVector", AppendDense, ConnectType::kFloat},
    {"io.debezium.data.SparseDoubleVector", AppendSparse, ConnectType::kDouble},
};

const VectorType* FindVectorType(const ConnectSchema& schema) {
  for (const VectorType& type : kVectorTypes) {
    if (type.schema_name == schema.name) return &type;
  }
  return nullptr;
}

// Structs lose their default, as in the original.
ConnectSchemaPtr WithoutVectors(const ConnectSchemaPtr& schema) {
  if (FindVectorType(*schema) != nullptr) {
    ConnectSchema json = event::Schema(ConnectType::kString, "io.debezium.data.Json");
    json.optional = schema->optional;
    return event::Shared(std::move(json));
  }
  if (schema->type != ConnectType::kStruct) return schema;
  ConnectSchema copy = CopyBasics(*schema);
  copy.optional = schema->optional;
  for (const event::ConnectField& field : schema->fields)
    copy.fields.push_back({field.name, WithoutVectors(field.schema)});
  return event::Shared(std::move(copy));
}

absl::StatusOr<Node> ConvertedVector(const Node& vector, const VectorType& type,
                                     ConnectSchemaPtr schema) {
  return Converted(vector, std::move(schema),
                   MakeFunction([&type](auto in, std::string* buffer, Scalar* out) {
                     *out = Scalar::Null();
                     if (in[0].is_null()) return absl::OkStatus();
                     type.append(in[0], type.number, buffer);
                     *out = Scalar::Text(*buffer);
                     return absl::OkStatus();
                   }));
}

// A struct that is one value: as it is, under a schema that has no default any more.
absl::StatusOr<Node> UnderSchema(const Node& leaf, ConnectSchemaPtr schema) {
  static const event::ValueFunctionPtr* const same =
      new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, Scalar* out) {
        *out = in[0];
        return absl::OkStatus();
      }));
  return Converted(leaf, std::move(schema), *same);
}

absl::Status ConvertMembers(Node* parent);

absl::Status Convert(Node* node) {
  if (node->schema == nullptr) return absl::OkStatus();
  const ConnectSchemaPtr schema = WithoutVectors(node->schema);
  if (node->is_struct()) {
    RETURN_IF_ERROR(ConvertMembers(node));
    node->schema = schema;
    return absl::OkStatus();
  }
  const bool has_default = node->schema->default_value.has_value();
  if (has_default) *node = Taken(*node, true);
  if (const VectorType* type = FindVectorType(*node->schema); type != nullptr) {
    ASSIGN_OR_RETURN(*node, ConvertedVector(*node, *type, schema));
  } else if (has_default && node->schema->type == ConnectType::kStruct) {
    ASSIGN_OR_RETURN(*node, UnderSchema(*node, schema));
  } else {
    node->schema = schema;
  }
  return absl::OkStatus();
}

absl::Status ConvertMembers(Node* parent) {
  for (Node& member : parent->members) RETURN_IF_ERROR(Convert(&member));
  return CheckPuts(*parent);
}

class VectorToJsonConverter final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (const auto verdict = UnlessPresent(record->value, questions)) return *verdict;
    const ConnectSchemaPtr& schema = record->value->schema;
    if (schema == nullptr || schema->type != ConnectType::kStruct)
      return RecordError("Only Struct objects supported for [Value should be a struct]");
    const bool row = record->value->is_struct() && FindVectorType(*schema) == nullptr;
    if (row) RETURN_IF_ERROR(Convert(&*record->value));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kKept;
  }
};

}  // namespace

extern constinit const TransformClass kVectorToJsonConverter = {
    .name = "io.debezium.transforms.VectorToJsonConverter",
    .doc = "Writes pgvector's vectors as JSON text.",
    .make = MakeStage<VectorToJsonConverter>};

}  // namespace walduct::transform
