// publication.name, as Debezium uses it: not quoted where it makes the publication, and as written
// where it looks for it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"

namespace walduct::replication {

// The name of an existing publication that publication.name stands for; the given name when there
// is none. Works on a replication connection too.
absl::StatusOr<std::string> ResolvePublicationName(postgres::Connection& connection,
                                                   absl::string_view name);

}  // namespace walduct::replication
