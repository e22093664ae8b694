#include "operate/commands/command_session.h"

#include <utility>

#include "postgres/connection_options.h"

namespace walduct::operate {

absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenSession(
    const postgres::DatabaseOptions& database, std::string application,
    const Environment& environment) {
  return postgres::Connection::Open({.database = database,
                                     .kind = postgres::SessionKind::kSql,
                                     .application_name = std::move(application),
                                     .environment = environment});
}

}  // namespace walduct::operate
