// Kafka Connect's Cast: changes types of fields.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "java/number/narrowing.h"
#include "java/text/number_text.h"
#include "java/text/text_lists.h"
#include "java/time/connect_time.h"
#include "transform/connect/field_options.h"
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
using enum OptionType;

struct CastType {
  absl::string_view name;
  ConnectType type;
  int bits;  // integers
};
constexpr CastType kCastTypes[] = {
    {"int8", ConnectType::kInt8, 8},       {"int16", ConnectType::kInt16, 16},
    {"int32", ConnectType::kInt32, 32},    {"int64", ConnectType::kInt64, 64},
    {"float32", ConnectType::kFloat, 0},   {"float64", ConnectType::kDouble, 0},
    {"boolean", ConnectType::kBoolean, 0}, {"string", ConnectType::kString, 0},
};

const CastType& FindCastType(absl::string_view name) {
  for (const CastType& type : kCastTypes) {
    if (absl::EqualsIgnoreCase(type.name, name)) return type;
  }
  return kCastTypes[0];
}

absl::Status OutOfRange() { return RecordError("Value was out of range for requested data type"); }

// The whole part of "12.30", its low bits when it is longer than 64 of them.
int64_t IntegerOfDecimal(absl::string_view digits, int bits) {
  uint64_t value = 0;
  const bool negative = !digits.empty() && digits[0] == '-';
  for (char c : digits.substr(negative ? 1 : 0)) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return java::Narrowed(static_cast<int64_t>(negative ? 0 - value : value), bits);
}

absl::Status CastToInteger(const Scalar& in, int bits, Scalar* out) {
  int64_t value = 0;
  switch (in.kind) {
    case Scalar::Kind::kBoolean:
    case Scalar::Kind::kInteger:
      value = java::Narrowed(in.integer, bits);
      break;
    case Scalar::Kind::kReal:
      value = java::IntegerOfDouble(in.real, bits);
      break;
    case Scalar::Kind::kDecimal:
      value = IntegerOfDecimal(in.text, bits);
      break;
    case Scalar::Kind::kText:
      if (!absl::SimpleAtoi(in.text, &value) || java::Narrowed(value, bits) != value)
        return OutOfRange();
      break;
    default:
      return RecordError("Unexpected type in Cast transformation");
  }
  *out = Scalar::Integer(value);
  return absl::OkStatus();
}

absl::Status CastToReal(const Scalar& in, bool single, Scalar* out) {
  double value = in.real;
  switch (in.kind) {
    case Scalar::Kind::kBoolean:
    case Scalar::Kind::kInteger:
      value = static_cast<double>(in.integer);
      if (single) value = static_cast<double>(static_cast<float>(in.integer));
      break;
    case Scalar::Kind::kReal:
      break;
    case Scalar::Kind::kDecimal:
    case Scalar::Kind::kText:
      if (!absl::SimpleAtod(in.text, &value)) return OutOfRange();
      break;
    default:
      return RecordError("Unexpected type in Cast transformation");
  }
  *out = Scalar::Real(single ? static_cast<double>(static_cast<float>(value)) : value);
  return absl::OkStatus();
}

absl::Status CastToBoolean(const Scalar& in, Scalar* out) {
  switch (in.kind) {
    case Scalar::Kind::kBoolean:
    case Scalar::Kind::kInteger:
      *out = Scalar::Boolean(in.integer != 0);
      return absl::OkStatus();
    case Scalar::Kind::kReal:
      *out = Scalar::Boolean(java::IntegerOfDouble(in.real, 64) != 0);
      return absl::OkStatus();
    case Scalar::Kind::kDecimal:
      *out = Scalar::Boolean(IntegerOfDecimal(in.text, 64) != 0);
      return absl::OkStatus();
    case Scalar::Kind::kText:
      *out = Scalar::Boolean(absl::EqualsIgnoreCase(in.text, "true"));
      return absl::OkStatus();
    default:
      return RecordError("Unexpected type in Cast transformation");
  }
}

absl::Status CastToText(const Scalar& in, const ConnectSchema& from, std::string* buffer,
                        Scalar* out) {
  if (in.kind == Scalar::Kind::kInteger && java::AppendConnectTime(from.name, in.integer, buffer)) {
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }
  switch (in.kind) {
    case Scalar::Kind::kBytes:
      absl::Base64Escape(in.text, buffer);
      break;
    case Scalar::Kind::kText:
      *out = Scalar::Text(in.text);
      return absl::OkStatus();
    case Scalar::Kind::kDecimal:
      java::AppendDecimal(in.text, buffer);
      break;
    case Scalar::Kind::kBoolean:
      *buffer = in.integer != 0 ? "true" : "false";
      break;
    case Scalar::Kind::kInteger:
      absl::StrAppend(buffer, in.integer);
      break;
    case Scalar::Kind::kReal:
      if (from.type == ConnectType::kFloat) {
        java::AppendFloat(static_cast<float>(in.real), buffer);
      } else {
        java::AppendDouble(in.real, buffer);
      }
      break;
    default:
      return RecordError("Unexpected type in Cast transformation");
  }
  *out = Scalar::Text(*buffer);
  return absl::OkStatus();
}

