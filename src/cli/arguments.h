// The command line: which command, with which flags. Parsed by CLI11; errors of usage are printed by it.
#pragma once

#include <string>
#include <vector>

namespace walduct::cli {

enum class Command {
  kNone,
  kRun,
  kTail,
  kValidate,
  kShowOffsets,
  kExportOffsets,
  kImportOffsets,
  kVersion
};

struct Arguments {
  Command command = Command::kNone;
  std::vector<std::string> connector_files;
  std::string worker_file;
  std::vector<std::string> overrides;  // key=value
  std::string until_lsn;
  bool until_caught_up = false;
  std::string log_level = "info";
  std::string log_format = "text";
  std::string offsets_file;      // of export and import; "-" is a standard stream
  bool print_reference = false;  // of validate: docs/configuration.md
  int usage_exit_code = 0;       // kNone: what to exit with
};

// kNone when there is nothing to do: help was asked for, or the usage was wrong.
Arguments ParseArguments(int argc, char** argv);

}  // namespace walduct::cli
