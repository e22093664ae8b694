// What went wrong with the statements of publications, in words for an operator. Used where
// publications are made.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::replication {

// Two instances that start together: one creates the publication, the other finds it the second
// time. And tables may be dropped between the look at them and the statement that names them.
inline constexpr int kPublicationAttempts = 10;
// Naming a table locks it: nobody waits in silence behind whoever holds it.
inline constexpr absl::string_view kLockTimeout = "SET LOCAL lock_timeout = '10s'; ";

// Worth another attempt, with another look at the catalog.
bool LostRace(const absl::Status& status);

// Of a statement about the publication of that name; sql: what somebody with more rights can run.
// owner: what gives it to this role; empty: that would not help.
absl::Status ExplainPublicationError(const absl::Status& status, absl::string_view name,
                                     absl::string_view sql, absl::string_view owner = "");
// The same of several slots' publications, whose statements are one transaction: between two of
// them a table would be in no publication.
absl::Status ExplainSlotsPublicationError(const absl::Status& status, absl::string_view name,
                                          absl::string_view sql);

}  // namespace walduct::replication
