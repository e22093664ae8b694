#include "incremental/state.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "incremental/own_member.h"
#include "incremental/stored/java_stream.h"
#include "rapidjson/document.h"

namespace walduct::incremental {
namespace {

constexpr absl::string_view kPrefix = "incremental_snapshot_";
constexpr char kBlocking[] = "walduct_blocking_snapshots";
constexpr char kId[] = "incremental_snapshot_collections_id";
constexpr char kCondition[] = "incremental_snapshot_collections_additional_condition";
constexpr char kSurrogate[] = "incremental_snapshot_collections_surrogate_key";

std::string Json(absl::string_view text) {
  std::string json;
  AppendJsonString(text, &json);
  return json;
}

std::string JsonOrNull(const std::optional<std::string>& text) {
  return text ? Json(*text) : "null";
}

// As it stands in the text of a member.
const std::string& StoredText(const TableRequest& one) {
  if (one.stored.empty()) {
    AppendJsonEscaped(absl::StrCat("{", Json(kId), ":", Json(one.table.Text()), ",",
                                   Json(kCondition), ":", JsonOrNull(one.condition), ",",
                                   Json(kSurrogate), ":", JsonOrNull(one.surrogate_key), "}"),
                      &one.stored);
  }
  return one.stored;
}

// The member.
std::string Collections(const SnapshotState& state) {
  std::string list = "\"[";
  for (const TableRequest& one : state.queue) {
    if (&one != &state.queue.front()) list += ',';
    list += StoredText(one);
  }
  return list + "]\"";
}

// The text in a member; absent: there is none, or null.
absl::StatusOr<std::optional<std::string>> TextOf(const OffsetMembers& members,
                                                  absl::string_view name) {
  const auto member = members.find(std::string(name));
  if (member == members.end()) return std::optional<std::string>();
  const rapidjson::Document json = json::Parse(member->second);
  if (json.HasParseError()) return Malformed(absl::StrCat(member->first, " is not JSON"));
  if (json.IsNull()) return std::optional<std::string>();
  if (!json.IsString()) return Malformed(absl::StrCat(member->first, " is not a string"));
  return std::optional(std::string(json::TextOf(json)));
}

std::optional<std::string> Optional(const rapidjson::Value& object, const char* name) {
  const rapidjson::Value* const found = json::FindString(object, name);
  return found == nullptr ? std::nullopt : std::optional(std::string(json::TextOf(*found)));
}

// Stored is `schema.table` without quotes, or what a signal named without a schema.
std::optional<TableId> StoredTable(const std::string& text) {
  const size_t dot = text.find('.');
  if (text.empty() || dot == 0 || dot + 1 == text.size()) return std::nullopt;
  if (dot == std::string::npos) return TableId{"", text};
  return TableId{text.substr(0, dot), text.substr(dot + 1)};
}

absl::Status ReadQueue(const std::string& text, SnapshotState* state) {
  const rapidjson::Document json = json::Parse(text);
  if (json.HasParseError() || !json.IsArray())
    return Malformed("the tables of an incremental snapshot are not a list");
  for (const rapidjson::Value& item : json.GetArray()) {
    const std::optional<std::string> id = Optional(item, kId);
    const std::optional<TableId> table = id ? StoredTable(*id) : std::nullopt;
    if (!table) return Malformed("a table of an incremental snapshot has no name");
    state->queue.push_back({*table, Optional(item, kCondition), Optional(item, kSurrogate)});
  }
  return absl::OkStatus();
}

std::string EncodedKey(const SnapshotState& state, const std::optional<Key>& key,
                       const std::string& stored) {
  if (state.by_place) return EncodeKey(std::nullopt, {});
  const bool as_stored = key && state.key_types.empty() && !stored.empty();
  return as_stored ? stored : EncodeKey(key, state.key_types);
}

std::string BlockingText(const SnapshotState& state) {
  std::string list = "[";
  for (const RawSignal& one : state.blocking) {
    absl::StrAppend(&list, list.size() > 1 ? "," : "", "{\"id\":", Json(one.id),
                    ",\"data\":", JsonOrNull(one.data), "}");
  }
  return list + "]";
}

absl::Status ReadBlocking(const OffsetMembers& members, SnapshotState* state) {
  ASSIGN_OR_RETURN(const auto text, TextOf(members, kBlocking));
  if (!text) return absl::OkStatus();
  const rapidjson::Document json = json::Parse(*text);
  if (json.HasParseError() || !json.IsArray())
    return Malformed(absl::StrCat(kBlocking, " is not a list"));
  for (const rapidjson::Value& item : json.GetArray()) {
    if (!item.IsObject()) return Malformed(absl::StrCat(kBlocking, " holds no signal"));
    state->blocking.push_back({.id = Optional(item, "id").value_or(""),
                               .type = "execute-snapshot",
                               .data = Optional(item, "data")});
  }
  return absl::OkStatus();
}

}  // namespace

bool IsIncrementalMember(absl::string_view name) {
  return absl::StartsWith(name, kPrefix) || name == kOwnMember;
}
bool IsBlockingMember(absl::string_view name) { return name == kBlocking; }

OffsetMembers MembersThatGoOn(const OffsetMembers& stored, bool resumes) {
  OffsetMembers members;
  for (const auto& [name, json] : stored) {
    if ((resumes && IsIncrementalMember(name)) || IsBlockingMember(name))
      members.emplace(name, json);
  }
  return members;
}

void SnapshotState::ForgetKeys() {
  maximum.reset();
  emitted.reset();
  key_types.clear();
  stored_maximum.clear();
  stored_emitted.clear();
  by_place = false;
  storage.clear();
  rows = 0;
}

std::string SnapshotState::Tables() const {
  std::string text;
  for (const TableRequest& one : queue)
    absl::StrAppend(&text, text.empty() ? "" : ",", one.table.Text());
  return text;
}

OffsetMembers EncodeState(const SnapshotState& state) {
  OffsetMembers members;
  if (!state.blocking.empty()) members.emplace(kBlocking, Json(BlockingText(state)));
  if (!state.running()) return members;
  const auto put = [&](absl::string_view name, absl::string_view text) {
    members.emplace(absl::StrCat(kPrefix, name), Json(text));
  };
  put("correlation_id", state.correlation_id);
  members.emplace(absl::StrCat(kPrefix, "collections"), Collections(state));
  put("maximum_key", EncodedKey(state, state.maximum, state.stored_maximum));
  put("primary_key", EncodedKey(state, state.emitted, state.stored_emitted));
  if (const std::string own = OwnText(state); !own.empty()) members.emplace(kOwnMember, Json(own));
  return members;
}

absl::StatusOr<SnapshotState> DecodeState(const OffsetMembers& members) {
  SnapshotState state;
  RETURN_IF_ERROR(ReadBlocking(members, &state));
  ASSIGN_OR_RETURN(const auto collections, TextOf(members, "incremental_snapshot_collections"));
  if (!collections) return state;
  RETURN_IF_ERROR(ReadQueue(*collections, &state));
  ASSIGN_OR_RETURN(const auto id, TextOf(members, "incremental_snapshot_correlation_id"));
  state.correlation_id = id.value_or("");
  ASSIGN_OR_RETURN(const auto maximum, TextOf(members, "incremental_snapshot_maximum_key"));
  if (maximum) {
    ASSIGN_OR_RETURN(state.maximum, DecodeKey(*maximum));
    state.stored_maximum = *maximum;
  }
  ASSIGN_OR_RETURN(const auto emitted, TextOf(members, "incremental_snapshot_primary_key"));
  if (emitted) {
    ASSIGN_OR_RETURN(state.emitted, DecodeKey(*emitted));
    state.stored_emitted = *emitted;
  }
  ASSIGN_OR_RETURN(const auto own, TextOf(members, kOwnMember));
  if (own) RETURN_IF_ERROR(ReadOwn(*own, &state));
  return state;
}

}  // namespace walduct::incremental
