// The statements that walk a table by a key. Bounds are parameters without a type: the server gives
// them that of the column they are compared with, and compares as its index does. Types of users
// are named, with the schema of their operators (walk_operators.h). Pure.
#pragma once

#include <string>
#include <vector>

#include "incremental/chunks/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

struct WalkColumn {
  std::string name;
  bool nullable = false;
  bool of_system = false;  // ctid
  std::string type = {};   // its name
  // Of a type of users: the type of bounds, as SQL; empty: the server finds it.
  std::string cast = {};
  bool casts_column = false;   // a domain, which its type's operators do not take as it is
  std::string operators = {};  // the schema of its operators; empty: pg_catalog

  bool operator==(const WalkColumn&) const = default;
};

struct Walk {
  TableId table;
  std::optional<std::string> condition = {};
  std::vector<WalkColumn> columns = {};
  size_t shown = 0;  // how many of them are the key; the others tell equal keys apart
};

// The greatest key. Both have parameters, so that the server takes them as one statement each,
// whatever the condition says.
postgres::Statement MaximumSql(const Walk& walk);
// Rows behind `after`, up to `maximum` where `after` is there: those of the first statement, then
// of the next, until there are enough. One statement each for what an index finds in one place: a
// column that may be NULL makes several. A bound shorter than the walk includes rows equal to it.
std::vector<postgres::Statement> ChunkSql(const Walk& walk, const std::vector<std::string>& columns,
                                          const std::optional<Key>& after,
                                          const std::optional<Key>& maximum, int limit);
// By place, "(12,3)"; each row has ctid and xmin behind its columns. Of a walk without columns.
postgres::Statement RangeSql(const Walk& walk, const std::vector<std::string>& columns,
                             const std::string& behind, const std::string& before);
postgres::Statement PlacesSql(const Walk& walk, const std::vector<std::string>& columns,
                              const std::vector<std::string>& places);

}  // namespace walduct::incremental
