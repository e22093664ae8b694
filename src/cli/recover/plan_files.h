// With which files the commands of `recover plan` are typed.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "recover/run/plan.h"

namespace walduct::cli {

struct PlanFiles {
  std::string who;   // "-f shop.json -w worker.properties"
  std::string note;  // what is said of them behind the commands; empty: nothing
};

// name: of the connector. What came from a pipe nobody can read again: the file that it is to be
// put into is named.
PlanFiles FilesOfPlan(const Arguments& arguments, const recover::PlanFacts& facts,
                      const std::string& name);

}  // namespace walduct::cli
