// Catalog queries about publications. Used by EnsurePublication only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"
#include "replication/publication_sql.h"

namespace walduct::replication {

// Absent when no publication has exactly this name.
absl::StatusOr<std::optional<PublicationState>> ReadPublication(postgres::Connection& connection,
                                                                absl::string_view name);

// Those of the captured tables that a publication can name: not unlogged, not partitioned before
// PostgreSQL 13.
absl::StatusOr<std::vector<PublishedTable>> PublishableTables(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured);

// Warns, before a publication is created, of tables whose UPDATE and DELETE the server would refuse
// from then on. tables: those it will name; nullopt: all of the database.
absl::Status WarnBeforePublication(postgres::Connection& connection,
                                   const std::optional<std::vector<PublishedTable>>& tables);

// Warns of what an operator should know about a publication in use: tables whose UPDATE and DELETE
// the server will refuse, captured tables it does not publish, no table at all.
absl::Status WarnAboutPublication(postgres::Connection& connection, absl::string_view name,
                                  const std::vector<PublishedTable>& captured);

}  // namespace walduct::replication
