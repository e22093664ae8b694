#include "encode/formats/protobuf_types.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "java/time/connect_time.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;
using event::ConnectType;

constexpr absl::string_view kWrappersHead = R"(syntax = "proto3";
package google.protobuf;

option java_package = "com.google.protobuf";
option java_outer_classname = "WrappersProto";
option java_multiple_files = true;
option go_package = "google.golang.org/protobuf/types/known/wrapperspb";
option cc_enable_arenas = true;
option objc_class_prefix = "GPB";
option csharp_namespace = "Google.Protobuf.WellKnownTypes";

)";

// In the order of wrappers.proto.
struct Pair {
  absl::string_view type, wrapper;
};
constexpr Pair kPrimitives[] = {
    {"double", "DoubleValue"}, {"float", "FloatValue"},   {"int64", "Int64Value"},
    {"uint64", "UInt64Value"}, {"int32", "Int32Value"},   {"uint32", "UInt32Value"},
    {"bool", "BoolValue"},     {"string", "StringValue"}, {"bytes", "BytesValue"}};

// Its place there; -1: none.
int PlaceOf(ConnectType type) {
  switch (type) {
    case ConnectType::kDouble:
      return 0;
    case ConnectType::kFloat:
      return 1;
    case ConnectType::kInt64:
      return 2;
    case ConnectType::kInt8:
    case ConnectType::kInt16:
    case ConnectType::kInt32:
      return 4;
    case ConnectType::kBoolean:
      return 6;
    case ConnectType::kString:
      return 7;
    case ConnectType::kBytes:
      return 8;
    case ConnectType::kArray:
    case ConnectType::kMap:
    case ConnectType::kStruct:
      break;
  }
  return -1;
}

struct Parameter {
  absl::string_view name, value;
};

absl::string_view ValueOf(const ConnectSchema& schema, absl::string_view parameter) {
  for (const auto& [name, value] : schema.parameters) {
    if (name == parameter) return value;
  }
  return "";
}

// confluent.field_meta: what the type does not say.
std::vector<Parameter> ParametersOf(const ConnectSchema& schema) {
  std::vector<Parameter> parameters;
  if (schema.type == ConnectType::kInt8) parameters.push_back({"connect.type", "int8"});
  if (schema.type == ConnectType::kInt16) parameters.push_back({"connect.type", "int16"});
  if (!IsDecimal(schema)) return parameters;
  const absl::string_view precision = ValueOf(schema, "connect.decimal.precision");
  const absl::string_view scale = ValueOf(schema, "scale");
  if (!precision.empty()) parameters.push_back({"precision", precision});
  if (!scale.empty()) parameters.push_back({"scale", scale});
  return parameters;
}

ProtobufLines MetaLines(const std::vector<Parameter>& parameters) {
  ProtobufLines lines = {"(confluent.field_meta) = {", "  params: ["};
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string name = absl::StrCat("key: \"", parameters[i].name, "\"");
    std::string value = absl::StrCat("value: \"", parameters[i].value, "\"");
    // Those of decimals have the value first.
    if (parameters[i].name != "connect.type") std::swap(name, value);
    lines.push_back("    {");
    lines.push_back(absl::StrCat("      ", name, ","));
    lines.push_back(absl::StrCat("      ", value));
    lines.push_back(i + 1 < parameters.size() ? "    }," : "    }");
  }
  lines.push_back("  ]");
  lines.push_back("}");
  return lines;
}

}  // namespace

ProtobufPrimitive PrimitiveOf(ConnectType type) {
  const int place = PlaceOf(type);
  if (place < 0) return {};
  return {kPrimitives[place].type, kPrimitives[place].wrapper, place};
}

std::string ProtobufWrappers() {
  std::string text(kWrappersHead);
  for (const Pair& primitive : kPrimitives) {
    absl::StrAppend(&text, "message ", primitive.wrapper, " {\n  ", primitive.type,
                    " value = 1 [json_name = \"value\"];\n}\n");
  }
  return text;
}

ProtobufLogicalType LogicalTypeOf(const ConnectSchema& schema) {
  if (IsDecimal(schema)) return {"confluent.type.Decimal", "confluent/type/decimal.proto"};
  if (schema.name == java::kConnectDate) return {"google.type.Date", "google/type/date.proto"};
  if (schema.name == java::kConnectTime)
    return {"google.type.TimeOfDay", "google/type/timeofday.proto"};
  if (schema.name == java::kConnectTimestamp)
    return {"google.protobuf.Timestamp", "google/protobuf/timestamp.proto"};
  return {};
}

// One option in the line of the field, more in lines of their own.
ProtobufLines ProtobufField(const std::string& field, bool deprecated, const ConnectSchema* meta) {
  const std::vector<Parameter> parameters =
      meta == nullptr ? std::vector<Parameter>() : ParametersOf(*meta);
  if (parameters.empty()) return {absl::StrCat(field, deprecated ? " [deprecated = false];" : ";")};
  ProtobufLines lines = MetaLines(parameters);
  if (!deprecated) {
    lines.front() = absl::StrCat(field, " [", lines.front());
    lines.back().append("];");
    return lines;
  }
  for (std::string& line : lines) line.insert(0, "  ");
  lines.insert(lines.begin(), {absl::StrCat(field, " ["), "  deprecated = false,"});
  lines.push_back("];");
  return lines;
}

}  // namespace walduct::encode
