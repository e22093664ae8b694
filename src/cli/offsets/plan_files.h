// With which files the commands of `recover plan` are typed.
#pragma once

#include <string>

#include "cli/process/called_by.h"
#include "recover/run/plan.h"

namespace walduct::cli {

struct PlanFiles {
  std::string who;   // "-f shop.json -w worker.properties"
  std::string note;  // what is said of them behind the commands; empty: nothing
};

struct TypedPlan {
  std::string name;                         // of the connector
  std::string connector_file, worker_file;  // -f, -w; no -f: a process was asked
  std::string url;                          // of that
  TypedOverrides overrides = {};            // -o
};

// What came from a pipe nobody can read again: the file that it is to be
// put into is named.
PlanFiles FilesOfPlan(const TypedPlan& typed, const recover::PlanFacts& facts);

}  // namespace walduct::cli
