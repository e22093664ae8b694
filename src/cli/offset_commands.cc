#include "engine/commands/offset_commands.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"

namespace walduct::cli {
int ShowOffsets(const Arguments& arguments) {
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  const absl::StatusOr<std::string> body =
      engine::ReadOffsets(results.front().options, Environment::Real());
  if (!body.ok()) return PrintStatus(body.status());
  if (arguments.offsets_file.empty() || arguments.offsets_file == "-") {
    std::cout << *body << "\n";
    return engine::kExitClean;
  }
  std::ofstream file(arguments.offsets_file);
  file << *body << "\n";
  file.close();
  if (!file) return Refuse("cannot write " + arguments.offsets_file);
  return engine::kExitClean;
}

int ImportOffsets(const Arguments& arguments) {
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  std::ifstream file;
  if (arguments.offsets_file != "-") {
    file.open(arguments.offsets_file);
    if (!file) return Refuse("cannot read " + arguments.offsets_file);
  }
  std::istream& input = arguments.offsets_file == "-" ? std::cin : file;
  const std::string body{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  return PrintStatus(engine::WriteOffsets(results.front().options, body, Environment::Real()));
}

}  // namespace walduct::cli
