#include "engine/commands/offset_commands.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

int PrintReport(const std::string& connector, const absl::StatusOr<std::string>& report) {
  if (!report.ok()) return PrintStatus(report.status());
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(*report, "\n"), '\n'))
    std::cout << connector << ": " << line << "\n";
  return engine::kExitClean;
}

}  // namespace

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
  return PrintReport(results.front().options.name,
                     engine::WriteOffsets(results.front().options, body, Environment::Real()));
}

int MoveOffsets(const Arguments& arguments) {
  engine::OffsetMove move{.to = std::nullopt, .accept_loss = arguments.accept_loss};
  if (arguments.command == Command::kSetOffsets) {
    const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.lsn);
    if (!lsn.ok() || !lsn->valid())
      return Refuse(absl::StrCat("offsets set: '", arguments.lsn,
                                 "' is no LSN; write it as PostgreSQL does: 0/16B3748"));
    move.to = *lsn;
  }
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  if (results.size() > 1) return Refuse("one connector at a time: give -f once");
  return PrintReport(results.front().options.name,
                     engine::MoveOffset(results.front().options, move, Environment::Real()));
}

}  // namespace walduct::cli
