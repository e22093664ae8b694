#include "encode/records/template_builder.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "encode/options/encode_options.h"
#include "encode/records/record_inputs.h"

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Emission;
using event::KeyHeader;
using event::KeySource;
using event::Node;
using event::RecordKind;
using event::Scalar;

Node Columns(const ConnectSchemaPtr& schema, InputRow row, const std::string& name) {
  std::vector<Node> members;
  for (size_t i = 0; i < schema->fields.size(); ++i)
    members.push_back(
        event::InputNode(schema->fields[i].schema, InputNumber(row, i), schema->fields[i].name));
  return event::StructNode(schema, std::move(members), name);
}

Node Header(absl::string_view name, absl::string_view text) {
  return event::ConstantNode(Shared(event::Schema(ConnectType::kString)), Scalar::Text(text),
                             std::string(name));
}

// Of the columns, and of the one field more that a rule may add.
Node KeyNode(const Emission& emission, const TablePlan& plan, bool before,
             const std::string& name) {
  Node key = Columns(plan.key_schema, before ? InputRow::kKeyBefore : InputRow::kKeyAfter, name);
  for (size_t i = plan.key.fields.size(); i < key.members.size(); ++i) {
    const ConnectField& field = plan.key_schema->fields[i];
    key.members[i] =
        event::ConstantNode(field.schema, Scalar::Text(emission.key_rule->extra_value), field.name);
  }
  return key;
}

bool IsPresent(FieldPresence presence, const Emission& emission) {
  switch (presence) {
    case FieldPresence::kAlways:
      break;
    case FieldPresence::kNumbered:
      return emission.order.total > 0;
    case FieldPresence::kAtEnd:
      return emission.kind == RecordKind::kTransactionEnd;
  }
  return true;
}

const RecordLayout& LayoutOf(RecordKind kind) {
  switch (kind) {
    case RecordKind::kChange:
      return kMessageLayout;
    case RecordKind::kHeartbeat:
      return kHeartbeatLayout;
    case RecordKind::kNotification:
      return kNotificationLayout;
    case RecordKind::kTransactionBegin:
    case RecordKind::kTransactionEnd:
      break;
  }
  return kTransactionLayout;
}

}  // namespace

uint32_t TemplateKey(const Emission& emission) {
  uint32_t key = static_cast<uint32_t>(emission.kind) << 1 | (emission.order.total > 0 ? 1u : 0u);
  key = key << 8 | static_cast<unsigned char>(emission.operation);
  key = key << 2 | static_cast<uint32_t>(emission.value);
  key = key << 2 | static_cast<uint32_t>(emission.key);
  key = key << 2 | static_cast<uint32_t>(emission.key_header);
  return key << 2 | (emission.with_before ? 2u : 0u) | (emission.with_after ? 1u : 0u);
}

void TemplateBuilder::AddContextHeaders(event::RecordTemplate* record) const {
  if (!options_.extended_headers) return;
  record->headers.push_back(
      Header("__debezium.context.connectorLogicalName", options_.topic_prefix));
  record->headers.push_back(Header("__debezium.context.taskId", "0"));
  record->headers.push_back(Header("__debezium.context.connectorName", kConnectorType));
  record->headers.push_back(Header("__debezium.context.runId", run_id_));
}

std::string TemplateBuilder::TextOf(FixedText text, const Emission& emission) const {
  const event::TableSchema* table = emission.change == nullptr ? nullptr : emission.change->schema;
  switch (text) {
    case FixedText::kVersion:
      return std::string(kSourceVersion);
    case FixedText::kConnector:
      return std::string(kConnectorType);
    case FixedText::kTopicPrefix:
      return options_.topic_prefix;
    case FixedText::kDatabase:
      return options_.database;
    case FixedText::kTableSchema:
      return table == nullptr ? "" : table->schema;
    case FixedText::kTableName:
      return table == nullptr ? "" : table->table;
    case FixedText::kOperation:
      return std::string(1, static_cast<char>(emission.operation));
    case FixedText::kBoundary:
      return emission.kind == RecordKind::kTransactionEnd ? "END" : "BEGIN";
  }
  return "";
}

Node TemplateBuilder::Field(const FieldLayout& layout, const ConnectField& field,
                            const Emission& emission) const {
  const Node null = event::NullNode(field.schema, field.name);
  if (!IsPresent(layout.present, emission)) return null;
  if (const auto* row = std::get_if<InputRow>(&layout.from)) {
    const bool present = *row == InputRow::kBefore ? emission.with_before : emission.with_after;
    return present ? Columns(field.schema, *row, field.name) : null;
  }
  if (const auto* text = std::get_if<FixedText>(&layout.from))
    return event::ConstantNode(field.schema, Scalar::Text(TextOf(*text, emission)), field.name);
  const auto* input = std::get_if<InputField>(&layout.from);
  if (input != nullptr && *input == InputField::kXmin && !options_.slot_xmin) return null;
  if (input != nullptr) return event::InputNode(field.schema, InputNumber(*input), field.name);
  if (const auto* fields = std::get_if<const StructLayout*>(&layout.from))
    return Struct(**fields, field.schema, emission, field.name);
  return null;
}

Node TemplateBuilder::Struct(const StructLayout& layout, ConnectSchemaPtr schema,
                             const Emission& emission, std::string name) const {
  std::vector<Node> members;
  for (size_t i = 0; i < layout.fields.size(); ++i)
    members.push_back(Field(layout.fields[i], schema->fields[i], emission));
  return event::StructNode(std::move(schema), std::move(members), std::move(name));
}

event::RecordTemplate TemplateBuilder::OfRow(const Emission& emission,
                                             const TablePlan& plan) const {
  event::RecordTemplate record;
  record.topic = std::string(emission.topic);
  record.table = absl::StrCat(emission.change->schema->schema, ".", emission.change->schema->table);
  record.hypertable = emission.change->schema->hypertable;
  const bool has_key = plan.key_schema != nullptr;
  if (emission.key != KeySource::kNone && has_key)
    record.key = KeyNode(emission, plan, emission.key == KeySource::kBefore, "");
  if (emission.key_header != KeyHeader::kNone && has_key) {
    const bool before = emission.key_header == KeyHeader::kOldKey;
    record.headers.push_back(
        KeyNode(emission, plan, before, before ? "__debezium.oldkey" : "__debezium.newkey"));
  }
  AddContextHeaders(&record);
  if (emission.value == event::PublishedValue::kEnvelope)
    record.value = Struct(kEnvelopeLayout, plan.envelope_schema, emission, "");
  return record;
}

event::RecordTemplate TemplateBuilder::OfOther(const Emission& emission) const {
  const RecordLayout& layout = LayoutOf(emission.kind);
  const OpenTypes open = {.message = MessageContentType(options_.values)};
  event::RecordTemplate record;
  record.topic = std::string(emission.topic);
  record.key = Struct(*layout.key, Shared(SchemaOf(*layout.key)), emission, "");
  record.value = Struct(*layout.value, Shared(SchemaOf(*layout.value, open)), emission, "");
  if (layout.partition)
    record.partition = event::ConstantNode(Shared(event::Schema(ConnectType::kInt32)),
                                           Scalar::Integer(*layout.partition));
  return record;
}

}  // namespace walduct::encode