absl::Status CastScalar(const Scalar& in, const ConnectSchema& from, const CastType& to,
                        std::string* buffer, Scalar* out) {
  *out = Scalar::Null();
  if (in.is_null()) return absl::OkStatus();
  if (to.type == ConnectType::kString) return CastToText(in, from, buffer, out);
  if (to.type == ConnectType::kBoolean) return CastToBoolean(in, out);
  if (to.type == ConnectType::kFloat || to.type == ConnectType::kDouble)
    return CastToReal(in, to.type == ConnectType::kFloat, out);
  return CastToInteger(in, to.bits, out);
}

constexpr absl::string_view kTypeNames =
    "int8, int16, int32, int64, float32, float64, boolean, string";

// `field:type` per item, or one type alone for the whole key or value.
std::string CheckCastSpec(absl::string_view value) {
  bool whole = false;
  const std::vector<std::string> items = java::SplitCommaList(value);
  for (const std::string& item : items) {
    const std::vector<absl::string_view> sides = absl::StrSplit(item, ':');
    if (sides.size() > 2 || (sides.size() == 2 && (sides[0].empty() || sides[1].empty())))
      return absl::StrCat("has the item '", item, "', which is not of the form field:type");
    whole = whole || sides.size() == 1;
    if (!java::ListContains(kTypeNames, absl::AsciiStrToLower(sides.back())))
      return absl::StrCat("has the type '", sides.back(), "'; one of ", kTypeNames, " is expected");
  }
  if (whole && items.size() > 1) return "combines a type for the whole value with types of fields";
  return items.empty() ? "names no type" : "";
}

constexpr OptionRow kOptions[] = {{.name = "spec",
                                   .type = kList,
                                   .required = true,
                                   .doc = "Fields and their new types, `a:int32,b:string`; a "
                                          "single type applies to the whole key or value.",
                                   .check = CheckCastSpec},
                                  kReplaceNull};

struct Options {
  FieldOptions common;
  const CastType* whole = nullptr;  // null: types of fields
  std::map<std::string, const CastType*, std::less<>> fields;
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting), .whole = nullptr, .fields = {}};
  for (const std::string& item : setting.options.List("spec")) {
    const std::vector<std::string> sides = absl::StrSplit(item, ':');
    const CastType& type = FindCastType(sides.back());
    if (sides.size() == 1) {
      options.whole = &type;
    } else {
      options.fields[sides[0]] = &type;
    }
  }
  return options;
}

class Cast final : public Stage {
 public:
  explicit Cast(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    if (options_.whole != nullptr) return CastWhole(&operating);
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "type casting"));
    if (node->schema == nullptr) return CastMap(node);
    for (Node& member : node->members) {
      Node taken = Taken(member, options_.common.replace_null);
      const auto cast = options_.fields.find(member.name);
      if (cast != options_.fields.end()) {
        ASSIGN_OR_RETURN(taken, CastNode(taken, *cast->second, false));
      }
      member = std::move(taken);
    }
    RETURN_IF_ERROR(RenewStructSchema(node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.common.target, record);
  }

 private:
  absl::StatusOr<Verdict> CastMap(Node* map) const {
    for (const auto& [name, type] : options_.fields) AddMissing(name, map);
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> CastWhole(std::optional<Node>* operating) const {
    ASSIGN_OR_RETURN(*operating, CastNode(**operating, *options_.whole, true));
    return Verdict::kKeep;
  }

  static absl::StatusOr<Node> CastNode(const Node& node, const CastType& to, bool keep_name) {
    const ConnectSchema& from = *node.schema;
    if (node.is_struct())
      return RecordError(absl::StrCat(
          "Cast transformation does not support casting from a struct (field ", node.name, ")"));
    // The whole value keeps the name of its schema, unless that is one of Connect's own, which no
    // other type may bear.
    const bool named = keep_name && !absl::StartsWith(from.name, "org.apache.kafka.connect.data.");
    ConnectSchema schema = named ? CopyBasics(from) : event::Schema(to.type);
    schema.type = to.type;
    schema.optional = from.optional;
    if (from.default_value) {
      std::string buffer, result;
      Scalar cast;
      RETURN_IF_ERROR(CastScalar(DefaultOf(from, &buffer), from, to, &result, &cast));
      schema.default_value = event::ConnectDefault(cast);
    }
    const ConnectSchemaPtr source = node.schema;
    return Converted(node, event::Shared(std::move(schema)),
                     MakeFunction([source, &to](auto in, std::string* buffer, Scalar* out) {
                       return CastScalar(in[0], *source, to, buffer, out);
                     }));
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kCast = {.name = "org.apache.kafka.connect.transforms.Cast",
                                               .has_targets = true,
                                               .options = kOptions,
                                               .doc = "Changes types of fields.",
                                               .make = MakeStage<Cast, Read>};

}  // namespace walduct::transform
