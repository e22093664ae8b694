#include "encode/program/template_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "encode/records/heartbeat_record.h"
#include "encode/records/record_inputs.h"
#include "encode/records/transaction_records.h"
#include "encode/schema/envelope_schema.h"

namespace walduct::encode {
namespace {

using event::Emission;
using event::KeyHeader;
using event::KeySource;
using event::Node;
using event::Scalar;

Node Columns(const ConnectSchemaPtr& schema, InputRow row, const std::string& name) {
  std::vector<Node> members;
  for (size_t i = 0; i < schema->fields.size(); ++i)
    members.push_back(
        event::InputNode(schema->fields[i].schema, InputNumber(row, i), schema->fields[i].name));
  return event::StructNode(schema, std::move(members), name);
}

Node Text(const ConnectField& field, absl::string_view text) {
  return event::ConstantNode(field.schema, Scalar::Text(text), field.name);
}

Node Header(absl::string_view name, absl::string_view text) {
  return event::ConstantNode(Shared(Schema(ConnectType::kString)), Scalar::Text(text),
                             std::string(name));
}

// Fields of the source block and of the envelope that differ from record to record.
struct NamedInput {
  absl::string_view name;
  InputField input;
};
constexpr NamedInput kSourceInputs[] = {
    {"ts_ms", InputField::kSourceMillis},
    {"ts_us", InputField::kSourceMicros},
    {"ts_ns", InputField::kSourceNanos},
    {"snapshot", InputField::kSnapshot},
    {"sequence", InputField::kSequence},
    {"txId", InputField::kTransactionId},
    {"lsn", InputField::kLsn},
    {"origin", InputField::kOrigin},
    {"origin_lsn", InputField::kOriginLsn},
};
constexpr NamedInput kClockInputs[] = {
    {"ts_ms", InputField::kClockMillis},
    {"ts_us", InputField::kClockMicros},
    {"ts_ns", InputField::kClockNanos},
};

template <size_t kSize>
Node InputOrNull(const NamedInput (&inputs)[kSize], const ConnectField& field) {
  for (const NamedInput& one : inputs) {
    if (one.name == field.name)
      return event::InputNode(field.schema, InputNumber(one.input), field.name);
  }
  return event::NullNode(field.schema, field.name);
}

Node SourceNode(const ConnectField& source, const config::EncodeOptions& options,
                const event::TableSchema* table) {
  std::vector<Node> members;
  for (const ConnectField& field : source.schema->fields) {
    if (field.name == "version")
      members.push_back(Text(field, kSourceVersion));
    else if (field.name == "connector")
      members.push_back(Text(field, kConnectorType));
    else if (field.name == "name")
      members.push_back(Text(field, options.topic_prefix));
    else if (field.name == "db")
      members.push_back(Text(field, options.database));
    else if (field.name == "schema")
      members.push_back(Text(field, table ? table->schema : ""));
    else if (field.name == "table")
      members.push_back(Text(field, table ? table->table : ""));
    else
      members.push_back(InputOrNull(kSourceInputs, field));
  }
  return event::StructNode(source.schema, std::move(members), source.name);
}

Node OperationNode(const ConnectField& field, event::Operation operation) {
  const char op = static_cast<char>(operation);
  return Text(field, absl::string_view(&op, 1));
}

Node Input(const ConnectField& field, InputField number) {
  return event::InputNode(field.schema, InputNumber(number), field.name);
}

Node TransactionNode(const ConnectField& field, const Emission& emission) {
  if (emission.order.total == 0) return event::NullNode(field.schema, field.name);
  const std::vector<ConnectField>& fields = field.schema->fields;
  return event::StructNode(
      field.schema,
      {Input(fields[0], InputField::kBlockId), Input(fields[1], InputField::kTotalOrder),
       Input(fields[2], InputField::kCollectionOrder)},
      field.name);
}

// Of the columns, and of the one field more that a rule may add.
Node KeyNode(const Emission& emission, const TablePlan& plan, KeySource source,
             const std::string& name) {
  Node key =
      Columns(plan.key_schema,
              source == KeySource::kBefore ? InputRow::kKeyBefore : InputRow::kKeyAfter, name);
  for (size_t i = plan.key.fields.size(); i < key.members.size(); ++i)
    key.members[i] = Text(plan.key_schema->fields[i], emission.key_rule->extra_value);
  return key;
}

}  // namespace

uint32_t TemplateKey(const Emission& emission) {
  uint32_t kind = static_cast<uint32_t>(emission.kind) << 1 | (emission.order.total > 0 ? 1u : 0u);
  kind = kind << 8 | static_cast<unsigned char>(emission.operation);
  kind = kind << 2 | static_cast<uint32_t>(emission.value);
  kind = kind << 2 | static_cast<uint32_t>(emission.key);
  kind = kind << 2 | static_cast<uint32_t>(emission.key_header);
  return kind << 2 | (emission.with_before ? 2u : 0u) | (emission.with_after ? 1u : 0u);
}

void TemplateBuilder::AddContextHeaders(event::RecordTemplate* record) const {
  if (!options_.extended_headers) return;
  record->headers.push_back(
      Header("__debezium.context.connectorLogicalName", options_.topic_prefix));
  record->headers.push_back(Header("__debezium.context.taskId", "0"));
  record->headers.push_back(Header("__debezium.context.connectorName", kConnectorType));
  record->headers.push_back(Header("__debezium.context.runId", run_id_));
}

Node TemplateBuilder::Member(const ConnectField& field, const Emission& emission,
                             const TablePlan&) const {
  if (field.name == "before")
    return emission.with_before ? Columns(field.schema, InputRow::kBefore, field.name)
                                : event::NullNode(field.schema, field.name);
  if (field.name == "after")
    return emission.with_after ? Columns(field.schema, InputRow::kAfter, field.name)
                               : event::NullNode(field.schema, field.name);
  if (field.name == "source") return SourceNode(field, options_, emission.change->schema);
  if (field.name == "transaction") return TransactionNode(field, emission);
  if (field.name == "op") return OperationNode(field, emission.operation);
  return InputOrNull(kClockInputs, field);
}

event::RecordTemplate TemplateBuilder::OfRow(const Emission& emission,
                                             const TablePlan& plan) const {
  event::RecordTemplate record;
  record.topic = std::string(emission.topic);
  record.table = absl::StrCat(emission.change->schema->schema, ".", emission.change->schema->table);
  if (emission.key != KeySource::kNone && plan.key_schema != nullptr)
    record.key = KeyNode(emission, plan, emission.key, "");
  if (emission.key_header != KeyHeader::kNone && plan.key_schema != nullptr) {
    const bool new_key = emission.key_header == KeyHeader::kNewKey;
    record.headers.push_back(KeyNode(emission, plan,
                                     new_key ? KeySource::kAfter : KeySource::kBefore,
                                     new_key ? "__debezium.newkey" : "__debezium.oldkey"));
  }
  AddContextHeaders(&record);
  if (emission.value == event::PublishedValue::kTombstone) return record;
  std::vector<Node> members;
  for (const ConnectField& field : plan.envelope_schema->fields)
    members.push_back(Member(field, emission, plan));
  record.value = event::StructNode(plan.envelope_schema, std::move(members));
  return record;
}

event::Node TemplateBuilder::SourceOf(const event::TableSchema& table,
                                      const TablePlan& plan) const {
  for (const ConnectField& field : plan.envelope_schema->fields) {
    if (field.name == "source") return SourceNode(field, options_, &table);
  }
  return event::NullNode(nullptr);
}

event::RecordTemplate TemplateBuilder::OfOther(const Emission& emission) const {
  event::RecordTemplate record;
  switch (emission.kind) {
    case event::RecordKind::kChange:
      record = OfMessage(emission);
      break;
    case event::RecordKind::kTransactionBegin:
    case event::RecordKind::kTransactionEnd:
      record = OfTransaction(emission);
      break;
    case event::RecordKind::kHeartbeat:
      record = OfHeartbeat(emission);
      break;
  }
  record.topic = std::string(emission.topic);
  return record;
}

event::RecordTemplate TemplateBuilder::OfHeartbeat(const Emission&) const {
  event::RecordTemplate record;
  const ConnectSchemaPtr key = Shared(HeartbeatKeySchema());
  const ConnectSchemaPtr value = Shared(HeartbeatValueSchema());
  record.key = event::StructNode(key, {Text(key->fields[0], options_.topic_prefix)});
  record.value = event::StructNode(value, {Input(value->fields[0], InputField::kClockMillis)});
  record.partition = event::ConstantNode(Shared(Schema(ConnectType::kInt32)),
                                         Scalar::Integer(HeartbeatRecord::kPartition));
  return record;
}

event::RecordTemplate TemplateBuilder::OfTransaction(const Emission& emission) const {
  event::RecordTemplate record;
  const bool end = emission.kind == event::RecordKind::kTransactionEnd;
  const ConnectSchemaPtr key = Shared(TransactionKeySchema());
  const ConnectSchemaPtr value = Shared(TransactionValueSchema());
  const std::vector<ConnectField>& fields = value->fields;
  const auto at_end = [&](const ConnectField& field, InputField number) {
    return end ? Input(field, number) : event::NullNode(field.schema, field.name);
  };
  record.key = event::StructNode(key, {Input(key->fields[0], InputField::kBoundaryId)});
  record.value = event::StructNode(
      value, {Text(fields[0], end ? "END" : "BEGIN"), Input(fields[1], InputField::kBoundaryId),
              at_end(fields[2], InputField::kBoundaryEvents),
              at_end(fields[3], InputField::kBoundaryCollections),
              Input(fields[4], InputField::kBoundaryMillis)});
  return record;
}

event::RecordTemplate TemplateBuilder::OfMessage(const Emission& emission) const {
  event::RecordTemplate record;
  const ConnectSchemaPtr key = Shared(MessageKeySchema());
  record.key = event::StructNode(key, {Input(key->fields[0], InputField::kMessagePrefix)});
  const ConnectSchemaPtr value = Shared(MessageValueSchema(MessageContentType(options_.values)));
  std::vector<Node> members;
  for (const ConnectField& field : value->fields) {
    if (field.name == "op") {
      members.push_back(OperationNode(field, event::Operation::kMessage));
    } else if (field.name == "source") {
      members.push_back(SourceNode(field, options_, nullptr));
    } else if (field.name == "transaction") {
      members.push_back(TransactionNode(field, emission));
    } else if (field.name == "message") {
      members.push_back(
          event::StructNode(field.schema,
                            {Input(field.schema->fields[0], InputField::kMessagePrefix),
                             Input(field.schema->fields[1], InputField::kMessageContent)},
                            field.name));
    } else {
      members.push_back(InputOrNull(kClockInputs, field));
    }
  }
  record.value = event::StructNode(value, std::move(members));
  return record;
}

}  // namespace walduct::encode
