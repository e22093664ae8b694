// Topics that were deleted while records went there: which captured tables they were of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "postgres/describe/catalog.h"

namespace walduct::names {
struct Called;
}
namespace walduct::route {
struct RouteOptions;
}

namespace walduct::slot {

using CapturedTables = std::optional<std::vector<postgres::TableName>>;

// By the names that topics have without transforms. captured: absent: nothing is known of them.
std::vector<postgres::TableName> TablesOfTopics(const route::RouteOptions& route,
                                                const std::vector<std::string>& topics,
                                                const CapturedTables& captured);

// topic_deleted of the offset topic, which a transaction of the sink writes to as well: it has no
// rows. offset_topic_gone; others stay as they are.
absl::Status OfOffsetTopic(const absl::Status& error, const std::string& offset_topic);

// topic_missing of a topic that was deleted under the connector: says so. Others stay as they are.
absl::Status OfDeleted(const absl::Status& error, const std::vector<std::string>& deleted);

// topic_deleted, or an error that comes of it, with the command that reads the tables again.
absl::Status WithTables(const absl::Status& error, const names::Called& called,
                        const std::vector<postgres::TableName>& tables);

}  // namespace walduct::slot
