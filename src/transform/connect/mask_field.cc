// Kafka Connect's MaskField: replaces values by nothing or by a constant.
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "java/number/narrowing.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using config::TransformTarget;
using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

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

class MaskField final : public Stage {
 public:
  explicit MaskField(const TransformSpec& spec)
      : target_(spec.target), replace_null_(spec.options.Boolean("replace.null.with.default")) {
    for (const std::string& name : spec.options.List("fields")) fields_.insert(name);
    if (spec.options.Has("replacement")) replacement_ = spec.options.Text("replacement");
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&Target(target_, record), "mask fields"));
    if (node->schema == nullptr) {
      for (const std::string& name : fields_) AddMissing(name, node);
    }
    for (Node& member : node->members) {
      Node taken = Taken(member, replace_null_);
      if (fields_.count(member.name) > 0) {
        ASSIGN_OR_RETURN(taken, Masked(taken));
      }
      member = std::move(taken);
    }
    return Verdict::kKeep;
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
      if (IsDecimal(*schema)) {
        *out = Scalar::Decimal(*mask);
      } else {
        ScalarFromJson(*mask, *schema, buffer, out);
      }
      return absl::OkStatus();
    });
    if (node.is_struct()) return mask.status();
    return Converted(node, node.schema, function);
  }

  // As JSON; of a decimal as digits.
  absl::StatusOr<std::string> MaskOf(const ConnectSchema& schema) const {
    if (schema.type == ConnectType::kString)
      return event::ConnectDefault(MakeDefault(Scalar::Text(replacement_.value_or("")))).json;
    const bool number = IsDecimal(schema) || IsNumber(schema.type);
    const bool time =
        absl::StartsWith(schema.name, "org.apache.kafka.connect.data.") && !IsDecimal(schema);
    if (replacement_ && number && !time) return Number(schema);
    if (replacement_)
      return RecordError(
          "Cannot mask value with custom replacement: it is neither number nor text");
    if (number) return std::string("0");
    if (schema.type == ConnectType::kBoolean) return std::string("false");
    if (schema.type == ConnectType::kArray) return std::string("[]");
    if (schema.type == ConnectType::kMap) return std::string("{}");
    return RecordError("Cannot mask value: bytes and structs have no empty value");
  }

  // As Connect's Values converts text: through a decimal, of which an integer takes the low bits of
  // the whole part.
  absl::StatusOr<std::string> Number(const ConnectSchema& schema) const {
    double real = 0;
    if (!absl::SimpleAtod(*replacement_, &real) || !std::isfinite(real))
      return RecordError(absl::StrCat("Unable to convert ", *replacement_, " to a number"));
    const int bits = IntegerBits(schema.type);
    if (bits == 0) return *replacement_;
    int64_t integer = 0;
    if (!absl::SimpleAtoi(*replacement_, &integer)) integer = java::IntegerOfDouble(real, 64);
    return absl::StrCat(java::Narrowed(integer, bits));
  }

  static bool IsNumber(ConnectType type) {
    return type == ConnectType::kInt8 || type == ConnectType::kInt16 ||
           type == ConnectType::kInt32 || type == ConnectType::kInt64 ||
           type == ConnectType::kFloat || type == ConnectType::kDouble;
  }

  const TransformTarget target_;
  const bool replace_null_;
  std::set<std::string, std::less<>> fields_;
  std::optional<std::string> replacement_;
};

}  // namespace

StagePtr MakeMaskField(const TransformSpec& spec) { return std::make_unique<MaskField>(spec); }

}  // namespace walduct::transform
