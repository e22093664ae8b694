// RecordLayout: what stands in a record around the rows, and the records that are about no row: the
// names, order and types of their fields, and where the value of each comes from. The one
// description of them: schemas are made of it, templates too (records/template_builder.h), and each
// converter writes what these say. Names and order are Debezium's.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "event/connect_schema.h"

namespace walduct::encode {

// The release of Debezium whose records are written; source.version of every record.
inline constexpr absl::string_view kSourceVersion = "3.6.1.Final";
inline constexpr absl::string_view kConnectorType = "postgresql";

// The rows of a change: columns of the value, columns of the key.
enum class InputRow : uint8_t { kBefore, kAfter, kKeyBefore, kKeyAfter };

// A text that all records of a template share.
enum class FixedText : uint8_t {
  kVersion,
  kConnector,
  kTopicPrefix,
  kDatabase,
  kTableSchema,
  kTableName,
  kOperation,
  kBoundary,  // BEGIN or END
};

// A value that differs between the records of a template.
enum class InputField : uint8_t {
  // The same for all changes of a transaction: see IsOfTransaction.
  kSnapshot,
  kOrigin,
  kOriginLsn,
  kSourceMillis,
  kSourceMicros,
  kSourceNanos,
  kTransactionId,
  // Of the change.
  kSequence,
  kLsn,
  kXmin,     // of the slot
  kBlockId,  // of the transaction block
  kTotalOrder,
  kCollectionOrder,
  kMessagePrefix,
  kMessageContent,
  // When the record is made.
  kClockMillis,
  kClockMicros,
  kClockNanos,
  // Of the records of the transaction topic.
  kBoundaryId,
  kBoundaryEvents,
  kBoundaryCollections,
  kBoundaryMillis,
  // Of notifications.
  kNotificationId,
  kNotificationType,
  kNotificationAggregate,
  kNotificationDetails,
  kNotificationMillis,
};

inline bool IsOfTransaction(InputField field) { return field <= InputField::kTransactionId; }
// The same for many transactions, too.
inline bool IsOfOrigin(InputField field) { return field <= InputField::kOriginLsn; }

// Not known of every record.
inline bool MayBeNull(InputField field) {
  return field == InputField::kSnapshot || field == InputField::kTransactionId ||
         field == InputField::kOrigin || field == InputField::kOriginLsn ||
         field == InputField::kLsn || field == InputField::kXmin;
}

struct StructLayout;
// Nothing: always null.
using FieldOrigin =
    std::variant<std::monostate, FixedText, InputField, InputRow, const StructLayout*>;

// Which records have a value for a field; in others it is null.
enum class FieldPresence : uint8_t {
  kAlways,
  kNumbered,  // records that are numbered in their transaction
  kAtEnd,     // the record of a transaction's end
};

struct FieldLayout {
  absl::string_view name;
  event::ConnectType type = event::ConnectType::kString;
  bool optional = false;
  FieldOrigin from;
  FieldPresence present = FieldPresence::kAlways;
};

struct StructLayout {
  absl::string_view name;  // of the schema; empty: the caller's
  int version = 1;
  bool optional = false;
  absl::Span<const FieldLayout> fields;
};

// A record that is about no row.
struct RecordLayout {
  const StructLayout* key;
  const StructLayout* value;
  std::optional<int32_t> partition;  // absent: by the key
};

// The value of a change of a row. Its rows are those of the table.
extern const StructLayout kEnvelopeLayout;
extern const StructLayout kCollectionLayout;  // of an item of data_collections
extern const RecordLayout kMessageLayout;     // a logical message
extern const RecordLayout kTransactionLayout;
extern const RecordLayout kHeartbeatLayout;
extern const RecordLayout kNotificationLayout;

// What a layout leaves open.
struct OpenTypes {
  event::ConnectSchemaPtr row = {};                         // of the rows of an envelope
  event::ConnectType message = event::ConnectType::kBytes;  // of the content of a message
};
event::ConnectSchema SchemaOf(const StructLayout& layout, const OpenTypes& open = {});

// The schemas of one table: of a key or a row, and of the envelope.
event::ConnectSchema RowSchema(absl::string_view name, std::vector<event::ConnectField> fields);
event::ConnectSchema EnvelopeSchema(absl::string_view name, event::ConnectSchema row);

}  // namespace walduct::encode
