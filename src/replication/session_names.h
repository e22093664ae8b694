// What the sessions of a connector are called (application_name), so that who finds one on the
// server knows whose it is.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::replication {

// "walduct shop stream". what: " stream"; of a session that is for nothing else, empty.
std::string SessionName(absl::string_view connector, absl::string_view what);
// Of the one that streams, and holds the slot's lock before it does.
std::string StreamSession(absl::string_view connector);

// As servers show that name in pg_stat_activity: 63 bytes of it, and of what is no printable ASCII
// a question mark or, from PostgreSQL 16 on, "\xc3".
std::vector<std::string> ShownNames(absl::string_view name);
// Whether a session that is shown so is called so.
bool SameSession(absl::string_view name, absl::string_view shown);

}  // namespace walduct::replication
