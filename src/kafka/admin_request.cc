#include "kafka/admin_request.h"

#include <algorithm>

#include "base/check.h"

namespace walduct::kafka {

AdminOptionsPtr MakeAdminOptions(const Client& client, rd_kafka_admin_op_t operation,
                                 absl::Duration timeout) {
  AdminOptionsPtr options(rd_kafka_AdminOptions_new(client.handle(), operation));
  char text[256];
  const int timeout_ms = std::max(1, ToMilliseconds(timeout));
  CHECK(rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, text, sizeof(text)) ==
        RD_KAFKA_RESP_ERR_NO_ERROR);
  return options;
}

std::optional<std::string> PropertyOf(const rd_kafka_ConfigResource_t& resource,
                                      absl::string_view name) {
  if (rd_kafka_ConfigResource_error(&resource) != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(&resource, &count);
  for (size_t i = 0; i < count; ++i) {
    if (name != rd_kafka_ConfigEntry_name(entries[i])) continue;
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  return std::nullopt;
}

}  // namespace walduct::kafka
