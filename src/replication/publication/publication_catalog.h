// Catalog queries about publications.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/publication/publication_sql.h"

namespace walduct::replication {

// Absent when no publication has exactly this name.
absl::StatusOr<std::optional<PublicationState>> ReadPublication(postgres::Connection& connection,
                                                                absl::string_view name);

// Those of the captured tables that a publication can name: not unlogged, not partitioned before
// PostgreSQL 13.
absl::StatusOr<std::vector<PublishedTable>> PublishableTables(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured);

// Of FOR TABLES IN SCHEMA. name: as the catalog has it.
absl::StatusOr<std::vector<std::string>> ReadPublishedSchemas(postgres::Connection& connection,
                                                              absl::string_view name);

}  // namespace walduct::replication
