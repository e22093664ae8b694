// ConnectionUrl: what postgres://USER@HOST:PORT/DATABASE says, as libpq reads it.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace walduct::postgres {

struct ConnectionUrl {
  std::string host, port, database;  // empty: not given
  std::string user, password, sslmode;
};

// InvalidArgument, with libpq's words, for what is no such address. Environment variables and
// service files are not read.
absl::StatusOr<ConnectionUrl> ParseConnectionUrl(const std::string& url);

}  // namespace walduct::postgres
