#include "cli/status/status_exit.h"

#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "base/plain_text.h"
#include "cli/status/group_lines.h"
#include "cli/status/status_values.h"

namespace walduct::cli {

using json::Find;
using Value = rapidjson::Value;

namespace {

// Of a process of before /status told `health`: as /readyz judges it, and what is not captured.
bool LooksTroubled(const Value& connector) {
  if (Find(connector, "stall") != nullptr || !CaptureWarnings(connector).empty()) return true;
  if (Text(connector, "state") != "RUNNING") return false;
  const std::string activity = Text(connector, "activity");
  return !activity.empty() && activity != "streaming" && activity != "snapshotting";
}

StatusExit ExitOf(const Value& connector) {
  const Value* const slot = Find(connector, "slot");
  const bool soon = slot != nullptr && IsSoonLost(*slot);
  if (const std::string health = Text(connector, "health"); !health.empty()) {
    if (health == "failed") return kStatusFailed;
    return health == "troubled" || soon ? kStatusTroubled : kStatusFine;
  }
  const bool lost = slot != nullptr && Find(*slot, "problem") != nullptr;
  if (lost || Text(connector, "state") == "FAILED") return kStatusFailed;
  return LooksTroubled(connector) || soon ? kStatusTroubled : kStatusFine;
}

// What the worker waits for, which is more than what its connectors do.
StatusExit ExitOfWorker(const Value& document) {
  const Value* const worker = Find(document, "worker");
  const std::string waits = worker == nullptr ? "" : Text(*worker, "waiting_for");
  if (waits.empty()) return kStatusFine;
  return waits == "seat" ? kStatusStandsBy : kStatusWorkerWaits;
}

}  // namespace

StatusExit StatusExitOf(absl::string_view json, absl::string_view connector) {
  const rapidjson::Document document = json::Parse(json);
  if (document.HasParseError()) return kStatusFine;
  StatusExit worst = ExitOfWorker(document);
  const bool nobodys = connector.empty()
                           ? HasUnassigned(document)
                           : PlaceIn(document, std::string(connector)) == Place::kNobodys;
  if (worst == kStatusFine && nobodys) worst = kStatusTroubled;
  std::vector<const Value*> shown;
  for (const char* which : {"connectors", "resting"}) {
    const Value* const all = Connectors(document, which);
    if (all == nullptr) continue;
    for (const Value& one : all->GetArray()) shown.push_back(&one);
  }
  for (const Value* const at : shown) {
    const Value& one = *at;
    if (!connector.empty() && Text(one, "name") != PlainText(connector)) continue;
    const StatusExit exit = ExitOf(one);
    if (exit == kStatusFailed) return exit;
    if (worst == kStatusFine) worst = exit;
  }
  return worst;
}

}  // namespace walduct::cli
