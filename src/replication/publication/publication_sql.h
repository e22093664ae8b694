// SQL of publications, and what must change in one. Pure.
//
// Source: https://www.postgresql.org/docs/current/sql-createpublication.html,
// sql-alterpublication.html
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "replication/publication_mode.h"

namespace walduct::replication {

struct PublishedTable {
  Oid relation{};
  std::string schema;
  std::string table;
  bool has_children = false;  // by INHERITS: without ONLY they would be published too
  // It has partitions that nobody wants: their rows are to come as its own.
  bool needs_root = false;
};

// A publication as the catalog has it.
struct PublicationState {
  std::string name;
  bool all_tables = false;
  std::vector<std::string> operations;  // insert, update, delete, truncate
  bool via_partition_root = false;
  std::vector<PublishedTable> tables;  // named one by one
  std::vector<std::string> schemas;    // FOR TABLES IN SCHEMA
};

// What the configuration asks for.
struct PublicationWish {
  PublicationAutocreate mode{};
  std::vector<PublishedTable> tables;  // used by kFiltered
  // absent: the server's default, an existing publication's own
  std::optional<std::vector<std::string>> operations;
  bool via_partition_root = false;
};

// "insert,update" as a list without what the server does not know (truncate before PostgreSQL 11).
std::vector<std::string> SplitOperations(absl::string_view list, int server_version);

std::string CreatePublicationSql(absl::string_view name, const PublicationWish& wish);

// The same for somebody to type: of 200 tables at most, and by the roots where one of them needs
// that, whatever the configuration says, which never switches it off.
std::string CreatePublicationHint(absl::string_view name, PublicationWish wish);

// Those that AlterPublicationSql puts into the publication.
std::vector<PublishedTable> AddedTables(const PublicationState& state, const PublicationWish& wish);

// Statements separated by "; " that turn the publication into what is wished; "" when nothing
// differs.
std::string AlterPublicationSql(const PublicationState& state, const PublicationWish& wish);

}  // namespace walduct::replication
