#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/environment.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/configuration/connector_names.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"
#include "recover/run/plan.h"
#include "slot/world/server_world.h"
#include "slot/world/tail.h"

namespace walduct::cli {

int RecoverPlan(const Arguments& arguments) {
  loader::LoadResult loaded;
  if (!LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
  if (const absl::Status able = slot::CheckHasGap(loaded.options); !able.ok())
    return PrintStatus(able);
  const engine::ConnectorNames names = engine::NamesOf(loaded.options);
  slot::ServerWorld world(Environment::Real());
  const absl::StatusOr<recover::PlanFacts> facts =
      recover::ReadPlanFacts(world, loaded.options, names.slot, arguments.archive);
  if (!facts.ok()) return PrintStatus(facts.status());
  std::string files = absl::StrCat("-f ", arguments.connector_files.front());
  if (!arguments.worker_file.empty()) absl::StrAppend(&files, " -w ", arguments.worker_file);
  const recover::Plan plan = recover::MakePlan(*facts, {.slot = names.slot, .files = files});
  std::cout << plan.text << std::flush;
  return plan.verdict == recover::Plan::Verdict::kImpossible ? engine::kExitPrerequisite
                                                             : engine::kExitClean;
}

}  // namespace walduct::cli
