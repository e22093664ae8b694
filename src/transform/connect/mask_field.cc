// Kafka Connect's MaskField: replaces values by nothing or by a constant.
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "java/number/narrowing.h"
#include "transform/connect/field_options.h"
#include "transform/options/option_checks.h"
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

// 0: not an integer.
int IntegerBits(ConnectType type) {
  switch (type) {
    case ConnectType::kInt8:
      return 8;
    case ConnectType::kInt16:
      return 16;
    case ConnectType::kInt32:
      return 32;
    case ConnectType::kInt64:
      return 64;
    default:
      return 0;
  }
}

constexpr OptionRow kOptions[] = {
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields to mask.",
     .check = CheckNotEmptyList},
    {.name = "replacement",
     .doc = "Replacement for numbers and text; default: 0, empty text, false, the epoch.",
     .check = CheckNotEmpty},
    kReplaceNull};

struct Options {
  FieldOptions common;
  std::set<std::string, std::less<>> fields;
  std::optional<std::string> replacement;
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting),
                  .fields = setting.options.Set("fields"),
                  .replacement = {}};
  if (setting.options.Has("replacement")) options.replacement = setting.options.Text("replacement");
  return options;
}

class MaskField final : public Stage {
 public:
  explicit MaskField(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * node,
                     RequireStruct(&Target(options_.common.target, record), "mask fields"));
    if (node->schema == nullptr) {
      for (const std::string& name : options_.fields) AddMissing(name, node);
    }
    for (Node& member : node->members) {
      Node taken = Taken(member, options_.common.replace_null);
      if (options_.fields.count(member.name) > 0) {
        ASSIGN_OR_RETURN(taken, Masked(taken));
      }
      member = std::move(taken);
    }
    RETURN_IF_ERROR(CheckPuts(*node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.common.target, record);
  }

 private:
  // NULL stays NULL.
  absl::StatusOr<Node> Masked(const Node& node) const {
    if (node.kind == Node::Kind::kNull || node.schema == nullptr) return node;
    const absl::StatusOr<std::string> mask = MaskOf(*node.schema);
    const ConnectSchemaPtr schema = node.schema;
    const auto function = MakeFunction([mask, schema](auto in, std::string* buffer, Scalar* out) {
      *out = Scalar::Null();
      if (in[0].is_null()) return absl::OkStatus();
      if (!mask.ok()) return mask.status();
      *buffer = *mask;
      *out = MaskValue(*schema, *buffer);
      return absl::OkStatus();
    });
    if (node.is_struct()) return mask.status();
    return Converted(node, node.schema, function);
  }

  static Scalar MaskValue(const ConnectSchema& schema, absl::string_view text) {
    if (IsDecimal(schema)) return Scalar::Decimal(text);
    switch (schema.type) {
      case ConnectType::kString:
        return Scalar::Text(text);
      case ConnectType::kBoolean:
        return Scalar::Boolean(false);
      case ConnectType::kArray:
        return Scalar::Tree(Scalar::Kind::kArray, "");
      case ConnectType::kMap:
        return Scalar::Tree(Scalar::Kind::kMap, "");
      case ConnectType::kFloat:
      case ConnectType::kDouble: {
        double real = 0;
        return absl::SimpleAtod(text, &real) ? Scalar::Real(real) : Scalar::Null();
      }
      default: {
        int64_t integer = 0;
        return absl::SimpleAtoi(text, &integer) ? Scalar::Integer(integer) : Scalar::Null();
      }
    }
  }

  // The text, the digits of a number; of other types it says nothing.
  absl::StatusOr<std::string> MaskOf(const ConnectSchema& schema) const {
    if (schema.type == ConnectType::kString) return options_.replacement.value_or("");
    const bool number = IsDecimal(schema) || IsNumber(schema.type);
    const bool time =
        absl::StartsWith(schema.name, "org.apache.kafka.connect.data.") && !IsDecimal(schema);
    if (options_.replacement && number && !time) return Number(schema);
    if (options_.replacement)
      return RecordError(
          "Cannot mask value with custom replacement: it is neither number nor text");
    if (number) return std::string("0");
    if (schema.type == ConnectType::kBoolean || schema.type == ConnectType::kArray ||
        schema.type == ConnectType::kMap)
      return std::string();
    return RecordError("Cannot mask value: bytes and structs have no empty value");
  }

  // As Connect's Values converts text: through a decimal, of which an integer takes the low bits of
  // the whole part.
  absl::StatusOr<std::string> Number(const ConnectSchema& schema) const {
    double real = 0;
    if (!absl::SimpleAtod(*options_.replacement, &real) || !std::isfinite(real))
      return RecordError(absl::StrCat("Unable to convert ", *options_.replacement, " to a number"));
    const int bits = IntegerBits(schema.type);
    if (bits == 0) return *options_.replacement;
    int64_t integer = 0;
    if (!absl::SimpleAtoi(*options_.replacement, &integer))
      integer = java::IntegerOfDouble(real, 64);
    return absl::StrCat(java::Narrowed(integer, bits));
  }

  static bool IsNumber(ConnectType type) {
    return type == ConnectType::kInt8 || type == ConnectType::kInt16 ||
           type == ConnectType::kInt32 || type == ConnectType::kInt64 ||
           type == ConnectType::kFloat || type == ConnectType::kDouble;
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kMaskField = {
    .name = "org.apache.kafka.connect.transforms.MaskField",
    .has_targets = true,
    .options = kOptions,
    .doc = "Replaces values with an empty value or a constant.",
    .make = MakeStage<MaskField, Read>};

}  // namespace walduct::transform
