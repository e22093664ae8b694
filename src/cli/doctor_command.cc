#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "admin/json.h"
#include "base/environment.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/doctor_script.h"
#include "engine/commands/client_environment.h"
#include "engine/configuration/connector_options.h"
#include "engine/doctor/doctor.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

using engine::Finding;
using engine::Severity;

enum DoctorExit { kHealthy = 0, kWarnings = 1, kErrors = 2 };

struct Examined {
  std::string connector;
  engine::Findings findings;
};

engine::Subject SubjectOf(const engine::ConnectorOptions& options) {
  return {.whole = options,
          .name = options.name,
          .identity = engine::OffsetIdentityOf(options),
          .database = *options.database,
          .replication = *options.replication,
          .tables = *options.tables,
          .snapshot = *options.snapshot,
          .encode = *options.encode,
          .kafka = *options.kafka,
          .sink = *options.sink,
          .offset = *options.offset,
          .registries = *options.registries,
          .message_keys = engine::MessageKeysOf(options),
          .columns = engine::ColumnsOf(options),
          .incremental = *options.incremental,
          .heartbeat = *options.heartbeat};
}

std::string ScriptOf(const Examined& one) {
  const engine::Findings& found = one.findings;
  return FixScript({.connector = one.connector,
                    .host = found.host,
                    .port = found.port,
                    .database = found.database},
                   found.all);
}

size_t Count(const Examined& one, Severity severity) {
  return static_cast<size_t>(
      std::count_if(one.findings.all.begin(), one.findings.all.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

void Print(const Examined& one) {
  std::cout << one.connector << "\n";
  for (const Finding& finding : one.findings.all) {
    std::cout << "\n  " << SeverityText(finding.severity) << "  " << finding.reason << "\n    "
              << finding.message << "\n";
    if (!finding.hint.empty()) std::cout << "    -> " << finding.hint << "\n";
  }
  std::cout << (one.findings.all.empty() ? "" : "\n") << "  " << Count(one, Severity::kError)
            << " errors, " << Count(one, Severity::kWarning) << " warnings, "
            << Count(one, Severity::kNotice)
            << " notices; asked: " << absl::StrJoin(one.findings.asked, ", ") << "\n";
}

std::string JsonOf(const std::vector<Examined>& all) {
  admin::Json json;
  json.Object().Key("connectors").Array();
  for (const Examined& one : all) {
    json.Object().Key("name").Text(one.connector);
    json.Key("errors").Whole(Count(one, Severity::kError));
    json.Key("warnings").Whole(Count(one, Severity::kWarning));
    json.Key("asked").Array();
    for (const std::string& asked : one.findings.asked) json.Text(asked);
    json.EndArray().Key("findings").Array();
    for (const Finding& finding : one.findings.all) {
      json.Object().Key("severity").Text(SeverityText(finding.severity));
      json.Key("reason").Text(finding.reason).Key("message").Text(finding.message);
      json.Key("hint").Text(finding.hint).EndObject();
    }
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace

int Doctor(const Arguments& arguments) {
  // What the checks of a start log besides is in the findings.
  log::SetLevel(log::Level::kError);
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  engine::IgnoreClientEnvironment();
  std::vector<Examined> all;
  int worst = kHealthy;
  for (const engine::ConnectorOptions& options : AllLanes(results)) {
    all.push_back({options.name, Examine(SubjectOf(options), Environment::Real())});
    if (Count(all.back(), Severity::kError) > 0) worst = kErrors;
    if (Count(all.back(), Severity::kWarning) > 0) worst = std::max<int>(worst, kWarnings);
    if (arguments.fix)
      std::cout << ScriptOf(all.back());
    else if (!arguments.json)
      Print(all.back());
  }
  if (arguments.json) std::cout << JsonOf(all) << "\n";
  return worst;
}

}  // namespace walduct::cli
