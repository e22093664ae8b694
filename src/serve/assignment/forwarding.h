// Where a worker that does not lead its group answers a request that would change something. It
// forwards nothing: the answer says which worker to ask.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "serve/assignment/assignment.h"

namespace walduct::serve {

// OK: this worker leads, and writes. Else what the request is answered: Unavailable kafka_away,
// Aborted.
absl::Status CheckLeads(const Assignment& assignment, const std::string& group);

}  // namespace walduct::serve
