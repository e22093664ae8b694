// JdbcUrl: what jdbc:postgresql://HOST:PORT/DATABASE?NAME=VALUE says, as PostgreSQL's JDBC driver
// reads it (https://jdbc.postgresql.org/documentation/use/).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/options.h"

namespace walduct::postgres {

struct JdbcUrl {
  DatabaseOptions database;  // where the address says nothing, the driver's default
  std::string schemas;       // currentSchema, as it stands there; empty: not given
};

// InvalidArgument for what is no such address; never with what stands in it, which may be a
// password. Parameters without a meaning here (socketTimeout, loggerLevel, …) count for nothing.
absl::StatusOr<JdbcUrl> ParseJdbcUrl(absl::string_view url);

}  // namespace walduct::postgres
