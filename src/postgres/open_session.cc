#include "postgres/open_session.h"

#include <utility>

#include "postgres/connection_options.h"

namespace walduct::postgres {

absl::StatusOr<std::unique_ptr<Connection>> OpenSession(const DatabaseOptions& database,
                                                        std::string application,
                                                        const Environment& environment,
                                                        SessionKind kind, StopCheck stopping) {
  return Connection::Open({.database = database,
                           .kind = kind,
                           .application_name = std::move(application),
                           .stopping = std::move(stopping),
                           .environment = environment});
}

}  // namespace walduct::postgres
