#include "encode/schema/envelope_schema.h"

#include "absl/strings/str_cat.h"

namespace walduct::encode {
namespace {

ConnectSchemaPtr Required(ConnectType type) { return Shared(Schema(type)); }

ConnectSchemaPtr Optional(ConnectType type) {
  ConnectSchema schema = Schema(type);
  schema.optional = true;
  return Shared(std::move(schema));
}

ConnectSchemaPtr SnapshotSchema() {
  ConnectSchema schema = Schema(ConnectType::kString, "io.debezium.data.Enum");
  schema.optional = true;
  schema.parameters = {
      {"allowed",
       "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"}};
  schema.default_value = ConnectDefault{"false", "\"false\""};
  return Shared(std::move(schema));
}

ConnectSchemaPtr SourceSchema() {
  const auto text = Required(ConnectType::kString);
  const auto optional_text = Optional(ConnectType::kString);
  const auto number = Optional(ConnectType::kInt64);
  ConnectSchema schema = Schema(ConnectType::kStruct, "io.debezium.connector.postgresql.Source");
  schema.fields = {{"version", text},
                   {"connector", text},
                   {"name", text},
                   {"ts_ms", Required(ConnectType::kInt64)},
                   {"snapshot", SnapshotSchema()},
                   {"db", text},
                   {"sequence", optional_text},
                   {"ts_us", number},
                   {"ts_ns", number},
                   {"schema", text},
                   {"table", text},
                   {"txId", number},
                   {"lsn", number},
                   {"xmin", number},
                   {"origin", optional_text},
                   {"origin_lsn", number}};
  return Shared(std::move(schema));
}

ConnectSchemaPtr TransactionSchema() {
  ConnectSchema schema = Schema(ConnectType::kStruct, "event.block");
  schema.optional = true;
  schema.fields = {{"id", Required(ConnectType::kString)},
                   {"total_order", Required(ConnectType::kInt64)},
                   {"data_collection_order", Required(ConnectType::kInt64)}};
  return Shared(std::move(schema));
}

}  // namespace

ConnectSchema RowSchema(absl::string_view name, std::vector<ConnectField> fields) {
  ConnectSchema schema = Schema(ConnectType::kStruct, name);
  schema.version.reset();  // unlike the fixed ones
  schema.fields = std::move(fields);
  return schema;
}

ConnectSchema EnvelopeSchema(absl::string_view name, ConnectSchema row) {
  row.optional = true;
  const ConnectSchemaPtr row_schema = Shared(std::move(row));
  const auto number = Optional(ConnectType::kInt64);
  ConnectSchema schema = Schema(ConnectType::kStruct, name);
  schema.version = 2;
  schema.fields = {{"before", row_schema},
                   {"after", row_schema},
                   {"source", SourceSchema()},
                   {"transaction", TransactionSchema()},
                   {"op", Required(ConnectType::kString)},
                   {"ts_ms", number},
                   {"ts_us", number},
                   {"ts_ns", number}};
  return schema;
}

ConnectSchema MessageKeySchema() {
  ConnectSchema schema =
      Schema(ConnectType::kStruct, "io.debezium.connector.postgresql.MessageKey");
  schema.fields = {{"prefix", Optional(ConnectType::kString)}};
  return schema;
}

ConnectSchema MessageValueSchema(ConnectType content) {
  ConnectSchema block = Schema(ConnectType::kStruct, "io.debezium.connector.postgresql.Message");
  block.fields = {{"prefix", Optional(ConnectType::kString)}, {"content", Optional(content)}};
  ConnectSchema schema =
      Schema(ConnectType::kStruct, "io.debezium.connector.postgresql.MessageValue");
  schema.fields = {{"op", Required(ConnectType::kString)},
                   {"ts_ms", Optional(ConnectType::kInt64)},
                   {"source", SourceSchema()},
                   {"transaction", TransactionSchema()},
                   {"message", Shared(std::move(block))}};
  return schema;
}

}  // namespace walduct::encode
