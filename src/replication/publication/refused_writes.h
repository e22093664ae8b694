// SQL: of which published tables the server refuses UPDATE and DELETE, though they have a replica
// identity, and where REPLICA IDENTITY FULL would not help. A publication that sends not all
// columns of a table is at odds with identities that hold them: PostgreSQL 15 has column lists and
// row filters, PostgreSQL 18 counts generated columns that are not sent. Of a partition whose rows
// come as those of a root the root's list and filter count. Pure.
//
// Source: pub_contains_invalid_column and pub_rf_contains_invalid_column of PostgreSQL's
// src/backend/commands/publicationcmds.c
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::replication {

inline constexpr int kVersionWithLists = 150000;   // of columns, and row filters
inline constexpr int kVersionWithUnsent = 180000;  // generated columns that are not sent count

// Conditions on a table `c`, a row of pg_class. publication: SQL of a row of pg_publication, or
// empty: one that is still to be made, which sends all columns that are not generated.

// REPLICA IDENTITY FULL would be refused.
std::string FullIsRefused(int server_version, absl::string_view publication);
// The identity has generated columns that are not sent.
std::string GeneratedInIdentity(int server_version, absl::string_view publication);
// The column list lacks columns of the identity, or the identity is FULL.
std::string ListLacksIdentity(int server_version, absl::string_view publication);
// The row filter reads columns outside of the identity.
std::string FilterBeyondIdentity(int server_version, absl::string_view publication);

// "FROM … WHERE …": the row `r` of pg_publication_rel whose list and filter count for c; PostgreSQL
// 15.
std::string AppliedEntry(absl::string_view publication);

}  // namespace walduct::replication
