// Debezium's VectorToJsonConverter: vectors of pgvector as texts of JSON.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"
#include "transform/values/json_reader.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

// Numbers are written as they are in the record, where infinities and NaN are texts.
void AppendNumber(absl::string_view json, std::string* out) {
  absl::ConsumePrefix(&json, "\"");
  absl::ConsumeSuffix(&json, "\"");
  absl::StrAppend(out, json);
}

void AppendDense(absl::string_view json, std::string* out) {
  out->append("{ \"values\": [");
  bool first = true;
  for (const absl::string_view number : JsonItems(json)) {
    if (!std::exchange(first, false)) out->append(", ");
    AppendNumber(number, out);
  }
  out->append("] }");
}

// json: {"dimensions":3,"vector":[[index,number],…]}, in any order.
void AppendSparse(absl::string_view json, std::string* out) {
  std::vector<std::pair<int, absl::string_view>> entries;
  for (const absl::string_view entry : JsonItems(JsonMember(json, "vector"))) {
    const std::vector<absl::string_view> pair = JsonItems(entry);
    int index = 0;
    if (pair.size() == 2 && absl::SimpleAtoi(pair[0], &index)) entries.push_back({index, pair[1]});
  }
  std::sort(entries.begin(), entries.end());
  absl::StrAppend(out, "{ \"dimensions\": ", JsonMember(json, "dimensions"), ", \"vector\": { ");
  bool first = true;
  for (const auto& [index, number] : entries) {
    if (!std::exchange(first, false)) out->append(", ");
    absl::StrAppend(out, "\"", index, "\": ");
    AppendNumber(number, out);
  }
  out->append(" } }");
}

struct VectorType {
  absl::string_view schema_name;
  void (*append)(absl::string_view json, std::string* out);
};
constexpr VectorType kVectorTypes[] = {
    {"io.debezium.data.DoubleVector", AppendDense},
    {"io.debezium.data.FloatVector", AppendDense},
    {"io.debezium.data.SparseDoubleVector", AppendSparse},
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
                   MakeFunction([append = type.append](auto in, std::string* buffer, Scalar* out) {
                     *out = Scalar::Null();
                     if (in[0].is_null()) return absl::OkStatus();
                     append(in[0].text, buffer);
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
  return absl::OkStatus();
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
};

}  // namespace

extern constinit const TransformClass kVectorToJsonConverter = {
    .name = "io.debezium.transforms.VectorToJsonConverter",
    .doc = "Writes pgvector's vectors as JSON text.",
    .make = MakeStage<VectorToJsonConverter>};

}  // namespace walduct::transform
