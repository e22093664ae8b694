#include "encode/schema/record_layout.h"

#include <string>
#include <utility>

namespace walduct::encode {
namespace {

using event::ConnectField;
using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Shared;

constexpr ConnectType kInt64 = ConnectType::kInt64, kStruct = ConnectType::kStruct;

constexpr FieldLayout kSourceFields[] = {
    {.name = "version", .from = FixedText::kVersion},
    {.name = "connector", .from = FixedText::kConnector},
    {.name = "name", .from = FixedText::kTopicPrefix},
    {.name = "ts_ms", .type = kInt64, .from = InputField::kSourceMillis},
    {.name = "snapshot", .optional = true, .from = InputField::kSnapshot},
    {.name = "db", .from = FixedText::kDatabase},
    {.name = "sequence", .optional = true, .from = InputField::kSequence},
    {.name = "ts_us", .type = kInt64, .optional = true, .from = InputField::kSourceMicros},
    {.name = "ts_ns", .type = kInt64, .optional = true, .from = InputField::kSourceNanos},
    {.name = "schema", .from = FixedText::kTableSchema},
    {.name = "table", .from = FixedText::kTableName},
    {.name = "txId", .type = kInt64, .optional = true, .from = InputField::kTransactionId},
    {.name = "lsn", .type = kInt64, .optional = true, .from = InputField::kLsn},
    {.name = "xmin", .type = kInt64, .optional = true, .from = InputField::kXmin},
    {.name = "origin", .optional = true, .from = InputField::kOrigin},
    {.name = "origin_lsn", .type = kInt64, .optional = true, .from = InputField::kOriginLsn},
};
constexpr StructLayout kSource = {.name = "io.debezium.connector.postgresql.Source",
                                  .fields = kSourceFields};

constexpr FieldLayout kBlockFields[] = {
    {.name = "id", .from = InputField::kBlockId},
    {.name = "total_order", .type = kInt64, .from = InputField::kTotalOrder},
    {.name = "data_collection_order", .type = kInt64, .from = InputField::kCollectionOrder},
};
constexpr StructLayout kBlock = {.name = "event.block", .optional = true, .fields = kBlockFields};

constexpr FieldLayout kEnvelopeFields[] = {
    {.name = "before", .type = kStruct, .from = InputRow::kBefore},
    {.name = "after", .type = kStruct, .from = InputRow::kAfter},
    {.name = "source", .type = kStruct, .from = &kSource},
    {.name = "transaction", .type = kStruct, .from = &kBlock, .present = FieldPresence::kNumbered},
    {.name = "op", .from = FixedText::kOperation},
    {.name = "ts_ms", .type = kInt64, .optional = true, .from = InputField::kClockMillis},
    {.name = "ts_us", .type = kInt64, .optional = true, .from = InputField::kClockMicros},
    {.name = "ts_ns", .type = kInt64, .optional = true, .from = InputField::kClockNanos},
};

constexpr FieldLayout kMessageKeyFields[] = {
    {.name = "prefix", .optional = true, .from = InputField::kMessagePrefix},
};
constexpr StructLayout kMessageKey = {.name = "io.debezium.connector.postgresql.MessageKey",
                                      .fields = kMessageKeyFields};
constexpr FieldLayout kContentFields[] = {
    {.name = "prefix", .optional = true, .from = InputField::kMessagePrefix},
    {.name = "content", .optional = true, .from = InputField::kMessageContent},
};
constexpr StructLayout kContent = {.name = "io.debezium.connector.postgresql.Message",
                                   .fields = kContentFields};
constexpr FieldLayout kMessageFields[] = {
    {.name = "op", .from = FixedText::kOperation},
    {.name = "ts_ms", .type = kInt64, .optional = true, .from = InputField::kClockMillis},
    {.name = "source", .type = kStruct, .from = &kSource},
    {.name = "transaction", .type = kStruct, .from = &kBlock, .present = FieldPresence::kNumbered},
    {.name = "message", .type = kStruct, .from = &kContent},
};
constexpr StructLayout kMessage = {.name = "io.debezium.connector.postgresql.MessageValue",
                                   .fields = kMessageFields};

constexpr FieldLayout kTransactionKeyFields[] = {
    {.name = "id", .from = InputField::kBoundaryId},
};
constexpr StructLayout kTransactionKey = {
    .name = "io.debezium.connector.common.TransactionMetadataKey", .fields = kTransactionKeyFields};
constexpr FieldLayout kTransactionFields[] = {
    {.name = "status", .from = FixedText::kBoundary},
    {.name = "id", .from = InputField::kBoundaryId},
    {.name = "event_count",
     .type = kInt64,
     .optional = true,
     .from = InputField::kBoundaryEvents,
     .present = FieldPresence::kAtEnd},
    {.name = "data_collections",
     .type = ConnectType::kArray,
     .optional = true,
     .from = InputField::kBoundaryCollections,
     .present = FieldPresence::kAtEnd},
    {.name = "ts_ms", .type = kInt64, .from = InputField::kBoundaryMillis},
};
constexpr StructLayout kTransaction = {
    .name = "io.debezium.connector.common.TransactionMetadataValue", .fields = kTransactionFields};
constexpr FieldLayout kCollectionFields[] = {
    {.name = "data_collection", .from = {}},
    {.name = "event_count", .type = kInt64, .from = {}},
};

constexpr FieldLayout kHeartbeatKeyFields[] = {
    {.name = "serverName", .from = FixedText::kTopicPrefix},
};
constexpr StructLayout kHeartbeatKey = {.name = "io.debezium.connector.common.ServerNameKey",
                                        .fields = kHeartbeatKeyFields};
constexpr FieldLayout kHeartbeatFields[] = {
    {.name = "ts_ms", .type = kInt64, .from = InputField::kClockMillis},
};
constexpr StructLayout kHeartbeat = {.name = "io.debezium.connector.common.Heartbeat",
                                     .fields = kHeartbeatFields};

constexpr FieldLayout kNotificationKeyFields[] = {
    {.name = "id", .from = InputField::kNotificationId},
};
constexpr StructLayout kNotificationKey = {.name = "io.debezium.connector.common.NotificationKey",
                                           .fields = kNotificationKeyFields};
constexpr FieldLayout kNotificationFields[] = {
    {.name = "id", .from = InputField::kNotificationId},
    {.name = "type", .from = InputField::kNotificationType},
    {.name = "aggregate_type", .from = InputField::kNotificationAggregate},
    {.name = "additional_data",
     .type = ConnectType::kMap,
     .optional = true,
     .from = InputField::kNotificationDetails},
    {.name = "timestamp", .type = kInt64, .from = InputField::kNotificationMillis},
};
constexpr StructLayout kNotification = {.name = "io.debezium.connector.common.Notification",
                                        .fields = kNotificationFields};

void Refine(InputField input, const OpenTypes& open, ConnectSchema* schema) {
  switch (input) {
    case InputField::kSnapshot:
      schema->name = "io.debezium.data.Enum";
      schema->version = 1;
      schema->parameters = {{"allowed",
                             "true,first,first_in_data_collection,last_in_data_collection,last,"
                             "false,incremental"}};
      schema->default_value = event::ConnectDefault(event::Scalar::Text("false"));
      break;
    case InputField::kMessageContent:
      schema->type = open.message;
      break;
    case InputField::kBoundaryCollections:
      schema->items = Shared(SchemaOf(kCollectionLayout));
      break;
    case InputField::kNotificationDetails:
      schema->keys = Shared(event::Schema(ConnectType::kString));
      schema->items = Shared(event::Schema(ConnectType::kString));
      break;
    default:
      break;
  }
}

ConnectSchemaPtr FieldSchema(const FieldLayout& field, const OpenTypes& open) {
  if (std::holds_alternative<InputRow>(field.from)) return open.row;
  if (const auto* layout = std::get_if<const StructLayout*>(&field.from))
    return Shared(SchemaOf(**layout, open));
  ConnectSchema schema = event::Schema(field.type);
  schema.optional = field.optional;
  if (const auto* input = std::get_if<InputField>(&field.from)) Refine(*input, open, &schema);
  return Shared(std::move(schema));
}

}  // namespace

const StructLayout kEnvelopeLayout = {.name = "", .version = 2, .fields = kEnvelopeFields};
const StructLayout kCollectionLayout = {
    .name = "event.collection", .optional = true, .fields = kCollectionFields};
const RecordLayout kMessageLayout = {&kMessageKey, &kMessage, std::nullopt};
const RecordLayout kTransactionLayout = {&kTransactionKey, &kTransaction, std::nullopt};
const RecordLayout kHeartbeatLayout = {&kHeartbeatKey, &kHeartbeat, 0};
const RecordLayout kNotificationLayout = {&kNotificationKey, &kNotification, std::nullopt};

ConnectSchema SchemaOf(const StructLayout& layout, const OpenTypes& open) {
  ConnectSchema schema = event::Schema(kStruct, layout.name);
  schema.version = layout.version;
  schema.optional = layout.optional;
  for (const FieldLayout& field : layout.fields)
    schema.fields.push_back({std::string(field.name), FieldSchema(field, open)});
  return schema;
}

ConnectSchema RowSchema(absl::string_view name, std::vector<ConnectField> fields) {
  ConnectSchema schema = event::Schema(kStruct, name);
  schema.version.reset();  // unlike the fixed ones
  schema.fields = std::move(fields);
  return schema;
}

ConnectSchema EnvelopeSchema(absl::string_view name, ConnectSchema row) {
  // All but the rows is shared between the tables.
  static const auto* const fixed = new ConnectSchema(SchemaOf(kEnvelopeLayout));
  row.optional = true;
  const ConnectSchemaPtr rows = Shared(std::move(row));
  ConnectSchema schema = *fixed;
  schema.name = std::string(name);
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    if (std::holds_alternative<InputRow>(kEnvelopeFields[i].from)) schema.fields[i].schema = rows;
  }
  return schema;
}

}  // namespace walduct::encode
