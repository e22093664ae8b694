#include "encode/formats/schema_json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "encode/formats/scalar_text.h"

namespace walduct::encode {
namespace {

absl::string_view TypeName(event::ConnectType type) {
  switch (type) {
    case event::ConnectType::kBoolean:
      return "boolean";
    case event::ConnectType::kInt8:
      return "int8";
    case event::ConnectType::kInt16:
      return "int16";
    case event::ConnectType::kInt32:
      return "int32";
    case event::ConnectType::kInt64:
      return "int64";
    case event::ConnectType::kFloat:
      return "float";
    case event::ConnectType::kDouble:
      return "double";
    case event::ConnectType::kString:
      return "string";
    case event::ConnectType::kBytes:
      return "bytes";
    case event::ConnectType::kArray:
      return "array";
    case event::ConnectType::kMap:
      return "map";
    case event::ConnectType::kStruct:
      return "struct";
  }
  return "";
}

template <typename... Pieces>
void Append(OutBuffer* out, const Pieces&... pieces) {
  (out->append(pieces), ...);
}

void AppendText(absl::string_view member, absl::string_view text, OutBuffer* out) {
  Append(out, ",\"", member, "\":");
  AppendJsonString(text, out);
}

void AppendParameters(const event::ConnectSchema& schema, OutBuffer* out) {
  if (schema.parameters.empty()) return;
  Append(out, ",\"parameters\":{");
  const char* separator = "";
  for (const auto& [key, value] : schema.parameters) {
    Append(out, separator);
    AppendJsonString(key, out);
    out->push_back(':');
    AppendJsonString(value, out);
    separator = ",";
  }
  out->push_back('}');
}

void AppendDefault(const event::ConnectSchema& schema, const TextTarget& target) {
  Scratch scratch;
  ValueContext context;
  static_cast<TextTarget&>(context) = target;
  context.scratch = &scratch;
  target.out->append(",\"default\":");
  AppendScalar(schema.default_value->value(), &schema, &context);
}

void AppendNode(const event::ConnectSchema& schema, const std::string* field,
                const TextTarget& target);

void AppendFields(const event::ConnectSchema& schema, const TextTarget& target) {
  OutBuffer* out = target.out;
  Append(out, ",\"fields\":[");
  const char* separator = "";
  for (const event::ConnectField& field : schema.fields) {
    Append(out, separator);
    AppendNode(*field.schema, &field.name, target);
    separator = ",";
  }
  out->push_back(']');
}

void AppendNode(const event::ConnectSchema& schema, const std::string* field,
                const TextTarget& target) {
  OutBuffer* out = target.out;
  Append(out, "{\"type\":\"", TypeName(schema.type), "\"");
  if (schema.type == event::ConnectType::kStruct) AppendFields(schema, target);
  if (schema.type == event::ConnectType::kArray) {
    Append(out, ",\"items\":");
    AppendNode(*schema.items, nullptr, target);
  }
  if (schema.type == event::ConnectType::kMap) {
    Append(out, ",\"keys\":");
    AppendNode(*schema.keys, nullptr, target);
    Append(out, ",\"values\":");
    AppendNode(*schema.items, nullptr, target);
  }
  Append(out, ",\"optional\":", schema.optional ? "true" : "false");
  if (!schema.name.empty()) AppendText("name", schema.name, out);
  if (schema.version) Append(out, absl::StrCat(",\"version\":", *schema.version));
  if (!schema.doc.empty()) AppendText("doc", schema.doc, out);
  AppendParameters(schema, out);
  if (schema.default_value) AppendDefault(schema, target);
  if (field != nullptr) AppendText("field", *field, out);
  out->push_back('}');
}

}  // namespace

void AppendSchemaJson(const event::ConnectSchema& schema, const TextTarget& target) {
  AppendNode(schema, nullptr, target);
}

}  // namespace walduct::encode
