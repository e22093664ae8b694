#include "encode/json_schema/json_schema.h"

#include <bit>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "encode/formats/avro_default.h"
#include "encode/json_schema/json_schema_default.h"
#include "java/hash/hash_code.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectType;

// Parameters of Confluent's own, which do not go into a schema.
constexpr absl::string_view kOwnParameters = "io.confluent.connect.json";
constexpr int kNoIndex = -1;

absl::string_view TypeOfJson(const ConnectSchema& schema) {
  switch (schema.type) {
    case ConnectType::kBoolean:
      return "boolean";
    case ConnectType::kInt8:
    case ConnectType::kInt16:
    case ConnectType::kInt32:
    case ConnectType::kInt64:
      return "integer";
    case ConnectType::kFloat:
    case ConnectType::kDouble:
      return "number";
    case ConnectType::kString:
      return "string";
    case ConnectType::kBytes:
      return IsDecimal(schema) ? "number" : "string";
    case ConnectType::kArray:
      return "array";
    case ConnectType::kMap:
      return schema.keys->type == ConnectType::kString && !schema.keys->optional ? "object"
                                                                                 : "array";
    case ConnectType::kStruct:
      return "object";
  }
  return "";
}

// connect.type; empty: JSON's own says it.
absl::string_view TypeOfConnect(ConnectType type) {
  switch (type) {
    case ConnectType::kInt8:
      return "int8";
    case ConnectType::kInt16:
      return "int16";
    case ConnectType::kInt32:
      return "int32";
    case ConnectType::kInt64:
      return "int64";
    case ConnectType::kFloat:
      return "float32";
    case ConnectType::kDouble:
      return "float64";
    case ConnectType::kBytes:
      return "bytes";
    case ConnectType::kMap:
      return "map";
    case ConnectType::kBoolean:
    case ConnectType::kString:
    case ConnectType::kArray:
    case ConnectType::kStruct:
      break;
  }
  return "";
}

class SchemaPrinter {
 public:
  SchemaPrinter(const JsonSchemaForm& form, std::string* out) : form_(form), out_(out) {}

  // index: of the field in its struct.
  void Print(const ConnectSchema& schema, int index) {
    if (!schema.optional) return PrintBranch(schema, index);
    out_->push_back('{');
    if (index != kNoIndex) absl::StrAppend(out_, "\"connect.index\":", index, ",");
    out_->append("\"oneOf\":[{\"type\":\"null\"},");
    PrintBranch(schema, kNoIndex);
    out_->append("]}");
  }

 private:
  // The schema itself, optional or not. Boolean schemas name their type last, others first.
  void PrintBranch(const ConnectSchema& schema, int index) {
    separator_ = "{";
    const bool boolean = schema.type == ConnectType::kBoolean;
    if (!boolean) Text("type", TypeOfJson(schema));
    if (schema.type == ConnectType::kStruct && !form_.additional_properties)
      Member("additionalProperties", "false");
    if (!schema.name.empty()) Text("title", schema.name);
    if (!schema.doc.empty()) Text("description", schema.doc);
    if (schema.default_value) {
      Name("default");
      AppendJsonSchemaDefault(schema, form_.decimal_numeric, out_);
    }
    PrintAttributes(schema, index);
    if (boolean) Text("type", TypeOfJson(schema));
    PrintContents(schema);
    out_->push_back('}');
  }

  void PrintAttributes(const ConnectSchema& schema, int index) {
    if (index != kNoIndex) Member("connect.index", absl::StrCat(index));
    if (schema.version) Member("connect.version", absl::StrCat(*schema.version));
    const absl::string_view type = TypeOfConnect(schema.type);
    if (!type.empty()) Text("connect.type", type);
    PrintParameters(schema);
  }

  // They come through a HashMap, and then through one of just their size.
  void PrintParameters(const ConnectSchema& schema) {
    std::vector<absl::string_view> names, values;
    for (const auto& [name, value] : schema.parameters) {
      if (absl::StartsWith(name, kOwnParameters)) continue;
      names.push_back(name);
      values.push_back(value);
    }
    if (names.empty()) return;
    Arrange(16, &names, &values);
    Arrange(std::bit_ceil(names.size()), &names, &values);
    Name("connect.parameters");
    const char* separator = "{";
    for (size_t i = 0; i < names.size(); ++i) {
      out_->append(separator);
      AppendAvroString(names[i], out_);
      out_->push_back(':');
      AppendAvroString(values[i], out_);
      separator = ",";
    }
    out_->push_back('}');
  }

  static void Arrange(size_t buckets, std::vector<absl::string_view>* names,
                      std::vector<absl::string_view>* values) {
    std::vector<absl::string_view> arranged_names, arranged_values;
    for (const size_t i : java::HashMapOrder(*names, buckets)) {
      arranged_names.push_back((*names)[i]);
      arranged_values.push_back((*values)[i]);
    }
    *names = std::move(arranged_names);
    *values = std::move(arranged_values);
  }

  void PrintContents(const ConnectSchema& schema) {
    if (schema.type == ConnectType::kStruct) return PrintProperties(schema.fields);
    if (schema.type == ConnectType::kArray) {
      Name("items");
      Print(*schema.items, kNoIndex);
    }
    if (schema.type != ConnectType::kMap) return;
    if (TypeOfJson(schema) == "object") {
      Name("additionalProperties");
      return Print(*schema.items, kNoIndex);
    }
    Name("items");
    out_->append("{\"type\":\"object\"");
    separator_ = ",";
    PrintProperties({{"key", schema.keys}, {"value", schema.items}});
    out_->push_back('}');
  }

  void PrintProperties(const std::vector<ConnectField>& fields) {
    if (fields.empty()) return;
    std::vector<absl::string_view> names;
    for (const ConnectField& field : fields) names.push_back(field.name);
    Name("properties");
    const char* separator = "{";
    for (const size_t i : java::HashMapOrder(names)) {
      out_->append(separator);
      AppendAvroString(names[i], out_);
      out_->push_back(':');
      Print(*fields[i].schema, static_cast<int>(i));
      separator = ",";
    }
    out_->push_back('}');
  }

  void Name(absl::string_view name) {
    absl::StrAppend(out_, separator_, "\"", name, "\":");
    separator_ = ",";
  }
  void Member(absl::string_view name, absl::string_view value) {
    Name(name);
    out_->append(value.data(), value.size());
  }
  void Text(absl::string_view name, absl::string_view text) {
    Name(name);
    AppendAvroString(text, out_);
  }

  const JsonSchemaForm form_;
  std::string* const out_;
  const char* separator_ = "{";  // before the next member
};

}  // namespace

JsonSchema MakeJsonSchema(const ConnectSchema& schema, const JsonSchemaForm& form) {
  JsonSchema made;
  if (!schema.optional) made.title = schema.name;
  SchemaPrinter(form, &made.text).Print(schema, kNoIndex);
  return made;
}

}  // namespace walduct::encode
