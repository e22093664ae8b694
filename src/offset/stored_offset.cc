#include "offset/stored_offset.h"

#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace walduct::offset {
namespace {

// Appends members of one JSON object.
class ObjectWriter {
 public:
  void Text(absl::string_view name, absl::string_view value) {
    Name(name);
    AppendJsonString(value, &json_);
  }
  void Number(absl::string_view name, int64_t value) {
    Name(name);
    absl::StrAppend(&json_, value);
  }
  void Bool(absl::string_view name, bool value) { Raw(name, value ? "true" : "false"); }
  void LsnIfValid(absl::string_view name, Lsn value) {
    if (value.valid()) Number(name, static_cast<int64_t>(value.value()));
  }
  void Raw(absl::string_view name, absl::string_view json) {
    Name(name);
    absl::StrAppend(&json_, json);
  }
  std::string Finish() { return absl::StrCat(json_, "}"); }

 private:
  void Name(absl::string_view name) {
    json_.push_back(json_.empty() ? '{' : ',');
    AppendJsonString(name, &json_);
    json_.push_back(':');
  }

  std::string json_;
};

// Debezium's keys of a snapshot. Without lsn_proc and lsn_commit it knows that nothing was streamed
// yet.
void WriteSnapshotKeys(const event::Position& position, ObjectWriter* out) {
  const bool completed = position.snapshot == event::SnapshotPhase::kCompleted;
  out->Number("ts_usec", position.commit_time_us);
  if (position.xid != 0) out->Number("txId", static_cast<int64_t>(position.xid));
  out->Number("lsn", static_cast<int64_t>(position.commit_end.value()));
  out->Text("snapshot", "INITIAL");
  out->Bool("last_snapshot_record", completed);
  out->Bool("snapshot_completed", completed);
}

// Debezium's keys while streaming always stand at the last commit boundary: inside of a transaction
// it could resume behind rows that share an LSN with the last one.
void WriteStreamingKeys(const event::Position& position, bool transaction_id, ObjectWriter* out) {
  if (transaction_id && position.xid != 0) out->Text("transaction_id", absl::StrCat(position.xid));
  const auto boundary = static_cast<int64_t>(position.commit_end.value());
  out->Number("lsn_proc", boundary);
  out->Text("messageType", "COMMIT");
  out->Number("lsn_commit", boundary);
  out->Number("lsn", boundary);
  if (position.xid != 0) out->Number("txId", static_cast<int64_t>(position.xid));
  out->Number("ts_usec", position.commit_time_us);
}

void AppendPartition(absl::string_view topic_prefix, int slot, std::string* out) {
  *out += "{\"server\":";
  AppendJsonString(topic_prefix, out);
  if (slot > 1) absl::StrAppend(out, ",\"walduct_slot\":", slot);
  out->push_back('}');
}

}  // namespace

std::string EncodeOffset(const StoredOffset& offset) {
  const event::Position& position = offset.position;
  ObjectWriter out;
  if (position.snapshot == event::SnapshotPhase::kNone) {
    WriteStreamingKeys(position, offset.transaction_id, &out);
  } else {
    WriteSnapshotKeys(position, &out);
  }
  for (const auto& [name, json] : offset.members) out.Raw(name, json);
  out.Number("walduct_ordinal", static_cast<int64_t>(position.ordinal));
  if (position.ordinal > 0) out.LsnIfValid("walduct_final_lsn", position.transaction_final_lsn);
  out.LsnIfValid("walduct_change_lsn", position.change_lsn);
  if (!offset.system_identifier.empty()) {
    out.Text("walduct_system_id", offset.system_identifier);
  }
  if (offset.timeline) out.Number("walduct_timeline", *offset.timeline);
  if (offset.of_standby) out.Bool("walduct_standby", true);
  if (offset.seen_behind) {
    out.Number("walduct_seen_behind", static_cast<int64_t>(offset.seen_behind->value()));
  }
  if (offset.slot_held) out.Bool("walduct_slot_held", true);
  if (!offset.slot_name.empty()) out.Text("walduct_slot_name", offset.slot_name);
  if (!offset.sink.empty()) out.Text("walduct_sink", offset.sink);
  if (offset.snapshot_seen) {
    out.Number("walduct_snapshot_seen", static_cast<int64_t>(offset.snapshot_seen->value()));
  }
  if (offset.slots > 1) out.Number("walduct_slots", offset.slots);
  if (offset.handover) out.Text("walduct_handover", HandoverText(*offset.handover));
  if (offset.skip) out.Text("walduct_skip", offset.skip->Text());
  if (!offset.taken_by.empty()) out.Text("walduct_taken_by", offset.taken_by);
  return out.Finish();
}

std::string OffsetKey(const OffsetIdentity& identity) {
  std::string key = "[";
  AppendJsonString(identity.connector_name, &key);
  key.push_back(',');
  AppendPartition(identity.topic_prefix, identity.slot, &key);
  key.push_back(']');
  return key;
}

std::string EncodeRestBody(absl::string_view topic_prefix,
                           const std::vector<std::optional<StoredOffset>>& offsets) {
  std::string body = "{\"offsets\":[";
  int slot = 0;
  for (const std::optional<StoredOffset>& offset : offsets) {
    ++slot;
    if (!offset) continue;
    absl::StrAppend(&body, body.back() == '[' ? "" : ",", "{\"partition\":");
    AppendPartition(topic_prefix, slot, &body);
    absl::StrAppend(&body, ",\"offset\":", EncodeOffset(*offset), "}");
  }
  return body + "]}";
}

bool IsHandoverDue(const std::optional<StoredOffset>& first, int slots) {
  return first && (first->handover || first->slots != slots);
}

}  // namespace walduct::offset
