// How the commands in hints call the connectors of this process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/load_report.h"
#include "names/called.h"

namespace walduct::cli {

// Standard input, or another pipe: a command that names it finds nothing there.
bool IsReadOnce(const std::string& file);
// What these files, the worker's and the connectors', gave that give it only once, by their paths:
// whoever asks again in this process finds it, too.
std::map<std::string, std::string> TextsReadOnce(const std::string& worker,
                                                 const std::vector<std::string>& connectors);
// In the place of a worker's file that came so.
inline constexpr absl::string_view kPipedWorker = "WORKER.PROPERTIES";
// " -w worker.properties" as it is typed again; empty: there is no file.
std::string WorkerWords(const std::string& worker);

// By the files that it was read from, as they were typed, with -o as it may be shown; of the unit
// walduct@NAME, whose copies go with the process, by those in /etc/walduct.
struct TypedFiles {
  std::string connector, worker;       // worker may be empty
  std::vector<std::string> overrides;  // key=value
};
// Empty: nobody can read them again (IsReadOnce).
names::Called CalledByFiles(const TypedFiles& typed, const config::LoadReport& report);
// What was typed behind -o, to be typed again as it was. A value that is not to be shown is
// <VALUE>, which no start takes for a database's.
struct TypedOverrides {
  std::string text;                 // " -o slot.name=other"
  std::vector<std::string> hidden;  // names of such values
};
TypedOverrides OverridesAgain(const std::vector<std::string>& overrides,
                              const config::LoadReport& report);
// The command that looks before a start, typed in any folder. Empty: no file has it.
std::string DoctorByFiles(const TypedFiles& typed, const config::LoadReport& report);

// Of the worker that was started with that file: its path, as it is typed in any folder; of the
// unit, whose copy goes with the process, that in /etc/walduct. Empty: nobody can read it again.
std::string KeptWorkerFile(const std::string& typed);

}  // namespace walduct::cli
