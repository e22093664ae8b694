// How PostgreSQL is reached. Immutable once built; see database_properties.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace walduct::postgres {

struct DatabaseOptions {
  std::string hostname;
  uint16_t port = 5432;
  std::string user;
  std::string password;  // secret: never logged
  std::string dbname;
  std::string sslmode = "prefer";  // libpq's words
  std::string sslcert, sslkey, sslpassword, sslrootcert;
  bool tcp_keepalive = true;
  absl::Duration query_timeout = absl::Minutes(10);  // zero: none
  absl::Duration connect_timeout = absl::Seconds(30);
  // on every SQL session, never on the replication one
  std::vector<std::string> initial_statements;
};

}  // namespace walduct::postgres
