#include "incremental/state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "incremental/chunks/place.h"
#include "incremental/stored/java_stream.h"
#include "rapidjson/document.h"
#include "rapidjson/writer.h"

namespace walduct::incremental {
namespace {

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
absl::StatusOr<std::optional<std::string>> TextOf(const OffsetMembers& members, const char* name) {
  const std::string& member = event::FindMember(members, name);
  if (member.empty()) return std::optional<std::string>();
  const rapidjson::Document json = json::Parse(member);
  if (json.HasParseError()) return Malformed(absl::StrCat(name, " is not JSON"));
  if (json.IsNull()) return std::optional<std::string>();
  if (!json.IsString()) return Malformed(absl::StrCat(name, " is not a string"));
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
  ASSIGN_OR_RETURN(const auto text, TextOf(members, event::kBlockingMember));
  if (!text) return absl::OkStatus();
  const rapidjson::Document json = json::Parse(*text);
  if (json.HasParseError() || !json.IsArray())
    return Malformed(absl::StrCat(event::kBlockingMember, " is not a list"));
  for (const rapidjson::Value& item : json.GetArray()) {
    if (!item.IsObject())
      return Malformed(absl::StrCat(event::kBlockingMember, " holds no signal"));
    state->blocking.push_back({.id = Optional(item, "id").value_or(""),
                               .type = "execute-snapshot",
                               .data = Optional(item, "data")});
  }
  return absl::OkStatus();
}

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Put(const std::string& text, Writer* writer) {
  writer->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteStops(const std::vector<PendingStop>& stops, Writer* writer) {
  writer->Key("stops");
  writer->StartArray();
  for (const PendingStop& stop : stops) {
    writer->StartObject();
    writer->Key("asked");
    writer->Uint64(stop.asked);
    writer->Key("collections");
    writer->StartArray();
    for (const std::string& one : stop.collections) Put(one, writer);
    writer->EndArray();
    writer->EndObject();
  }
  writer->EndArray();
}

void WritePlaces(const SnapshotState& state, Writer* writer) {
  writer->Key("places");
  writer->StartObject();
  writer->Key("storage");
  Put(state.storage, writer);
  writer->Key("end");
  Put(state.maximum->front().value_or(""), writer);
  if (state.emitted) {
    writer->Key("read");
    Put(state.emitted->front().value_or(""), writer);
  }
  writer->EndObject();
}

absl::Status IsDamaged() {
  return Malformed(absl::StrCat(event::kIncrementalMember, " is damaged"));
}

absl::Status ReadStop(const rapidjson::Value& item, SnapshotState* state) {
  const rapidjson::Value* const asked = json::Find(item, "asked");
  const rapidjson::Value* const collections = json::FindArray(item, "collections");
  if (asked == nullptr || !asked->IsUint64() || collections == nullptr) return IsDamaged();
  PendingStop stop;
  stop.asked = std::min<size_t>(asked->GetUint64(), state->queue.size());
  for (const rapidjson::Value& one : collections->GetArray()) {
    if (!one.IsString()) return IsDamaged();
    stop.collections.emplace_back(json::TextOf(one));
  }
  state->stops.push_back(std::move(stop));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Key>> ReadPlace(const rapidjson::Value& places, const char* name) {
  const auto found = places.FindMember(name);
  if (found == places.MemberEnd()) return std::optional<Key>();
  if (!found->value.IsString() || !ParsePlace(found->value.GetString())) return IsDamaged();
  return std::optional(Key{std::string(found->value.GetString())});
}

absl::Status ReadPlaces(const rapidjson::Value& places, SnapshotState* state) {
  if (!places.IsObject() || !places.HasMember("storage") || !places["storage"].IsString() ||
      !places.HasMember("end"))
    return IsDamaged();
  state->by_place = true;
  state->storage = places["storage"].GetString();
  ASSIGN_OR_RETURN(state->maximum, ReadPlace(places, "end"));
  ASSIGN_OR_RETURN(state->emitted, ReadPlace(places, "read"));
  return absl::OkStatus();
}

absl::Status ReadStops(const rapidjson::Value& stops, SnapshotState* state) {
  if (!stops.IsArray()) return IsDamaged();
  for (const rapidjson::Value& item : stops.GetArray()) RETURN_IF_ERROR(ReadStop(item, state));
  return absl::OkStatus();
}

absl::Status ReadCount(const rapidjson::Value& json, const char* name, uint64_t* count) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd()) return absl::OkStatus();
  if (!found->value.IsUint64()) return IsDamaged();
  *count = found->value.GetUint64();
  return absl::OkStatus();
}

bool HasPlaces(const SnapshotState& state) { return state.by_place && state.maximum; }
// Places tell more.
bool HasRows(const SnapshotState& state) { return state.rows > 0 && !HasPlaces(state); }

// What Debezium has no member for: a pause, stops that are not carried out yet, how many rows of a
// table are read, how many were left out, how far one without a key is. Empty: there is nothing.
std::string OwnText(const SnapshotState& state) {
  const bool counts = HasRows(state) || state.left_out > 0;
  if (!state.paused && state.stops.empty() && !HasPlaces(state) && !counts) return "";
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  if (state.paused) {
    writer.Key("paused");
    writer.Bool(true);
  }
  if (!state.stops.empty()) WriteStops(state.stops, &writer);
  if (HasRows(state)) {
    writer.Key("rows");
    writer.Uint64(state.rows);
  }
  if (state.left_out > 0) {
    writer.Key("left_out");
    writer.Uint64(state.left_out);
  }
  if (HasPlaces(state)) WritePlaces(state, &writer);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

// Adds what stands there.
absl::Status ReadOwn(const std::string& text, SnapshotState* state) {
  const rapidjson::Document document = json::Parse(text);
  if (document.HasParseError() || !document.IsObject()) return IsDamaged();
  const rapidjson::Value& json = document;
  if (const auto paused = json.FindMember("paused"); paused != json.MemberEnd()) {
    if (!paused->value.IsBool()) return IsDamaged();
    state->paused = paused->value.GetBool();
  }
  RETURN_IF_ERROR(ReadCount(json, "rows", &state->rows));
  RETURN_IF_ERROR(ReadCount(json, "left_out", &state->left_out));
  const auto stops = json.FindMember("stops");
  if (stops != json.MemberEnd()) RETURN_IF_ERROR(ReadStops(stops->value, state));
  const auto places = json.FindMember("places");
  return places == json.MemberEnd() ? absl::OkStatus() : ReadPlaces(places->value, state);
}

}  // namespace

OffsetMembers MembersThatGoOn(const OffsetMembers& stored, bool resumes) {
  OffsetMembers members;
  for (const auto& [name, json] : stored) {
    if ((resumes && event::IsIncrementalMember(name)) || name == event::kBlockingMember)
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
  if (!state.blocking.empty()) members.emplace(event::kBlockingMember, Json(BlockingText(state)));
  if (!state.running()) return members;
  const auto put = [&](absl::string_view name, absl::string_view text) {
    members.emplace(absl::StrCat(event::kIncrementalPrefix, name), Json(text));
  };
  put("correlation_id", state.correlation_id);
  members.emplace(event::kCollectionsMember, Collections(state));
  put("maximum_key", EncodedKey(state, state.maximum, state.stored_maximum));
  put("primary_key", EncodedKey(state, state.emitted, state.stored_emitted));
  if (const std::string own = OwnText(state); !own.empty())
    members.emplace(event::kIncrementalMember, Json(own));
  return members;
}

absl::StatusOr<SnapshotState> DecodeState(const OffsetMembers& members) {
  SnapshotState state;
  RETURN_IF_ERROR(ReadBlocking(members, &state));
  ASSIGN_OR_RETURN(const auto collections, TextOf(members, event::kCollectionsMember));
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
  ASSIGN_OR_RETURN(const auto own, TextOf(members, event::kIncrementalMember));
  if (own) RETURN_IF_ERROR(ReadOwn(*own, &state));
  return state;
}

}  // namespace walduct::incremental
