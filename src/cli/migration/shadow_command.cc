#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/migration/shadow.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

// The shadow's own properties count, whatever -o says.
void Override(const std::pair<std::string, std::string>& property, Arguments* arguments) {
  const std::string begin = property.first + "=";
  std::vector<std::string>& overrides = arguments->overrides;
  overrides.erase(
      std::remove_if(overrides.begin(), overrides.end(),
                     [&](const std::string& one) { return absl::StartsWith(one, begin); }),
      overrides.end());
  overrides.push_back(begin + property.second);
}

bool MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  Refuse(absl::StrCat("--directory ", path, ": ", std::strerror(errno),
                      "; name one that can be created"));
  return false;
}

std::string ValueOf(const std::vector<std::pair<std::string, std::string>>& properties,
                    absl::string_view name) {
  for (const auto& [key, value] : properties) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

int RunShadow(Arguments arguments) {
  arguments.listen = arguments.shadow_listen;
  arguments.listen_typed = !arguments.listen.empty();
  std::vector<config::LoadReport> live;
  if (!LoadReports(arguments, &live)) return engine::kExitConfiguration;
  if (live.size() != 1) return Refuse("-f: a shadow is of one connector; start one for each");
  const bool own_snapshot =
      std::any_of(arguments.overrides.begin(), arguments.overrides.end(),
                  [](const std::string& one) { return absl::StartsWith(one, "snapshot.mode="); });
  const auto properties =
      ShadowProperties(live[0], {arguments.directory, arguments.topic_prefix, own_snapshot});
  if (!properties.ok()) return PrintStatus(properties.status());
  if (!MakeDirectory(arguments.directory)) return engine::kExitConfiguration;
  for (const auto& property : *properties) {
    std::cerr << "shadow: " << property.first << "=" << property.second << "\n";
    Override(property, &arguments);
  }
  const int code = RunConnectors(arguments);
  if (code == engine::kExitDataSafety) {
    std::cerr << "shadow: nothing of the live connector is lost; to begin anew remove "
              << PlainText(arguments.directory) << "/offsets.dat, SELECT pg_drop_replication_slot('"
              << PlainText(ValueOf(*properties, "slot.name"))
              << "') if it is there, and start this again\n";
  }
  return code;
}

}  // namespace walduct::cli
