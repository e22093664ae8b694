// PlanFactsJson, ParsePlanFacts: plan.h.
#include <rapidjson/document.h>

#include <limits>

#include "base/json.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "names/called.h"
#include "recover/run/plan.h"
#include "recover/wal_name.h"

namespace walduct::recover {
namespace {

Lsn LsnIn(const rapidjson::Value& facts, const char* name) {
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(json::TextIn(facts, name));
  return lsn.ok() ? *lsn : Lsn();
}

std::optional<uint64_t> WholeIn(const rapidjson::Value& facts, const char* name) {
  const rapidjson::Value* const found = json::FindSet(facts, name);
  if (found == nullptr || !found->IsUint64()) return std::nullopt;
  return found->GetUint64();
}

// Of a version or a timeline.
std::optional<uint32_t> NumberIn(const rapidjson::Value& facts, const char* name) {
  const std::optional<uint64_t> found = WholeIn(facts, name);
  if (!found || *found > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(*found);
}

}  // namespace

absl::StatusOr<std::string> PlanFactsJson(const engine::ConnectorOptions& connector,
                                          const Environment& environment,
                                          const std::set<std::string>& slots_of_others) {
  ASSIGN_OR_RETURN(const PlanFacts facts, ReadPlanFacts(connector, environment, slots_of_others));
  JsonWriter json;
  json.Object().Key("slot_name").Text(facts.slot_name);
  json.Key("position").Text(facts.position.ToString());
  if (facts.stored_at) json.Key("stored_at_ms").Signed(absl::ToUnixMillis(*facts.stored_at));
  json.Key("slot_trouble").Text(facts.slot_trouble).Key("slot").Text(facts.slot.ToString());
  json.Key("wal_end").Text(facts.wal_end.ToString()).Key("version").Signed(facts.version);
  json.Key("timeline").Whole(facts.timeline);
  if (facts.stored_timeline) json.Key("stored_timeline").Whole(*facts.stored_timeline);
  json.Key("segment_bytes").Whole(facts.segment_bytes).Key("archives").Flag(facts.archives);
  if (facts.cluster_bytes) json.Key("cluster_bytes").Whole(*facts.cluster_bytes);
  json.Key("archive_command").Text(facts.archive_command);
  json.Key("last_archived").Text(facts.last_archived);
  const names::Called called = engine::CalledOf(connector);
  const bool by_files = called.who.starts_with("-f ");
  if (by_files) json.Key("files").Text(called.who);
  json.Key("from_input").Flag(!by_files && called.where.empty() && called.worker_file.empty());
  json.Key("worker_file").Text(called.worker_file);
  return json.Key("last_failed").Text(facts.last_failed).EndObject().text();
}

std::optional<PlanFacts> ParsePlanFacts(absl::string_view text) {
  const rapidjson::Document body = json::Parse(text);
  PlanFacts facts;
  facts.slot_name = json::TextIn(body, "slot_name");
  facts.position = LsnIn(body, "position");
  if (const rapidjson::Value* const at = json::FindSet(body, "stored_at_ms");
      at != nullptr && at->IsInt64())
    facts.stored_at = absl::FromUnixMillis(at->GetInt64());
  facts.slot_trouble = json::TextIn(body, "slot_trouble");
  facts.slot = LsnIn(body, "slot");
  facts.wal_end = LsnIn(body, "wal_end");
  const std::optional<uint32_t> version = NumberIn(body, "version");
  const std::optional<uint32_t> timeline = NumberIn(body, "timeline");
  const std::optional<uint64_t> bytes = WholeIn(body, "segment_bytes");
  if (facts.slot_name.empty() || !facts.position.valid() || !version || !timeline || !bytes ||
      !IsSegmentSize(*bytes))
    return std::nullopt;
  facts.version = static_cast<int>(*version);
  facts.timeline = *timeline;
  facts.segment_bytes = *bytes;
  facts.stored_timeline = NumberIn(body, "stored_timeline");
  const rapidjson::Value* const archives = json::Find(body, "archives");
  facts.archives = archives != nullptr && archives->IsTrue();
  facts.cluster_bytes = WholeIn(body, "cluster_bytes");
  facts.archive_command = json::TextIn(body, "archive_command");
  facts.last_archived = json::TextIn(body, "last_archived");
  facts.last_failed = json::TextIn(body, "last_failed");
  facts.files = json::TextIn(body, "files");
  facts.worker_file = json::TextIn(body, "worker_file");
  const rapidjson::Value* const from_input = json::Find(body, "from_input");
  facts.from_input = from_input != nullptr && from_input->IsTrue();
  return facts;
}

}  // namespace walduct::recover
