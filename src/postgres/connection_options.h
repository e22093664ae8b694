// ConnectionOptions: what a Connection is opened with.
#pragma once

#include <string>

#include "base/environment.h"
#include "postgres/connection.h"
#include "postgres/options.h"

namespace walduct::postgres {

struct ConnectionOptions {
  DatabaseOptions database;
  SessionKind kind = SessionKind::kSql;
  std::string application_name = "walduct";
  // Keeps the role's search_path, for sessions that run SQL written by the user
  // (snapshot.select.statement.overrides). Without it search_path is pg_catalog, so that
  // expressions and names in results are always qualified.
  bool keep_search_path = false;
  bool keep_lc_monetary = false;  // the role's own, to ask what it is
  bool startup_options = true;    // false: a connection pooler takes none
  // Gives up connecting, and later statements that have run for a second: Cancelled stopped.
  StopCheck stopping = nullptr;
  Environment environment;  // of all waiting on this connection
};

}  // namespace walduct::postgres
