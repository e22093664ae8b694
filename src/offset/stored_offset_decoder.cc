#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "offset/stored_offset.h"
#include "rapidjson/document.h"

namespace walduct::offset {
namespace {

using rapidjson::Value;

absl::Status Malformed(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status OfStored(const absl::Status& malformed) {
  return Error(absl::StatusCode::kInvalidArgument, "offset_malformed",
               absl::StrCat("stored offset: ", malformed.message()),
               "put a good one in its place, from FILE of a backup (walduct offsets import NAME "
               "FILE); or, where the slot was read before, walduct offsets set NAME LSN, with its "
               "confirmed_flush_lsn (SELECT slot_name, confirmed_flush_lsn FROM "
               "pg_replication_slots), goes on where it stands: it says that nothing is left out, "
               "or asks for --accept-loss where nobody can tell (PostgreSQL before 14, statistics "
               "of slots that were reset, a snapshot.mode that may take one anew); or forget it: "
               "walduct offsets reset NAME --accept-loss");
}

// Nothing is stored yet.
absl::Status OfBody(const absl::Status& malformed) {
  return Error(absl::StatusCode::kInvalidArgument, "offset_body_malformed",
               absl::StrCat("offsets to be stored: ", malformed.message()),
               "nothing is changed; give what walduct offsets export, or GET "
               "/connectors/NAME/offsets of a Connect worker, has written for this connector");
}

using json::TextOf;

// One member as what the field of a position needs. Every reader leaves its target alone when the
// member is absent or null.
class ObjectReader {
 public:
  explicit ObjectReader(const Value& object) : object_(object) {}

  const Value* Find(const char* name) const { return json::FindSet(object_, name); }

  // A 64-bit LSN or transaction id. Java prints those above 2^63 as negative numbers.
  absl::StatusOr<bool> Unsigned(const char* name, uint64_t* out) const {
    const Value* value = Find(name);
    if (value == nullptr) return false;
    if (value->IsUint64()) {
      *out = value->GetUint64();
    } else if (value->IsInt64()) {
      *out = static_cast<uint64_t>(value->GetInt64());
    } else {
      return Malformed(absl::StrCat("\"", name, "\" is not an integer"));
    }
    return true;
  }

  absl::Status Signed(const char* name, int64_t* out) const {
    const Value* value = Find(name);
    if (value == nullptr) return absl::OkStatus();
    if (!value->IsInt64()) return Malformed(absl::StrCat("\"", name, "\" is not an integer"));
    *out = value->GetInt64();
    return absl::OkStatus();
  }

  absl::Status ReadLsn(const char* name, Lsn* out) const {
    uint64_t value = out->value();
    RETURN_IF_ERROR(Unsigned(name, &value).status());
    *out = Lsn(value);
    return absl::OkStatus();
  }

  // A boolean, also as text: Debezium reads both.
  bool True(const char* name) const {
    const Value* value = Find(name);
    if (value == nullptr) return false;
    if (value->IsBool()) return value->GetBool();
    return value->IsString() && absl::AsciiStrToLower(TextOf(*value)) == "true";
  }

 private:
  const Value& object_;
};

// "snapshot" holds the kind of snapshot (INITIAL, BLOCKING, INCREMENTAL); true in old releases,
// where last_snapshot_record alone said that it was over. Only the initial one has to be taken
// again after a crash: the other kinds run beside the stream, whose position stands in the same
// offset.
event::SnapshotPhase PhaseOf(const ObjectReader& reader) {
  const Value* snapshot = reader.Find("snapshot");
  if (snapshot == nullptr) return event::SnapshotPhase::kNone;
  if (snapshot->IsBool() && !snapshot->GetBool()) return event::SnapshotPhase::kNone;
  if (snapshot->IsString()) {
    const std::string kind = absl::AsciiStrToUpper(TextOf(*snapshot));
    if (kind == "FALSE" || kind == "BLOCKING" || kind == "INCREMENTAL") {
      return event::SnapshotPhase::kNone;
    }
  }
  const bool completed = reader.Find("snapshot_completed") != nullptr
                             ? reader.True("snapshot_completed")
                             : reader.True("last_snapshot_record");
  return completed ? event::SnapshotPhase::kCompleted : event::SnapshotPhase::kRunning;
}

// The boundary to resume at: the last COMMIT. Before Debezium has seen one it is the last thing it
// had processed; after a snapshot, the snapshot's own LSN.
absl::StatusOr<Lsn> BoundaryOf(const ObjectReader& reader) {
  for (const char* name : {"lsn_commit", "lsn_proc", "lsn"}) {
    uint64_t value = 0;
    ASSIGN_OR_RETURN(const bool present, reader.Unsigned(name, &value));
    if (present) return Lsn(value);
  }
  return Malformed("none of lsn_commit, lsn_proc and lsn is present");
}

absl::Status ReadOurs(const ObjectReader& reader, StoredOffset* offset) {
  event::Position& position = offset->position;
  ASSIGN_OR_RETURN(offset->written_by_walduct,
                   reader.Unsigned("walduct_ordinal", &position.ordinal));
  RETURN_IF_ERROR(reader.ReadLsn("walduct_final_lsn", &position.transaction_final_lsn));
  RETURN_IF_ERROR(reader.ReadLsn("walduct_change_lsn", &position.change_lsn));
  if (const Value* id = reader.Find("walduct_system_id"); id != nullptr) {
    if (!id->IsString()) return Malformed("\"walduct_system_id\" is not a string");
    offset->system_identifier = std::string(TextOf(*id));
  }
  uint64_t timeline = 0;
  ASSIGN_OR_RETURN(const bool has_timeline, reader.Unsigned("walduct_timeline", &timeline));
  if (has_timeline && timeline > std::numeric_limits<uint32_t>::max()) {
    return Malformed("\"walduct_timeline\" is out of range");
  }
  if (has_timeline) offset->timeline = static_cast<uint32_t>(timeline);
  offset->of_standby = reader.True("walduct_standby");
  uint64_t seen = 0;
  ASSIGN_OR_RETURN(const bool was_behind, reader.Unsigned("walduct_seen_behind", &seen));
  if (was_behind) offset->seen_behind = Lsn(seen);
  offset->slot_held = reader.True("walduct_slot_held");
  if (const Value* name = reader.Find("walduct_slot_name"); name != nullptr && name->IsString())
    offset->slot_name = std::string(TextOf(*name));
  ASSIGN_OR_RETURN(const bool was_snapshot, reader.Unsigned("walduct_snapshot_seen", &seen));
  if (was_snapshot) offset->snapshot_seen = Lsn(seen);
  uint64_t slots = 1;
  RETURN_IF_ERROR(reader.Unsigned("walduct_slots", &slots).status());
  constexpr uint64_t kMostSlots = 1000;
  if (slots < 1 || slots > kMostSlots) return Malformed("\"walduct_slots\" is out of range");
  offset->slots = static_cast<int>(slots);
  if (const Value* handover = reader.Find("walduct_handover"); handover != nullptr) {
    if (handover->IsString()) offset->handover = ParseHandover(TextOf(*handover));
    if (!offset->handover) return Malformed("\"walduct_handover\" is not a step of a hand-over");
  }
  if (const Value* sink = reader.Find("walduct_sink"); sink != nullptr && sink->IsString())
    offset->sink = std::string(TextOf(*sink));
  if (const Value* skip = reader.Find("walduct_skip"); skip != nullptr) {
    if (skip->IsString()) offset->skip = event::ParseChangeId(TextOf(*skip));
    if (!offset->skip) return Malformed("\"walduct_skip\" is not the position of a change");
  }
  return absl::OkStatus();
}

// What is read above, or describes the event that Debezium wrote last and says nothing of our
// position.
bool IsKnown(absl::string_view name) {
  static constexpr absl::string_view kKnown[] = {"ts_usec",
                                                 "txId",
                                                 "lsn",
                                                 "lsn_proc",
                                                 "lsn_commit",
                                                 "messageType",
                                                 "snapshot",
                                                 "last_snapshot_record",
                                                 "snapshot_completed",
                                                 "lsn_events_processed"};
  for (const absl::string_view known : kKnown) {
    if (name == known) return true;
  }
  return name.substr(0, 8) == "walduct_" && !event::IsOurMember(name);
}

// Connect allows only primitives in an offset.
void KeepMembers(const Value& object, StoredOffset* offset) {
  for (const auto& member : object.GetObject()) {
    if (IsKnown(TextOf(member.name)) || member.value.IsObject() || member.value.IsArray()) continue;
    offset->members.emplace(TextOf(member.name), json::Print(member.value));
  }
}

// Some of what is JSON cannot be written again: an escape of half a character (\uDC00 alone), a
// number beyond the largest double.
absl::Status CheckCanBeWritten(const Value& object) {
  for (const auto& member : object.GetObject()) {
    if (!IsValidUtf8(TextOf(member.name))) return Malformed("a name holds half a character");
    const Value& value = member.value;
    if (value.IsString() && !IsValidUtf8(TextOf(value)))
      return Malformed(absl::StrCat("\"", TextOf(member.name), "\" holds half a character"));
    if (value.IsDouble() && !std::isfinite(value.GetDouble()))
      return Malformed(absl::StrCat("\"", TextOf(member.name), "\" is too large a number"));
  }
  return absl::OkStatus();
}

absl::StatusOr<StoredOffset> FromObject(const Value& object) {
  if (!object.IsObject()) return Malformed("not a JSON object");
  RETURN_IF_ERROR(CheckCanBeWritten(object));
  const ObjectReader reader(object);
  StoredOffset offset;
  event::Position& position = offset.position;
  ASSIGN_OR_RETURN(position.commit_end, BoundaryOf(reader));
  position.snapshot = PhaseOf(reader);
  RETURN_IF_ERROR(reader.Signed("ts_usec", &position.commit_time_us));
  RETURN_IF_ERROR(reader.Unsigned("txId", &position.xid).status());
  RETURN_IF_ERROR(ReadOurs(reader, &offset));
  KeepMembers(object, &offset);
  return offset;
}

absl::Status Parse(absl::string_view json, rapidjson::Document* document) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  document->Parse<kFlags>(json.data(), json.size());
  if (document->HasParseError()) {
    return Malformed(absl::StrCat("not valid JSON at byte ", document->GetErrorOffset()));
  }
  return absl::OkStatus();
}

// Which of the connector's slots the entry is of, from 0.
absl::StatusOr<size_t> SlotOf(const Value& entry, absl::string_view topic_prefix, size_t slots) {
  const std::string form =
      slots == 1 ? R"("partition" must be {"server":"<topic.prefix>"})"
                 : R"("partition" must be {"server":"<topic.prefix>","walduct_slot":<number>})";
  const auto partition = entry.FindMember("partition");
  if (partition == entry.MemberEnd() || !partition->value.IsObject()) return Malformed(form);
  const auto slot = partition->value.FindMember("walduct_slot");
  const bool numbered = slot != partition->value.MemberEnd();
  if (partition->value.MemberCount() != (numbered ? 2 : 1)) return Malformed(form);
  const auto server = partition->value.FindMember("server");
  if (server == partition->value.MemberEnd() || !server->value.IsString()) return Malformed(form);
  if (TextOf(server->value) != topic_prefix) {
    return Malformed(absl::StrCat("the partition is for server \"", TextOf(server->value),
                                  "\", this connector's topic.prefix is \"", topic_prefix, "\""));
  }
  if (!numbered) return 0;
  if (!slot->value.IsUint() || slot->value.GetUint() < 2 || slot->value.GetUint() > slots)
    return Malformed(form);
  return slot->value.GetUint() - 1;
}

absl::StatusOr<std::optional<StoredOffset>> OffsetOf(const Value& entry) {
  const auto offset = entry.FindMember("offset");
  if (offset == entry.MemberEnd()) return Malformed("\"offset\" is missing");
  if (offset->value.IsNull()) return std::optional<StoredOffset>();
  // One is enough for us; whoever goes on from here may read another of them.
  for (const char* name : {"lsn", "lsn_proc", "lsn_commit"}) {
    uint64_t ignored = 0;
    if (offset->value.IsObject())
      RETURN_IF_ERROR(ObjectReader(offset->value).Unsigned(name, &ignored).status());
  }
  ASSIGN_OR_RETURN(StoredOffset decoded, FromObject(offset->value));
  return std::optional<StoredOffset>(std::move(decoded));
}

absl::StatusOr<std::vector<std::optional<StoredOffset>>> ReadBody(absl::string_view json,
                                                                  absl::string_view topic_prefix,
                                                                  size_t slots) {
  rapidjson::Document document;
  RETURN_IF_ERROR(Parse(json, &document));
  const Value& body = document;
  if (!body.IsObject()) return Malformed(R"(the body must be {"offsets":[…]})");
  const auto offsets = body.FindMember("offsets");
  if (offsets == body.MemberEnd() || !offsets->value.IsArray() || offsets->value.Size() != slots) {
    return Malformed(slots == 1 ? R"("offsets" must be a list of one partition and its offset)"
                                : absl::StrCat(R"("offsets" must be a list of )", slots,
                                               " partitions and their offsets, one of each slot"));
  }
  std::vector<std::optional<StoredOffset>> all(slots);
  std::set<size_t> given;
  for (const Value& entry : offsets->value.GetArray()) {
    if (!entry.IsObject()) return Malformed(R"("offsets" must be a list of objects)");
    ASSIGN_OR_RETURN(const size_t slot, SlotOf(entry, topic_prefix, slots));
    if (!given.insert(slot).second) return Malformed("a slot has two offsets");
    ASSIGN_OR_RETURN(all[slot], OffsetOf(entry));
  }
  return all;
}

}  // namespace

absl::StatusOr<StoredOffset> DecodeOffset(absl::string_view json) {
  rapidjson::Document document;
  if (const absl::Status parsed = Parse(json, &document); !parsed.ok()) return OfStored(parsed);
  absl::StatusOr<StoredOffset> offset = FromObject(document);
  if (!offset.ok()) return OfStored(offset.status());
  return offset;
}

absl::StatusOr<std::vector<std::optional<StoredOffset>>> DecodeRestBody(
    absl::string_view json, absl::string_view topic_prefix, size_t slots) {
  auto offsets = ReadBody(json, topic_prefix, slots);
  if (!offsets.ok()) return OfBody(offsets.status());
  return offsets;
}

}  // namespace walduct::offset
