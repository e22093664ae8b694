// A session for what is asked beside a connector.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "postgres/connection.h"

namespace walduct::postgres {

struct DatabaseOptions;  // options.h

// application: by which the server knows it. stopping: as of Connection::Open.
absl::StatusOr<std::unique_ptr<Connection>> OpenSession(const DatabaseOptions& database,
                                                        std::string application,
                                                        const Environment& environment,
                                                        SessionKind kind = SessionKind::kSql,
                                                        StopCheck stopping = nullptr);

// The same text for servers, or databases of them, of which one session is as good as another: who
// reaches them, where and how.
std::string ServerPlaceOf(const DatabaseOptions& database);
std::string PlaceOf(const DatabaseOptions& database);

}  // namespace walduct::postgres
