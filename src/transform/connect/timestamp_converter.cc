// Kafka Connect's TimestampConverter.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/integer.h"
#include "base/status_macros.h"
#include "java/time/connect_time.h"
#include "java/time/simple_date_format.h"
#include "transform/connect/field_options.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using java::kConnectDate;
using java::kConnectTime;
using java::kConnectTimestamp;
using java::SimpleDateFormat;
using enum OptionType;

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

constexpr OptionRow kOptions[] = {
    {.name = "field",
     .default_value = "",
     .doc = "Field to convert; empty: the whole key or value."},
    {.name = "target.type",
     .type = kEnum,
     .required = true,
     .allowed = "string, unix, Date, Time, Timestamp",
     .doc = "Type to convert to."},
    {.name = "format",
     .default_value = "",
     .doc = "Pattern of java.text.SimpleDateFormat, for text, in UTC.",
     .check = CheckDateFormat},
    {.name = "unix.precision",
     .type = kEnum,
     .default_value = "milliseconds",
     .allowed = "nanoseconds, microseconds, milliseconds, seconds",
     .doc = "Unit of an int64, as input and as target."},
    kReplaceNull};

struct Options {
  FieldOptions common;
  std::string field;  // empty: the whole key or value
  const TargetForm* to = nullptr;
  Precision precision{};
  std::shared_ptr<const SimpleDateFormat> format;  // null: none was given
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting),
                  .field = setting.options.Text("field"),
                  .to = nullptr,
                  .precision = {},
                  .format = nullptr};
  for (const TargetForm& target : kTargets) {
    if (target.word == setting.options.Text("target.type")) options.to = &target;
  }
  for (const Precision& precision : kPrecisions) {
    if (precision.word == setting.options.Text("unix.precision")) options.precision = precision;
  }
  const std::string& pattern = setting.options.Text("format");
  if (!pattern.empty()) options.format = CheckedDateFormat(pattern);
  return options;
}

OptionProblem Check(const OptionValues& options) {
  if (options.Text("target.type") != "string" || !options.Text("format").empty()) return {};
  return {"format", "A value is required when target.type=string",
          "set a pattern of java.text.SimpleDateFormat"};
}

class TimestampConverter final : public Stage {
 public:
  explicit TimestampConverter(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (!operating) return Verdict::kKeep;
    if (options_.field.empty()) {
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
      AddMissing(options_.field, node);
      return Verdict::kKeep;
    }
    for (Node& member : node->members) {
      Node taken = Taken(member, options_.common.replace_null);
      if (member.name == options_.field) {
        ASSIGN_OR_RETURN(taken, Convert(taken));
      }
      member = std::move(taken);
    }
    RETURN_IF_ERROR(RenewStructSchema(node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
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
      if (member.name == options_.field)
        member.schema = event::Shared(TargetSchema(*member.schema));
    }
    ConnectSchema basics = CopyBasics(*node->schema);
    basics.optional = node->schema->optional;
    RETURN_IF_ERROR(SetSchemaOfMembers(std::move(basics), &members));
    node->schema = members.schema;
    return Verdict::kKeep;
  }

  ConnectSchema TargetSchema(const ConnectSchema& from) const {
    ConnectSchema schema = event::Schema(options_.to->type, options_.to->semantic);
    schema.optional = from.optional;
    return schema;
  }

  absl::StatusOr<Node> Convert(const Node& node) const {
    Conversion conversion;
    ASSIGN_OR_RETURN(conversion.from, FormOf(*node.schema));
    conversion.to = options_.to->form;
    conversion.precision = options_.precision;
    conversion.format = options_.format;
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

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kTimestampConverter = {
    .name = "org.apache.kafka.connect.transforms.TimestampConverter",
    .has_targets = true,
    .options = kOptions,
    .doc = "Converts between text, numbers and Connect's time types.",
    .check = Check,
    .make = MakeStage<TimestampConverter, Read>};

}  // namespace walduct::transform
