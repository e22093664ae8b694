// From a worker file to what `walduct serve` needs of it. Touches no server.
#pragma once

#include "config/load_report.h"
#include "config/sources.h"
#include "rest/worker_options.h"

namespace walduct::loader {

// options are of use only when there are no errors.
struct WorkerResult : config::LoadReport {
  rest::WorkerOptions options;
};

// Of the worker file and the overrides; whatever is asked for as a connector does not count.
WorkerResult LoadWorker(config::LoadRequest request);

}  // namespace walduct::loader
