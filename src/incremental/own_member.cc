#include "incremental/own_member.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "incremental/chunks/place.h"
#include "incremental/stored/java_stream.h"
#include "rapidjson/document.h"
#include "rapidjson/writer.h"

namespace walduct::incremental {
namespace {

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

absl::Status IsDamaged() { return Malformed(absl::StrCat(kOwnMember, " is damaged")); }

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

absl::Status ReadRows(const rapidjson::Value& json, SnapshotState* state) {
  const auto rows = json.FindMember("rows");
  if (rows == json.MemberEnd()) return absl::OkStatus();
  if (!rows->value.IsUint64()) return IsDamaged();
  state->rows = rows->value.GetUint64();
  return absl::OkStatus();
}

bool HasPlaces(const SnapshotState& state) { return state.by_place && state.maximum; }
// Places tell more.
bool HasRows(const SnapshotState& state) { return state.rows > 0 && !HasPlaces(state); }

}  // namespace

std::string OwnText(const SnapshotState& state) {
  if (!state.paused && state.stops.empty() && !HasPlaces(state) && !HasRows(state)) return "";
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
  if (HasPlaces(state)) WritePlaces(state, &writer);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

absl::Status ReadOwn(const std::string& text, SnapshotState* state) {
  const rapidjson::Document document = json::Parse(text);
  if (document.HasParseError() || !document.IsObject()) return IsDamaged();
  const rapidjson::Value& json = document;
  if (const auto paused = json.FindMember("paused"); paused != json.MemberEnd()) {
    if (!paused->value.IsBool()) return IsDamaged();
    state->paused = paused->value.GetBool();
  }
  RETURN_IF_ERROR(ReadRows(json, state));
  const auto stops = json.FindMember("stops");
  if (stops != json.MemberEnd()) RETURN_IF_ERROR(ReadStops(stops->value, state));
  const auto places = json.FindMember("places");
  return places == json.MemberEnd() ? absl::OkStatus() : ReadPlaces(places->value, state);
}

}  // namespace walduct::incremental
