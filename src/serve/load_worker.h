// From a worker file to what `walduct serve` needs of it. Touches no server; reads key stores and
// password files.
#pragma once

#include <string>

#include "config/load_report.h"
#include "config/sources.h"
#include "console/console_options.h"
#include "serve/topics/worker_options.h"

namespace walduct::serve {

// options are of use only when there are no errors.
struct WorkerResult : config::LoadReport {
  WorkerOptions options;
  console::ConsoleOptions console;
};

// Of the worker file and the overrides; connector files in the request are ignored. login_file: as
// the environment names it; the worker file's walduct.rest.login.config wins.
WorkerResult LoadWorker(config::LoadRequest request, const std::string& login_file = "");

// Where the worker answers; empty: a free port, which is not known beforehand.
std::string WorkerUrl(const WorkerOptions& options);

}  // namespace walduct::serve
