#include "postgres/open_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

std::string ServerPlaceOf(const DatabaseOptions& database) {
  return absl::StrJoin({database.hostname, database.port, database.target_session_attrs,
                        database.user, database.password, database.sslmode, database.sslcert,
                        database.sslkey, database.sslpassword, database.sslrootcert},
                       "\n");
}

std::string PlaceOf(const DatabaseOptions& database) {
  return absl::StrCat(ServerPlaceOf(database), "\n", database.dbname);
}

}  // namespace walduct::postgres
