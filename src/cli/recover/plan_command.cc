#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/documents.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/running_process.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"
#include "names/called.h"
#include "recover/run/plan.h"

namespace walduct::cli {
namespace {

// The process reads the position and the primary, with its own secrets.
absl::StatusOr<recover::PlanFacts> AskProcess(const Arguments& arguments) {
  ASSIGN_OR_RETURN(
      const std::string answer,
      AskSlowly(ServerOf(arguments),
                absl::StrCat("/connectors/", EncodePercent(arguments.connector), "/recovery")));
  if (auto facts = recover::ParsePlanFacts(answer)) return *std::move(facts);
  return absl::UnavailableError("the answer is not walduct's");
}

std::string FilesOf(const Arguments& arguments) {
  if (arguments.connector_files.empty())
    return absl::StrCat("-f ", names::ShellWord(arguments.connector + ".json"),
                        " -w worker.properties");
  std::string files = absl::StrCat("-f ", arguments.connector_files.front());
  if (!arguments.worker_file.empty()) absl::StrAppend(&files, " -w ", arguments.worker_file);
  return files;
}

}  // namespace

int RecoverPlan(const Arguments& arguments) {
  if (arguments.connector_files.empty() != !arguments.connector.empty())
    return Refuse(
        "recover plan: name the connector of a running process, or -f (and -w) of its files");
  log::SetLevel(log::Level::kError);
  absl::StatusOr<recover::PlanFacts> facts;
  if (arguments.connector.empty()) {
    loader::LoadResult loaded;
    if (!LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
    facts = recover::ReadPlanFacts(loaded.options, Environment::Real());
  } else {
    facts = AskProcess(arguments);
  }
  if (!facts.ok()) return PrintStatus(facts.status());
  const absl::Status looked = recover::LookIntoArchive(
      {.folder = arguments.archive, .command = arguments.archive_command}, &*facts);
  if (!looked.ok()) return PrintStatus(looked);
  const recover::Plan plan = recover::MakePlan(*facts, FilesOf(arguments));
  std::cout << WithDocuments(plan.text);
  if (!arguments.connector.empty() && plan.verdict != recover::Plan::Verdict::kNoGap)
    std::cout << "\n"
              << names::ShellWord(arguments.connector + ".json")
              << " and worker.properties are the configuration and the worker's file that the "
                 "process has; the commands above are typed with those.\n";
  std::cout << std::flush;
  return plan.verdict == recover::Plan::Verdict::kImpossible ? engine::kExitPrerequisite
                                                             : engine::kExitClean;
}

}  // namespace walduct::cli
