#include "encode/program/cloud_events/cloud_event.h"

#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/status_macros.h"
#include "encode/schema/record_layout.h"
#include "encode/values/time_format.h"
#include "event/record_template.h"

namespace walduct::encode {
namespace {

using event::Scalar;

absl::Status Unknown(absl::string_view field) {
  return Error(absl::StatusCode::kInvalidArgument, "cloud_event_incomplete",
               absl::StrCat("CloudEventsConverter needs ", field, ", which is null"),
               "use another converter");
}

void AppendInteger(int64_t value, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

class TextOfNumber final : public event::ValueFunction {
 public:
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    *out = in[0];
    if (in[0].kind != Scalar::Kind::kInteger) return absl::OkStatus();
    AppendInteger(in[0].integer, buffer);
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }
};

class TimeOfMillis final : public event::ValueFunction {
 public:
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    constexpr int64_t kDay = 86'400'000;
    if (in[0].is_null()) return Unknown("source.ts_ms");
    const int64_t day = FloorDivide(in[0].integer, kDay);
    char text[kMostOfDay + kMostOfClock + 8];
    char* to = PutIsoDay(CivilFromDays(day), text);
    *to++ = 'T';
    to = PutIsoClock((in[0].integer - day * kDay) * 1000, 3, to);
    *to++ = 'Z';
    buffer->assign(text, to);
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }
};

class IdOfSource final : public event::ValueFunction {
 public:
  explicit IdOfSource(absl::string_view prefix) : begin_(absl::StrCat("name:", prefix, ";lsn:")) {}
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    for (const Scalar& value : in) {
      if (value.is_null()) return Unknown("source.lsn, source.txId or source.sequence");
    }
    buffer->append(begin_);
    AppendInteger(in[0].integer, buffer);
    buffer->append(";txId:");
    AppendInteger(in[1].integer, buffer);
    buffer->append(";sequence:");
    buffer->append(in[2].text.data(), in[2].text.size());
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }

 private:
  const std::string begin_;
};

// A number as text, which 64 bits of it have to be; anything else as it is.
event::ValueFunctionPtr AsText() {
  static const auto* const function = new event::ValueFunctionPtr(std::make_shared<TextOfNumber>());
  return *function;
}

// yyyy-MM-dd'T'HH:mm:ss.SSSXXX in UTC, of milliseconds.
event::ValueFunctionPtr EventTime() {
  static const auto* const function = new event::ValueFunctionPtr(std::make_shared<TimeOfMillis>());
  return *function;
}

// name:<prefix>;lsn:<lsn>;txId:<txId>;sequence:<sequence>, of the last three.
event::ValueFunctionPtr EventId(absl::string_view prefix) {
  return std::make_shared<IdOfSource>(prefix);
}

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Leaf;
using event::Node;
using event::Scalar;

constexpr absl::string_view kConverter = "CloudEventsConverter";

absl::Status Incomplete(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "cloud_event_incomplete",
               absl::StrCat("CloudEventsConverter cannot write this record: ", what), hint);
}

absl::Status Missing(absl::string_view field) {
  return Incomplete(
      absl::StrCat("it has no ", field),
      absl::StrCat("keep ", field, " in the record: leave out the transform that takes it away"));
}

ConnectSchemaPtr TextSchema(bool optional) {
  ConnectSchema schema = event::Schema(ConnectType::kString);
  schema.optional = optional;
  return Shared(std::move(schema));
}

ConnectSchemaPtr StructSchema(absl::string_view name) {
  ConnectSchema schema = event::Schema(ConnectType::kStruct, name);
  schema.version.reset();
  return Shared(std::move(schema));
}

// The name of an extension attribute: letters and digits.
std::string ExtensionName(absl::string_view part, absl::string_view field) {
  std::string name = absl::StrCat("iodebezium", part);
  for (const char c : field) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) name.push_back(c);
  }
  return name;
}

const Node* LastHeader(const std::vector<Node>& headers, absl::string_view name) {
  for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
    if (header->name == name) return &*header;
  }
  return nullptr;
}

// What all records of a template have in common.
absl::StatusOr<std::string> FixedTextOf(const Node& source, absl::string_view field) {
  const Node* const node = source.is_struct() ? source.Find(field) : nullptr;
  if (node == nullptr || node->kind != Node::Kind::kLeaf ||
      node->leaf.kind != Leaf::Kind::kConstant || node->leaf.constant.kind != Scalar::Kind::kText)
    return Missing(absl::StrCat("source.", field));
  return node->leaf.constant_text;
}

Node Constant(absl::string_view name, absl::string_view text) {
  return event::ConstantNode(TextSchema(false), Scalar::Text(text), std::string(name));
}

Node Function(absl::string_view name, ConnectSchemaPtr schema, event::ValueFunctionPtr function,
              std::vector<Node> operands) {
  Node node = event::FunctionNode(std::move(schema), std::move(function), std::move(operands),
                                  std::string(name));
  node.leaf.by = std::string(kConverter);
  return node;
}

