// Topics that were deleted while records went there: which captured tables they were of.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "postgres/describe/catalog.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

// By the names that topics have without transforms.
std::vector<postgres::TableName> TablesOfTopics(const engine::ConnectorOptions& config,
                                                const std::vector<std::string>& topics,
                                                const std::vector<postgres::TableName>& captured);

// topic_deleted, with the command that reads the tables again.
absl::Status WithTables(const absl::Status& error, const engine::ConnectorOptions& config,
                        const std::vector<postgres::TableName>& tables);

}  // namespace walduct::slot
