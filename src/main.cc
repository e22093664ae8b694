#include <iostream>

#include "absl/status/status.h"
#include "admin/reasons/reasons.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "engine/errors/error_policy.h"
#include "engine/errors/named_hint.h"
#include "operate/commands/version.h"

namespace {

// What runs no connector of its own.
int DoBeside(const walduct::cli::Arguments& arguments) {
  using walduct::cli::Command;
  switch (arguments.command) {
    case Command::kRecoverGate:
      return walduct::cli::RecoverGate(arguments.gate);
    case Command::kRecoverDrill:
      return walduct::cli::RecoverDrill(arguments.drill);
    case Command::kOutboxInit:
      return walduct::cli::PrintOutbox(arguments);
    case Command::kOutboxClean:
      return walduct::cli::CleanOutbox(arguments);
    case Command::kOutboxRows:
      return walduct::cli::AskOutboxRows(arguments);
    case Command::kOutboxDrill:
      return walduct::cli::RunOutboxDrill(arguments);
    default:
      return walduct::cli::RecoverPlan(arguments);
  }
}

absl::Status Prepare() {
  walduct::engine::UseRemedies(&walduct::admin::RemedyOf);
  walduct::RaiseDescriptorLimit();
  return walduct::CheckDescriptors();
}

int Refuse(const absl::Status& status) {
  std::cerr << "walduct: " << status.message() << " (" << walduct::ErrorReason(status) << ")\n  -> "
            << walduct::ErrorHint(status) << "\n";
  return walduct::engine::ExitCodeFor(status);
}

}  // namespace

int main(int argc, char** argv) {
  using walduct::cli::Command;
  if (const absl::Status left = Prepare(); !left.ok()) return Refuse(left);
  const walduct::cli::Arguments arguments = walduct::cli::ParseArguments(argc, argv);
  switch (arguments.command) {
    case Command::kNone:
      return arguments.usage_exit_code;
    case Command::kRun:
    case Command::kRecoverRun:
    case Command::kRecoverRead:
    case Command::kTail:
      return walduct::cli::RunConnectors(arguments);
    case Command::kRecord:
      return walduct::cli::RecordCorpus(arguments);
    case Command::kRecoverPlan:
    case Command::kRecoverGate:
    case Command::kRecoverDrill:
    case Command::kOutboxInit:
    case Command::kOutboxClean:
    case Command::kOutboxRows:
    case Command::kOutboxDrill:
      return DoBeside(arguments);
    case Command::kReplay:
      return walduct::cli::RunReplay(arguments);
    case Command::kShadow:
      return walduct::cli::RunShadow(arguments);
    case Command::kDiff:
      return walduct::cli::Diff(arguments);
    case Command::kServe:
      return walduct::cli::Serve(arguments);
    case Command::kDoctor:
      return walduct::cli::Doctor(arguments);
    case Command::kValidate:
      return walduct::cli::Validate(arguments);
    case Command::kShowOffsets:
      return walduct::cli::ShowOffsets(arguments);
    case Command::kExportOffsets:
      return walduct::cli::ExportOffsets(arguments);
    case Command::kImportOffsets:
      return walduct::cli::ImportOffsets(arguments);
    case Command::kSetOffsets:
    case Command::kResetOffsets:
      return walduct::cli::MoveOffsets(arguments);
    case Command::kSignal:
      return walduct::cli::SendSignal(arguments);
    case Command::kStatus:
      return walduct::cli::ShowStatus(arguments);
    case Command::kPause:
    case Command::kResume:
    case Command::kStop:
    case Command::kRestart:
      return walduct::cli::PullLever(arguments);
    case Command::kSkip:
      return walduct::cli::SkipChange(arguments);
    case Command::kExplain:
      return walduct::cli::Explain(arguments);
    case Command::kHelp:
      return walduct::cli::ShowHelp(arguments);
    case Command::kComplete:
      return walduct::cli::PrintCompletions(arguments);
    case Command::kCompletion:
      return walduct::cli::PrintCompletionScript(arguments);
    case Command::kDemo:
      return walduct::cli::RunDemo(arguments);
    case Command::kVersion:
      std::cout << walduct::operate::VersionText();
      return 0;
  }
  return 1;
}