// Struct.get: the default in the place of null.
Node WithDefault(Node node) {
  if (node.kind == Node::Kind::kNull && node.schema != nullptr && node.schema->default_value)
    return event::ConstantNode(node.schema, node.schema->default_value->value(), node.name);
  if (node.kind == Node::Kind::kLeaf) node.leaf.null_is_default = true;
  return node;
}

class Maker {
 public:
  Maker(const Node& value, const std::vector<Node>& headers, const CloudEventsOptions& options,
        const CloudEventShape& shape)
      : value_(value), headers_(headers), options_(options), shape_(shape) {}

  absl::StatusOr<std::optional<CloudEvent>> Make() {
    if (value_.schema == nullptr || value_.kind == Node::Kind::kNull || !IsEvent())
      return std::nullopt;
    if (value_.schema->type != ConnectType::kStruct)
      return Incomplete("its value is not a struct", "use another converter for such topics");
    RETURN_IF_ERROR(FindParts());
    RETURN_IF_ERROR(AddAttributes());
    if (options_.extensions) RETURN_IF_ERROR(AddExtensions());
    ASSIGN_OR_RETURN(result_.data, Data());
    return std::move(result_);
  }

 private:
  bool IsEvent() const {
    if (options_.source_in_header)
      return LastHeader(headers_, "source") != nullptr && LastHeader(headers_, "op") != nullptr;
    return absl::EndsWith(value_.schema->name, ".Envelope");
  }

  absl::Status FindParts() {
    const auto part = [this](absl::string_view name) {
      return options_.source_in_header ? LastHeader(headers_, name)
             : value_.is_struct()      ? value_.Find(name)
                                       : nullptr;
    };
    source_ = part("source");
    op_ = part("op");
    transaction_ = part("transaction");
    const bool reads_headers = options_.source_in_header || options_.id_in_header ||
                               options_.type_in_header || options_.data_name_in_header;
    if (reads_headers && !options_.header_schemas) {
      return Incomplete("its headers are not JSON with schemas, which is how they are read",
                        "set header.converter=org.apache.kafka.connect.json.JsonConverter and "
                        "header.converter.schemas.enable=true");
    }
    if (source_ == nullptr || !source_->is_struct() || source_->schema == nullptr)
      return Missing("source");
    if (op_ == nullptr && options_.extensions) return Missing("op");
    ASSIGN_OR_RETURN(connector_, FixedTextOf(*source_, "connector"));
    if (connector_ != kConnectorType)
      return Incomplete("source.connector is not postgresql",
                        "leave out the transform that changes it");
    ASSIGN_OR_RETURN(prefix_, FixedTextOf(*source_, "name"));
    return absl::OkStatus();
  }

  absl::StatusOr<Node> FromHeader(absl::string_view name) const {
    const Node* const header = LastHeader(headers_, name);
    if (header == nullptr) {
      return Incomplete(
          absl::StrCat("it has no header ", name),
          absl::StrCat("add the header, or say ", name, ":generate in metadata.source"));
    }
    if (header->schema == nullptr || header->schema->type != ConnectType::kString)
      return Incomplete(absl::StrCat("its header ", name, " is not a string"),
                        absl::StrCat("say ", name, ":generate in metadata.source"));
    Node node = *header;
    node.schema = TextSchema(false);
    return node;
  }

  absl::StatusOr<Node> Id() const {
    if (options_.id_in_header) return FromHeader("id");
    std::vector<Node> operands;
    for (const absl::string_view field : {"lsn", "txId", "sequence"}) {
      const Node* const node = source_->Find(field);
      if (node == nullptr) return Missing(absl::StrCat("source.", field));
      operands.push_back(*node);
    }
    return Function("id", TextSchema(false), EventId(prefix_), std::move(operands));
  }

