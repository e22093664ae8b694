// How PostgreSQL is reached. Immutable once built; see database_properties.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace walduct::postgres {

struct DatabaseOptions {
  std::string hostname;                      // or several, separated by commas, tried in turn
  std::string port = "5432";                 // or one for each host
  std::string target_session_attrs = "any";  // libpq's words
  std::string user;
  std::string password;  // secret: never logged
  // Reads it again from where it came (a file that is rewritten when the password is changed);
  // nullopt: not readable now. Empty: it is constant. Thread-safe.
  std::function<std::optional<std::string>()> password_source;
  bool password_of_environment = false;  // the source reads what a process keeps while it runs
  std::string dbname;
  std::string sslmode = "prefer";  // libpq's words
  std::string sslcert, sslkey, sslpassword, sslrootcert;
  bool tcp_keepalive = true;
  absl::Duration query_timeout = absl::Minutes(10);  // zero: none
  absl::Duration connect_timeout = absl::Seconds(30);
  uint64_t row_max_bytes = 0;  // see RowGuard
  // on every SQL session, never on the replication one
  std::vector<std::string> initial_statements;
};

}  // namespace walduct::postgres
