// From a worker file to what `walduct serve` needs of it. Touches no server; reads key stores and
// password files.
#pragma once

#include <string>

#include "config/load_report.h"
#include "config/sources.h"
#include "console/console_options.h"
#include "rest/worker_options.h"

namespace walduct::loader {

// options are of use only when there are no errors.
struct WorkerResult : config::LoadReport {
  rest::WorkerOptions options;
  console::ConsoleOptions console;
};

// Of the worker file and the overrides; connector files in the request are ignored. login_file: as
// the environment names it; the worker file's walduct.rest.login.config wins.
WorkerResult LoadWorker(config::LoadRequest request, const std::string& login_file = "");

}  // namespace walduct::loader
