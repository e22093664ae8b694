// JdbcOptions: which table of which database holds the position. Immutable once built.
#pragma once

#include <string>

#include "postgres/options.h"

namespace walduct::offset {

struct JdbcOptions {
  postgres::DatabaseOptions database;
  std::string schemas;  // search_path, as SQL; empty: the role's
  std::string table;    // as SQL
  std::string ddl;      // %s: the table; empty: the default
};

}  // namespace walduct::offset
