#include "encode/records/heartbeat_record.h"

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "encode/table/table_plan.h"

namespace walduct::encode {
namespace {

ConnectSchema OneField(absl::string_view name, absl::string_view field, ConnectType type) {
  ConnectSchema schema = Schema(ConnectType::kStruct, name);
  schema.fields = {{std::string(field), Shared(Schema(type))}};
  return schema;
}

}  // namespace

ConnectSchema HeartbeatKeySchema() {
  return OneField("io.debezium.connector.common.ServerNameKey", "serverName", ConnectType::kString);
}

ConnectSchema HeartbeatValueSchema() {
  return OneField("io.debezium.connector.common.Heartbeat", "ts_ms", ConnectType::kInt64);
}

HeartbeatRecord::HeartbeatRecord(const config::EncodeOptions& options)
    : topic_prefix_(options.topic_prefix),
      key_head_(PayloadHead(HeartbeatKeySchema(), options.key)),
      value_head_(PayloadHead(HeartbeatValueSchema(), options.value)) {}

void HeartbeatRecord::AppendKey(TextFormat format, std::string* out) const {
  if (format == TextFormat::kStruct) {
    absl::StrAppend(out, "Struct{serverName=", topic_prefix_, "}");
    return;
  }
  absl::StrAppend(out, key_head_, "{\"serverName\":");
  AppendJsonString(topic_prefix_, out);
  out->append(key_head_.empty() ? "}" : "}}");
}

void HeartbeatRecord::AppendValue(absl::Time now, TextFormat format, std::string* out) const {
  const int64_t millis = absl::ToUnixMillis(now);
  if (format == TextFormat::kStruct) {
    absl::StrAppend(out, "Struct{ts_ms=", millis, "}");
    return;
  }
  absl::StrAppend(out, value_head_, "{\"ts_ms\":", millis, value_head_.empty() ? "}" : "}}");
}

}  // namespace walduct::encode
