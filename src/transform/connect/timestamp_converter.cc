// Kafka Connect's TimestampConverter.
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/integer.h"
#include "base/status_macros.h"
#include "java/time/connect_time.h"
#include "java/time/simple_date_format.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using java::kConnectDate;
using java::kConnectTime;
using java::kConnectTimestamp;
using java::SimpleDateFormat;

constexpr int64_t kDayMillis = 86'400'000;

enum class Form { kText, kUnix, kDate, kTime, kTimestamp };

struct TargetForm {
  absl::string_view word;
  Form form;
  ConnectType type;
  absl::string_view semantic;
};
constexpr TargetForm kTargets[] = {
    {"string", Form::kText, ConnectType::kString, ""},
    {"unix", Form::kUnix, ConnectType::kInt64, ""},
    {"Date", Form::kDate, ConnectType::kInt32, kConnectDate},
    {"Time", Form::kTime, ConnectType::kInt32, kConnectTime},
    {"Timestamp", Form::kTimestamp, ConnectType::kInt64, kConnectTimestamp},
};

struct Precision {
  absl::string_view word;
  int64_t multiply, divide;  // of a unix number to milliseconds
};
constexpr Precision kPrecisions[] = {{"nanoseconds", 1, 1'000'000},
                                     {"microseconds", 1, 1'000},
                                     {"milliseconds", 1, 1},
                                     {"seconds", 1'000, 1}};

// Everything about one conversion but the value.
struct Conversion {
  Form from = Form::kUnix;
  Form to = Form::kUnix;
  Precision precision{};
  std::shared_ptr<const SimpleDateFormat> format;  // null: none was given
};

// As java.util.concurrent.TimeUnit does it: what does not fit is the limit.
int64_t Times(int64_t value, int64_t by) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(value, by, &product)) return product;
  return value < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

absl::Status ToMillis(const Conversion& conversion, const Scalar& in, int64_t* millis) {
  switch (conversion.from) {
    case Form::kText:
      if (conversion.format != nullptr && conversion.format->Parse(in.text, millis))
        return absl::OkStatus();
      return RecordError("Could not parse timestamp: the value does not match the pattern");
    case Form::kUnix:
      *millis = Times(in.integer, conversion.precision.multiply) / conversion.precision.divide;
      return absl::OkStatus();
    case Form::kDate:
      *millis = in.integer * kDayMillis;
      return absl::OkStatus();
    case Form::kTime:
    case Form::kTimestamp:
      *millis = in.integer;
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

Scalar FromMillis(const Conversion& conversion, int64_t millis, std::string* buffer) {
  switch (conversion.to) {
    case Form::kText:
      conversion.format->Append(millis, buffer);
      return Scalar::Text(*buffer);
    case Form::kUnix:
      return Scalar::Integer(Times(millis, conversion.precision.divide) /
                             conversion.precision.multiply);
    case Form::kDate:
      return Scalar::Integer(  // an int in Java
          static_cast<int32_t>(FloorDivide(millis, kDayMillis)));
    case Form::kTime:
      return Scalar::Integer(millis - FloorDivide(millis, kDayMillis) * kDayMillis);
    case Form::kTimestamp:
      return Scalar::Integer(millis);
  }
  return Scalar::Null();
}

absl::StatusOr<Form> FormOf(const ConnectSchema& schema) {
  for (const TargetForm& target : kTargets) {
    const bool fits =
        target.semantic.empty() ? schema.type == target.type : schema.name == target.semantic;
    if (!fits) continue;
    // A number or text of any other meaning is taken for plain.
    bool connect_type = false;
    for (const TargetForm& other : kTargets)
      connect_type = connect_type || (!other.semantic.empty() && schema.name == other.semantic);
    if (!target.semantic.empty() || !connect_type) return target.form;
  }
  return RecordError(absl::StrCat("Schema ", schema.name,
                                  " does not correspond to a known timestamp type format"));
}

class TimestampConverter final : public Stage {
 public:
  explicit TimestampConverter(const TransformSpec& spec)
      : target_(spec.target),
        field_(spec.options.Text("field")),
        replace_null_(spec.options.Boolean("replace.null.with.default")) {
    for (const TargetForm& target : kTargets) {
      if (target.word == spec.options.Text("target.type")) to_ = &target;
    }
    for (const Precision& precision : kPrecisions) {
      if (precision.word == spec.options.Text("unix.precision")) precision_ = precision;
    }
    const std::string pattern = spec.options.Text("format");
    if (pattern.empty()) return;
    absl::StatusOr<SimpleDateFormat> format = SimpleDateFormat::Compile(pattern);
    CHECK(format.ok());  // checked before
    format_ = std::make_shared<const SimpleDateFormat>(*std::move(format));
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = Target(target_, record);
    if (!operating) return Verdict::kKeep;
    if (field_.empty()) {
      if (operating->schema == nullptr)
        return operating->is_struct() ? absl::StatusOr<Verdict>(RecordError(
                                            "a map does not correspond to a known timestamp type"))
                                      : Verdict::kKeep;
      ASSIGN_OR_RETURN(operating, Convert(*operating));
      return Verdict::kKeep;
    }
    if (operating->kind == Node::Kind::kNull) return NullStruct(&*operating);
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "converting timestamp formats"));
    if (node->schema == nullptr) {
      AddMissing(field_, node);
      return Verdict::kKeep;
    }
    for (Node& member : node->members) {
      Node taken = Taken(member, replace_null_);
      if (member.name == field_) {
        ASSIGN_OR_RETURN(taken, Convert(taken));
      }
      member = std::move(taken);
    }
    RETURN_IF_ERROR(RenewStructSchema(node));
    return Verdict::kKeep;
  }

 private:
  // The value stays null; its schema changes all the same, whatever it was.
  absl::StatusOr<Verdict> NullStruct(Node* node) const {
    if (node->schema == nullptr) return Verdict::kKeep;
    if (node->schema->type != ConnectType::kStruct)
      return RecordError("Cannot list fields on non-struct type");
    Node members = event::StructNode(node->schema, {});
    for (const event::ConnectField& field : node->schema->fields)
      members.members.push_back(event::NullNode(field.schema, field.name));
    for (Node& member : members.members) {
      if (member.name == field_) member.schema = event::Shared(TargetSchema(*member.schema));
    }
    RETURN_IF_ERROR(RenewStructSchema(&members));
    node->schema = members.schema;
    return Verdict::kKeep;
  }

  ConnectSchema TargetSchema(const ConnectSchema& from) const {
    ConnectSchema schema = event::Schema(to_->type, to_->semantic);
    schema.optional = from.optional;
    return schema;
  }

  absl::StatusOr<Node> Convert(const Node& node) const {
    Conversion conversion;
    ASSIGN_OR_RETURN(conversion.from, FormOf(*node.schema));
    conversion.to = to_->form;
    conversion.precision = precision_;
    conversion.format = format_;
    return Converted(node, event::Shared(TargetSchema(*node.schema)),
                     MakeFunction([conversion](auto in, std::string* buffer, Scalar* out) {
                       *out = Scalar::Null();
                       if (in[0].is_null()) return absl::OkStatus();
                       int64_t millis = 0;
                       RETURN_IF_ERROR(ToMillis(conversion, in[0], &millis));
                       *out = FromMillis(conversion, millis, buffer);
                       return absl::OkStatus();
                     }));
  }

  const config::TransformTarget target_;
  const std::string field_;
  const bool replace_null_;
  const TargetForm* to_ = &kTargets[0];
  Precision precision_ = kPrecisions[2];
  std::shared_ptr<const SimpleDateFormat> format_;
};

}  // namespace

StagePtr MakeTimestampConverter(const TransformSpec& spec) {
  return std::make_unique<TimestampConverter>(spec);
}

}  // namespace walduct::transform
