// What every question to Kafka's admin interface has in common. For .cc files of this room.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/freed_by.h"
#include "kafka/client.h"

namespace walduct::kafka {

using AdminOptionsPtr =
    std::unique_ptr<rd_kafka_AdminOptions_t, FreedBy<rd_kafka_AdminOptions_destroy>>;
using CollectionPtr =
    std::unique_ptr<rd_kafka_TopicCollection_t, FreedBy<rd_kafka_TopicCollection_destroy>>;
using EventPtr = std::unique_ptr<rd_kafka_event_t, FreedBy<rd_kafka_event_destroy>>;
using ResourcePtr =
    std::unique_ptr<rd_kafka_ConfigResource_t, FreedBy<rd_kafka_ConfigResource_destroy>>;

// The broker has that long to answer, at least a millisecond.
AdminOptionsPtr MakeAdminOptions(const Client& client, rd_kafka_admin_op_t operation,
                                 absl::Duration timeout);

// A property of what was described; nothing when it has none or could not be described.
std::optional<std::string> PropertyOf(const rd_kafka_ConfigResource_t& resource,
                                      absl::string_view name);

}  // namespace walduct::kafka
