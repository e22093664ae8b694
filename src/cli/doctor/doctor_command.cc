#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/percent.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/doctor/doctor_script.h"
#include "cli/doctor/doctor_text.h"
#include "cli/running_process.h"
#include "cli/usage/tones.h"
#include "engine/configuration/connector_names.h"
#include "engine/errors/error_policy.h"
#include "http/message.h"
#include "operate/commands/client_environment.h"

namespace walduct::cli {
namespace {

using operate::Examined;
using operate::Severity;

enum DoctorExit { kHealthy = 0, kWarnings = 1, kErrors = 2 };

std::string ScriptOf(const Examined& one, DoneCommands* done) {
  const operate::Findings& found = one.findings;
  return FixScript({.connector = one.connector,
                    .host = found.host,
                    .port = found.port,
                    .database = found.database},
                   found.all, done);
}

int Report(const Arguments& arguments, const std::vector<Examined>& all) {
  int worst = kHealthy;
  DoneCommands done;
  for (const Examined& one : all) {
    if (CountOf(one, Severity::kError) > 0) worst = kErrors;
    if (CountOf(one, Severity::kWarning) > 0) worst = std::max<int>(worst, kWarnings);
    if (arguments.fix)
      std::cout << ScriptOf(one, &done);
    else if (!arguments.json)
      std::cout << ExaminedText(one, HasColours(STDOUT_FILENO));
  }
  if (arguments.json) std::cout << ExaminedJson(all) << "\n";
  return worst;
}

// The process looks, with its own secrets, and knows what the connector fails of.
int AskProcess(const Arguments& arguments) {
  const absl::StatusOr<std::string> answer =
      AskSlowly(ServerOf(arguments),
                absl::StrCat("/connectors/", EncodePercent(arguments.connector), "/doctor"));
  if (!answer.ok()) return TellLastEnd(arguments, answer.status());
  const auto all = operate::ParseExamined(*answer);
  if (all) return Report(arguments, *all);
  return PrintStatus(absl::UnavailableError("the answer is not walduct's"));
}

}  // namespace

int Doctor(const Arguments& arguments) {
  if (arguments.connector_files.empty() != !arguments.connector.empty())
    return Refuse(
        "doctor: name the connector of a running process, or -f (and -w) of one that is to start");
  if (!arguments.connector.empty()) return AskProcess(arguments);
  // What the checks of a start log besides is in the findings.
  log::SetLevel(log::Level::kError);
  std::vector<Examined> all;
  const bool loaded = ForEachLane(arguments, [&](const engine::ConnectorOptions& options,
                                                 const std::vector<std::string>& warnings) {
    operate::IgnoreClientEnvironment(/*tell=*/false);  // once it is loaded
    all.push_back(
        operate::ExamineConnector(options, engine::NamesOf(options), Environment::Real()));
    operate::AddWarnings(warnings, &all.back().findings);
  });
  if (!loaded) return engine::kExitConfiguration;
  return Report(arguments, all);
}

}  // namespace walduct::cli
