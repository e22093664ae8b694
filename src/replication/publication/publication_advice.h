// What an operator should know about a publication, as warnings in the log or as a list. Advice
// never stops a start and never waits: only catalog tables are read, no table of a user is opened
// or locked, and what fails is logged and asked again with the next connection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "names/called.h"
#include "postgres/connection.h"
#include "replication/advice.h"
#include "replication/publication/publication_sql.h"

namespace walduct::replication {

// Before a publication is created: tables whose UPDATE and DELETE the server would refuse from then
// on. tables: those it will name; nullopt: all of the database.
void AdviseBeforePublication(postgres::Connection& connection,
                             const std::optional<std::vector<PublishedTable>>& tables);

// Of a publication in use: tables whose UPDATE and DELETE the server refuses, keys that are not
// sent, captured tables it does not publish.
void AdviseOnPublication(postgres::Connection& connection, absl::string_view name,
                         const std::vector<PublishedTable>& captured);

// Of the table that signals are written to, as schema.table: its rows come under other names.
void AdviseOnSignalTable(postgres::Connection& connection, absl::string_view name,
                         absl::string_view table, const names::Called& called);

// The same, said to the caller.
absl::StatusOr<std::vector<Advice>> ListBeforePublication(
    postgres::Connection& connection, const std::optional<std::vector<PublishedTable>>& tables);
absl::StatusOr<std::vector<Advice>> ListOnPublication(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      const std::vector<PublishedTable>& captured);
absl::StatusOr<std::vector<Advice>> ListOnSignalTable(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      absl::string_view table,
                                                      const names::Called& called);

}  // namespace walduct::replication
