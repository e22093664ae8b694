#include "serve/topics/offsets.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/status_macros.h"

namespace walduct::serve {
namespace {

using json::Print;

// The partition of a key ["<connector>",{…}]; empty: the key of another, or none of these.
std::string PartitionOf(absl::string_view key, absl::string_view connector) {
  const rapidjson::Document document = json::Parse(key);
  if (document.HasParseError() || !document.IsArray() || document.Size() != 2) return "";
  const bool own = json::IsText(document[0], connector) && document[1].IsObject();
  return own ? Print(document[1]) : "";
}

// Without what is walduct's own; empty: no JSON object.
std::string ShownOffset(absl::string_view value) {
  rapidjson::Document document = json::Parse(value);
  if (document.HasParseError() || !document.IsObject()) return "";
  std::vector<std::string> own;
  for (const auto& member : std::as_const(document).GetObject()) {
    const absl::string_view name = json::TextOf(member.name);
    if (absl::StartsWith(name, "walduct_")) own.emplace_back(name);
  }
  for (const std::string& name : own) document.RemoveMember(name.c_str());
  return Print(document);
}

std::string KeyOf(const std::string& connector, const rapidjson::Value& partition) {
  std::string key = "[";
  AppendJsonString(connector, &key);
  absl::StrAppend(&key, ",", Print(partition), "]");
  return key;
}

// "": a primitive type. A whole number beyond 64 bits is read as a fraction, and none that is so
// large means a position.
absl::string_view CompositeType(const rapidjson::Value& value) {
  if (value.IsObject()) return "MAP";
  if (value.IsArray()) return "ARRAY";
  constexpr double kBeyond = 9223372036854775808.0;
  const bool large = value.IsNumber() && !value.IsInt64() &&
                     (value.GetDouble() >= kBeyond || value.GetDouble() <= -kBeyond);
  return large ? "class java.math.BigInteger" : "";
}

absl::Status CheckPrimitive(const rapidjson::Value& map) {
  for (const auto& member : map.GetObject()) {
    const absl::string_view type = CompositeType(member.value);
    if (type.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Offsets may only contain primitive types as values, but field ",
                     member.name.GetString(), " contains ", type));
  }
  return absl::OkStatus();
}

bool HasOtherMembers(const rapidjson::Value& object,
                     std::initializer_list<absl::string_view> known) {
  for (const auto& member : object.GetObject()) {
    const absl::string_view name = json::TextOf(member.name);
    if (std::find(known.begin(), known.end(), name) == known.end()) return true;
  }
  return false;
}

absl::Status AddChange(const std::string& connector, const rapidjson::Value& one,
                       std::vector<TopicEntry>* entries) {
  constexpr absl::string_view kForm =
      "An offset has the form {\"partition\":{…},\"offset\":{…}}, or null as offset";
  if (!one.IsObject() || HasOtherMembers(one, {"partition", "offset"}))
    return absl::InvalidArgumentError(kForm);
  const auto partition = one.FindMember("partition");
  const auto offset = one.FindMember("offset");
  // Of no partition: there is nothing that could be changed.
  if (partition == one.MemberEnd() || partition->value.IsNull()) return absl::OkStatus();
  if (!partition->value.IsObject()) return absl::InvalidArgumentError(kForm);
  RETURN_IF_ERROR(CheckPrimitive(partition->value));
  TopicEntry entry{.key = KeyOf(connector, partition->value), .value = {}};
  if (offset != one.MemberEnd() && !offset->value.IsNull()) {
    if (!offset->value.IsObject()) return absl::InvalidArgumentError(kForm);
    RETURN_IF_ERROR(CheckPrimitive(offset->value));
    entry.value = Print(offset->value);
  }
  entries->push_back(std::move(entry));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<PartitionOffset>> Offsets::Read(const std::string& connector) {
  std::map<std::string, std::string> found;
  RETURN_IF_ERROR(topics_.Read(InternalTopic::kOffsets,
                               [&](absl::string_view key, std::optional<absl::string_view> value) {
                                 const std::string partition = PartitionOf(key, connector);
                                 if (!partition.empty())
                                   found[partition] = value ? ShownOffset(*value) : "";
                               }));
  std::vector<PartitionOffset> offsets;
  for (auto& [partition, offset] : found) {
    if (!offset.empty()) offsets.emplace_back(partition, std::move(offset));
  }
  return offsets;
}

absl::StatusOr<std::vector<TopicEntry>> Offsets::ParseChange(const std::string& connector,
                                                             absl::string_view json) {
  const rapidjson::Document document = json::Parse(json);
  if (document.HasParseError() || !document.IsObject() || HasOtherMembers(document, {"offsets"})) {
    return absl::InvalidArgumentError(
        "The request body must be a JSON object "
        "{\"offsets\":[{\"partition\":{…},\"offset\":{…}}]}");
  }
  const auto offsets = std::as_const(document).FindMember("offsets");
  const bool given = offsets != std::as_const(document).MemberEnd() && !offsets->value.IsNull();
  if (given && !offsets->value.IsArray())
    return absl::InvalidArgumentError("'offsets' must be a list");
  if (!given || offsets->value.Empty()) {
    return absl::InvalidArgumentError(
        "Partitions / offsets need to be provided for an alter offsets request");
  }
  std::vector<TopicEntry> entries;
  for (const rapidjson::Value& one : offsets->value.GetArray())
    RETURN_IF_ERROR(AddChange(connector, one, &entries));
  return entries;
}

absl::Status Offsets::Write(const std::vector<TopicEntry>& entries) {
  return entries.empty() ? absl::OkStatus() : topics_.Write(InternalTopic::kOffsets, entries);
}

absl::Status Offsets::Reset(const std::string& connector, const std::string& server) {
  std::map<std::string, bool> keys;
  RETURN_IF_ERROR(topics_.Read(InternalTopic::kOffsets,
                               [&](absl::string_view key, std::optional<absl::string_view> value) {
                                 if (!PartitionOf(key, connector).empty())
                                   keys[std::string(key)] = value.has_value();
                               }));
  // The first slot's says how many there are: it is forgotten once the others are, so that a start
  // knows what an interruption has left.
  std::vector<TopicEntry> first, others;
  for (const auto& [key, present] : keys) {
    const bool further = absl::StrContains(key, "\"walduct_slot\":");
    if (present) (further ? others : first).push_back({.key = key, .value = {}});
  }
  if (keys.empty() && !server.empty()) {
    rapidjson::Document partition(rapidjson::kObjectType);
    partition.AddMember("server", rapidjson::StringRef(server.c_str()), partition.GetAllocator());
    first.push_back({.key = KeyOf(connector, partition), .value = {}});
  }
  RETURN_IF_ERROR(Write(others));
  return Write(first);
}

}  // namespace walduct::serve
