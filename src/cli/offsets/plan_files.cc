#include "cli/offsets/plan_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/shell_word.h"
#include "http/client.h"
#include "names/called.h"

namespace walduct::cli {
namespace {

// Of the worker's file; empty: it is a file.
std::string NoteOfWorker(const std::string& worker) {
  if (worker.empty() || !IsReadOnce(worker)) return "";
  return absl::StrCat(
      "\nThe worker's properties were read from standard input, or another pipe: ", kPipedWorker,
      " in the commands above is to be a file that has them, which only its owner "
      "may read (umask 077), as it may have a password.\n");
}

// others: what else it was given there, to be typed as well.
PlanFiles ToBeWritten(const std::string& name, const std::string& worker,
                      absl::string_view others) {
  const std::string file = ShellWord(name + ".from-input.json");
  return {
      .who = absl::StrCat("-f ", file, WorkerWords(worker)),
      .note = absl::StrCat(
          "\nThe configuration was read from standard input, or another pipe, and no file is known "
          "that has it: before the commands above write it to ",
          file, ", which only its owner may read (umask 077), as it may have a password", others,
          "; and stop the process that runs the connector.\n")};
}

// Empty: all values are there.
std::string NoteOfHidden(const TypedOverrides& overrides) {
  if (overrides.hidden.empty()) return "";
  return absl::StrCat(
      "\n<VALUE> in the commands above stands for what was typed and is not shown, of ",
      absl::StrJoin(overrides.hidden, ", "), ".\n");
}

PlanFiles OfServed(const TypedPlan& typed, const recover::PlanFacts& facts) {
  const names::Called served{.who = ShellWord(typed.name),
                             .where = http::WithoutLogin(typed.url),
                             .name = typed.name,
                             .worker_file = facts.worker_file};
  names::ServedFiles made = names::FilesOfServed(served);
  const absl::string_view worker =
      facts.worker_file.empty() ? "worker.properties is the file of the worker.\n" : "";
  return {.who = std::move(made.who),
          .note = absl::StrCat("\nBefore the commands above, as a worker runs it:\n  ", made.make,
                               "\n  ", names::Command(served, "stop"), "\nAnd after them:\n  ",
                               names::Command(served, "resume"), "\n", worker)};
}

}  // namespace

PlanFiles FilesOfPlan(const TypedPlan& typed, const recover::PlanFacts& facts) {
  const std::string& file = typed.connector_file;
  if (!file.empty()) {
    PlanFiles files = {.who = absl::StrCat("-f ", ShellWord(file), WorkerWords(typed.worker_file)),
                       .note = ""};
    if (IsReadOnce(file)) files = ToBeWritten(typed.name, typed.worker_file, "");
    files.who += typed.overrides.text;
    absl::StrAppend(&files.note, NoteOfWorker(typed.worker_file), NoteOfHidden(typed.overrides));
    return files;
  }
  if (!facts.files.empty()) {
    return {.who = facts.files,
            .note =
                "\nThe files are those that the process was started with, where it was; it has "
                "to be stopped before the commands above. What it has behind -o that is not to be "
                "shown, such as a password, is to be given, too.\n"};
  }
  if (facts.from_input)
    return ToBeWritten(typed.name, "", "; give the commands the -w and -o of the process, too");
  return OfServed(typed, facts);
}

}  // namespace walduct::cli