  absl::Status AddAttributes() {
    std::vector<Node>& attributes = result_.event.members;
    const std::string type = absl::StrCat("io.debezium.connector.", connector_);
    ASSIGN_OR_RETURN(Node id, Id());
    attributes.push_back(std::move(id));
    attributes.push_back(Constant("source", absl::StrCat("/debezium/", connector_, "/", prefix_)));
    attributes.push_back(Constant("specversion", "1.0"));
    if (options_.type_in_header) {
      ASSIGN_OR_RETURN(Node header, FromHeader("type"));
      attributes.push_back(std::move(header));
    } else {
      attributes.push_back(Constant("type", absl::StrCat(type, ".DataChangeEvent")));
    }
    const Node* const millis = source_->Find("ts_ms");
    if (millis == nullptr) return Missing("source.ts_ms");
    attributes.push_back(Function("time", TextSchema(false), EventTime(), {*millis}));
    attributes.push_back(
        Constant("datacontenttype", shape_.avro_data ? "application/avro" : "application/json"));
    if (shape_.schema_uri != nullptr)
      attributes.push_back(Function("dataschema", TextSchema(false), shape_.schema_uri, {}));
    ASSIGN_OR_RETURN(const std::string name, SchemaName());
    result_.event.kind = Node::Kind::kStruct;
    result_.event.schema = StructSchema(name);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> SchemaName() const {
    if (!options_.schema_name.empty())
      return names::AdjustSchemaName(options_.schema_name, options_.schema_names);
    ASSIGN_OR_RETURN(const std::string database, FixedTextOf(*source_, "db"));
    return names::AdjustSchemaName(absl::StrCat(prefix_, ".", database, ".CloudEvents.Envelope"),
                                   options_.schema_names);
  }

  absl::Status AddExtensions() {
    Node op = *op_;
    op.name = "iodebeziumop";
    op.schema = TextSchema(false);
    result_.event.members.push_back(std::move(op));
    for (const Node& field : source_->members)
      RETURN_IF_ERROR(AddExtension(field, ExtensionName("", field.name), field.schema->optional));
    const bool known = transaction_ != nullptr && transaction_->is_struct();
    for (const absl::string_view field : {"id", "total_order", "data_collection_order"}) {
      const Node* const node = known ? transaction_->Find(field) : nullptr;
      RETURN_IF_ERROR(AddExtension(node == nullptr ? event::NullNode(TextSchema(true)) : *node,
                                   ExtensionName("tx", field), true));
    }
    return absl::OkStatus();
  }

  absl::Status AddExtension(const Node& field, const std::string& name, bool optional) {
    std::vector<Node>& attributes = result_.event.members;
    ConnectSchema schema = event::Schema(field.schema->type);
    schema.optional = optional;
    switch (field.schema->type) {
      case ConnectType::kBoolean:
      case ConnectType::kInt32:
      case ConnectType::kString:
        break;
      case ConnectType::kInt8:
      case ConnectType::kInt16:
        schema.type = ConnectType::kInt32;
        break;
      case ConnectType::kInt64:
        schema.type = ConnectType::kString;
        break;
      default:
        return Incomplete(absl::StrCat("source.", field.name, " fits no attribute of an event"),
                          "set extension.attributes.enable=false");
    }
    Node node = WithDefault(field);
    if (node.kind == Node::Kind::kNull) {
      attributes.push_back(event::NullNode(Shared(std::move(schema)), name));
      return absl::OkStatus();
    }
    // A constant, or a text as the row has it, needs no function.
    const bool plain = field.schema->type == ConnectType::kString && !field.schema->default_value;
    if (!plain) {
      attributes.push_back(Function(name, Shared(std::move(schema)), AsText(), {std::move(node)}));
      return absl::OkStatus();
    }
    node.name = name;
    node.schema = Shared(std::move(schema));
    node.leaf.null_is_default = false;
    attributes.push_back(std::move(node));
    return absl::OkStatus();
  }

  absl::StatusOr<Node> Data() const {
    std::string name = absl::StrCat("io.debezium.connector.", connector_, ".Data");
    if (options_.data_name_in_header) {
      ASSIGN_OR_RETURN(name, FixedHeader("dataSchemaName"));
    }
    ConnectSchema schema = *StructSchema(name);
    Node data = value_;
    if (options_.source_in_header) {
      schema.fields = value_.schema->fields;
    } else {
      data.members.clear();
      for (const absl::string_view row : {"before", "after"}) {
        const Node* const node = value_.Find(row);
        if (node == nullptr) return Missing(row);
        data.members.push_back(*node);
        schema.fields.push_back({std::string(row), node->schema});
      }
    }
    data.name = "data";
    data.schema = Shared(std::move(schema));
    return data;
  }

  absl::StatusOr<std::string> FixedHeader(absl::string_view name) const {
    const Node* const header = LastHeader(headers_, name);
    const bool fixed = header != nullptr && header->kind == Node::Kind::kLeaf &&
                       header->leaf.kind == Leaf::Kind::kConstant &&
                       header->leaf.constant.kind == Scalar::Kind::kText;
    if (fixed) return header->leaf.constant_text;
    return Incomplete(absl::StrCat("the header ", name, " is not there, or not a fixed text"),
                      absl::StrCat("say ", name, ":generate in metadata.source"));
  }

  const Node& value_;
  const std::vector<Node>& headers_;
  const CloudEventsOptions& options_;
  const CloudEventShape& shape_;
  const Node* source_ = nullptr;
  const Node* op_ = nullptr;
  const Node* transaction_ = nullptr;
  std::string connector_, prefix_;
  CloudEvent result_;
};

}  // namespace

Node CloudEvent::With(Node last) const {
  Node whole = event;
  whole.members.push_back(std::move(last));
  ConnectSchema schema = *event.schema;
  for (const Node& member : whole.members) schema.fields.push_back({member.name, member.schema});
  whole.schema = Shared(std::move(schema));
  return whole;
}

absl::StatusOr<std::optional<CloudEvent>> MakeCloudEvent(const Node& value,
                                                         const std::vector<Node>& headers,
                                                         const CloudEventsOptions& options,
                                                         const CloudEventShape& shape) {
  return Maker(value, headers, options, shape).Make();
}

}  // namespace walduct::encode
