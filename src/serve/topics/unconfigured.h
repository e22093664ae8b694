// Connectors that have positions and no configuration: of a worker without connectors this may mean
// that its topic of configurations is not the one that has them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "serve/topics/internal_topics.h"
#include "serve/topics/worker_options.h"

namespace walduct::serve {

// By name: those that the offset topic has positions of, and the topic of configurations nothing,
// not even that they were deleted. The broker forgets a deletion after a while, and positions
// outlive it: these may have been deleted, too.
absl::StatusOr<std::vector<std::string>> Unconfigured(InternalTopics& topics);

// FailedPrecondition connectors_missing: names them, the topics, and what to do. similar: topics
// that may be meant.
absl::Status UnconfiguredError(const std::vector<std::string>& names, const WorkerOptions& options,
                               const std::vector<std::string>& similar);

}  // namespace walduct::serve
