#include "encode/records/transaction_records.h"

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "encode/records/source_block.h"
#include "encode/table/table_plan.h"

namespace walduct::encode {
namespace {

using event::Emission;
using event::RecordKind;
using event::TransactionBoundary;

ConnectSchemaPtr CollectionsSchema() {
  ConnectSchema collection = Schema(ConnectType::kStruct, "event.collection");
  collection.optional = true;
  collection.fields = {{"data_collection", Shared(Schema(ConnectType::kString))},
                       {"event_count", Shared(Schema(ConnectType::kInt64))}};
  ConnectSchema schema = Schema(ConnectType::kArray);
  schema.optional = true;
  schema.items = Shared(std::move(collection));
  return Shared(std::move(schema));
}

}  // namespace

ConnectSchema TransactionKeySchema() {
  ConnectSchema schema =
      Schema(ConnectType::kStruct, "io.debezium.connector.common.TransactionMetadataKey");
  schema.fields = {{"id", Shared(Schema(ConnectType::kString))}};
  return schema;
}

ConnectSchema TransactionValueSchema() {
  ConnectSchema count = Schema(ConnectType::kInt64);
  count.optional = true;
  ConnectSchema schema =
      Schema(ConnectType::kStruct, "io.debezium.connector.common.TransactionMetadataValue");
  schema.fields = {{"status", Shared(Schema(ConnectType::kString))},
                   {"id", Shared(Schema(ConnectType::kString))},
                   {"event_count", Shared(std::move(count))},
                   {"data_collections", CollectionsSchema()},
                   {"ts_ms", Shared(Schema(ConnectType::kInt64))}};
  return schema;
}

// The LSN is that of the record, so that the id differs from record to record: what names the
// transaction is before the colon.
void AppendTransactionId(uint64_t xid, Lsn lsn, std::string* out) {
  absl::StrAppend(out, xid, ":", static_cast<int64_t>(lsn.value()));
}

void AppendCollectionsStruct(const TransactionBoundary& boundary, std::string* out) {
  const char* separator = "";
  for (const event::CollectionCount& collection : boundary.collections) {
    absl::StrAppend(out, separator, "Struct{data_collection=", collection.name,
                    ",event_count=", collection.events, "}");
    separator = ", ";
  }
}

void AppendCollectionsJson(const TransactionBoundary& boundary, std::string* out) {
  const char* separator = "";
  for (const event::CollectionCount& collection : boundary.collections) {
    absl::StrAppend(out, separator, "{\"data_collection\":");
    AppendJsonString(collection.name, out);
    absl::StrAppend(out, ",\"event_count\":", collection.events, "}");
    separator = ",";
  }
}

namespace {

void AppendMillis(int64_t micros, std::string* out) {
  InstantDigits(micros).AppendWithoutLast(3, out);
}

void AppendValueJson(const TransactionBoundary& boundary, bool end, std::string* out) {
  absl::StrAppend(out, "{\"status\":\"", end ? "END" : "BEGIN", "\",\"id\":\"");
  AppendTransactionId(boundary.xid, boundary.lsn, out);
  if (end) {
    absl::StrAppend(out, "\",\"event_count\":", boundary.events, ",\"data_collections\":[");
    AppendCollectionsJson(boundary, out);
    out->append("],\"ts_ms\":");
  } else {
    out->append("\",\"event_count\":null,\"data_collections\":null,\"ts_ms\":");
  }
  AppendMillis(boundary.commit_time_us, out);
  out->push_back('}');
}

void AppendValueStruct(const TransactionBoundary& boundary, bool end, std::string* out) {
  absl::StrAppend(out, "Struct{status=", end ? "END" : "BEGIN", ",id=");
  AppendTransactionId(boundary.xid, boundary.lsn, out);
  if (end) {
    absl::StrAppend(out, ",event_count=", boundary.events, ",data_collections=[");
    AppendCollectionsStruct(boundary, out);
    out->push_back(']');
  }
  out->append(",ts_ms=");
  AppendMillis(boundary.commit_time_us, out);
  out->push_back('}');
}

}  // namespace

TransactionRecords::TransactionRecords(const config::EncodeOptions& options)
    : key_head_(PayloadHead(TransactionKeySchema(), options.key)),
      value_head_(PayloadHead(TransactionValueSchema(), options.value)) {}

void TransactionRecords::AppendKey(const TransactionBoundary& boundary, TextFormat format,
                                   std::string* out) const {
  if (format == TextFormat::kStruct) {
    out->append("Struct{id=");
    AppendTransactionId(boundary.xid, boundary.lsn, out);
    out->push_back('}');
    return;
  }
  absl::StrAppend(out, key_head_, "{\"id\":\"");
  AppendTransactionId(boundary.xid, boundary.lsn, out);
  out->append(key_head_.empty() ? "\"}" : "\"}}");
}

void TransactionRecords::AppendValue(const Emission& emission, TextFormat format,
                                     std::string* out) const {
  const bool end = emission.kind == RecordKind::kTransactionEnd;
  if (format == TextFormat::kStruct) return AppendValueStruct(*emission.boundary, end, out);
  out->append(value_head_);
  AppendValueJson(*emission.boundary, end, out);
  if (!value_head_.empty()) out->push_back('}');
}

void AppendTransactionBlock(const Emission& emission, TextFormat format, std::string* out) {
  const bool java = format == TextFormat::kStruct;
  const event::TransactionOrder& order = emission.order;
  if (order.total == 0) {
    if (!java) out->append(",\"transaction\":null");
    return;
  }
  out->append(java ? ",transaction=Struct{id=" : ",\"transaction\":{\"id\":\"");
  AppendTransactionId(emission.change->xid.value_or(0), emission.change->lsn, out);
  absl::StrAppend(
      out, java ? ",total_order=" : "\",\"total_order\":", order.total,
      java ? ",data_collection_order=" : ",\"data_collection_order\":", order.in_collection, "}");
}

}  // namespace walduct::encode
