// A start at which no table is captured. A publication that somebody else makes is there for
// tables: where it gets none by itself, a first start without any has come to another database.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "replication/publication_mode.h"

namespace walduct::slot {

// Whether a first start stops for it. allow_empty: walduct.allow.empty. come: of themselves, when
// they are created (replication::TakesNewTables).
bool RefusesNoTables(replication::PublicationAutocreate mode, bool allow_empty, bool come);

// FailedPrecondition no_tables_captured where it refuses, else a warning in the log.
absl::Status JudgeNoTables(absl::string_view database, bool refuses);

}  // namespace walduct::slot
