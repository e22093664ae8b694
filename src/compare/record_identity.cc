#include "compare/record_identity.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/lsn.h"
#include "base/plain_text.h"

namespace walduct::compare {
namespace {

constexpr size_t kMostOfKey = 200;

// The first of these names that is there, without quotes; empty: none, or null.
absl::string_view Find(const std::vector<Field>& fields,
                       std::initializer_list<absl::string_view> names) {
  for (const absl::string_view name : names) {
    for (const Field& field : fields) {
      if (field.path != name || field.text == "null") continue;
      return absl::StripSuffix(absl::StripPrefix(field.text, "\""), "\"");
    }
  }
  return {};
}

uint64_t Number(absl::string_view text) {
  uint64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

// source.sequence is ["last commit","this"] as a string; the commits are in the order of records.
uint64_t LastCommit(const std::vector<Field>& fields) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(Find(fields, {"source.sequence", "__source_sequence"}), '"');
  return parts.size() < 2 ? 0 : Number(absl::StripSuffix(parts[1], "\\"));
}

// Of a flattened one nothing may be left: {"schema":…,"payload":null}.
bool IsDelete(const std::vector<Field>& fields) {
  if (Find(fields, {"op", "__op"}) == "d" || Find(fields, {"__deleted"}) == "true") return true;
  return fields.size() == 2 && fields[0].path == "schema" && fields[1].path == "payload" &&
         fields[1].text == "null";
}

// The header "id", which an EventRouter gives each record; empty: there is none.
absl::string_view EventId(absl::string_view headers) {
  for (absl::string_view line : absl::StrSplit(headers, '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "id=")) return line;
  }
  return {};
}

bool HasPosition(const std::vector<Field>& fields) {
  return !Find(fields, {"source.lsn", "__source_lsn", "__lsn"}).empty();
}

bool IsTime(absl::string_view name) {
  return name == "ts_ms" || name == "ts_us" || name == "ts_ns";
}

absl::Status NotCompared() {
  return Error(absl::StatusCode::kUnimplemented, "format_not_compared",
               "its records begin with the id of a registry's schema (Avro, Protobuf or JSON "
               "Schema), which is not compared",
               "let both connectors write JSON while they are compared: "
               "key.converter and value.converter=org.apache.kafka.connect.json.JsonConverter");
}

bool IsBinary(const std::optional<absl::string_view>& part) {
  return part && !part->empty() && part->front() == '\0';
}

}  // namespace

bool Identifier::Masked(absl::string_view path, bool snapshot, bool message) const {
  for (const std::string& one : ignored_) {
    if (path == one || (absl::StartsWith(path, one) && path.substr(one.size(), 1) == "."))
      return true;
  }
  if (IsTime(path) || (absl::StartsWith(path, "__") && IsTime(path.substr(2)))) return true;
  if (path == "headers.__debezium.context.runId") return true;
  absl::string_view source = path;
  if (!absl::ConsumePrefix(&source, "source.") && !absl::ConsumePrefix(&source, "__source_"))
    return false;
  if (source == "sequence") return true;  // begins anew at each start
  if (message && IsTime(source)) return true;
  return snapshot && (IsTime(source) || source == "lsn" || source == "txId" || source == "xmin" ||
                      source == "snapshot");
}

void Identifier::Describe(const std::vector<Field>& fields, Identity* identity) const {
  const absl::string_view op = Find(fields, {"op", "__op"});
  const absl::string_view lsn = Find(fields, {"source.lsn", "__source_lsn", "__lsn"});
  const absl::string_view transaction = Find(fields, {"source.txId", "__source_txId", "__txId"});
  identity->snapshot = op == "r";
  identity->deletes = IsDelete(fields);
  identity->order = std::max(Number(lsn), LastCommit(fields));
  for (const Field& field : fields) {
    if (!Masked(field.path, identity->snapshot, op == "m"))
      absl::StrAppend(&identity->text, field.path, "=", field.text, "\n");
  }
  if (!lsn.empty()) {
    if (!identity->snapshot) absl::StrAppend(&identity->name, lsn, ":", transaction);
    absl::StrAppend(&identity->label, " lsn ", Lsn(Number(lsn)).ToString(), " tx ", transaction);
  }
  if (!op.empty()) absl::StrAppend(&identity->label, " op ", op);
  if (identity->order != 0 || Find(fields, {"status"}).empty()) return;
  // BEGIN and END of a transaction: xid:lsn.
  const std::vector<absl::string_view> id = absl::StrSplit(Find(fields, {"id"}), ':');
  if (id.size() == 2) identity->order = Number(id[1]);
}

// What the application wrote says nothing of a position, whatever its fields are called.
void Identifier::DescribeEvent(const std::vector<Field>& fields, absl::string_view id,
                               Identity* identity) const {
  identity->event = true;
  identity->name = absl::StrCat("event ", id);
  absl::StrAppend(&identity->label, " event ", PlainText(id));
  for (const Field& field : fields) {
    if (!Masked(field.path, false, false))
      absl::StrAppend(&identity->text, field.path, "=", field.text, "\n");
  }
}

void Identifier::AddHeaders(const kafka::TopicRecord& record, Identity* identity) const {
  for (const absl::string_view line : absl::StrSplit(record.headers, '\n', absl::SkipEmpty())) {
    const std::string header = absl::StrCat("headers.", line);
    if (!Masked(header.substr(0, header.find('=')), false, false))
      absl::StrAppend(&identity->text, header, "\n");
  }
}

absl::StatusOr<Identity> Identifier::Identify(const kafka::TopicRecord& record) {
  if (IsBinary(record.key) || IsBinary(record.value)) return NotCompared();
  Identity identity;
  const std::string key(record.key.value_or(""));
  identity.keyed = record.key.has_value();
  identity.partition = record.partition;
  identity.label = absl::StrCat("key ", PlainText(key.substr(0, kMostOfKey)));
  const absl::string_view event = events_ ? EventId(record.headers) : absl::string_view();
  if (!record.value && event.empty()) {
    const bool follows = identity.keyed && deletes_before_ && key == key_before_;
    identity.name = absl::StrCat(follows ? name_before_ : key, "\ntombstone");
    identity.label = absl::StrCat(follows ? label_before_ : identity.label, " tombstone");
    identity.order = follows ? order_before_ : 0;
    identity.keyed = follows && keyed_before_;
    return identity;
  }
  const std::optional<std::vector<Field>> fields =
      record.value ? LeavesOf(*record.value) : std::vector<Field>();
  if (!event.empty() && !(fields && HasPosition(*fields)))
    DescribeEvent(fields.value_or(std::vector<Field>()), event, &identity);
  else if (fields)
    Describe(*fields, &identity);
  if (!fields) identity.text = std::string(*record.value);
  identity.deletes |= record.value == "null" && !identity.event;
  AddHeaders(record, &identity);
  identity.keyed =
      identity.event || (identity.keyed && (identity.snapshot || !identity.name.empty()));
  absl::StrAppend(&identity.name, "\n", key, identity.snapshot ? "\nr" : "");
  if (!identity.keyed) absl::StrAppend(&identity.name, "\n", identity.text);
  key_before_ = key;
  name_before_ = identity.name;
  label_before_ = identity.label;
  order_before_ = identity.order;
  keyed_before_ = identity.keyed;
  deletes_before_ = identity.deletes;
  return identity;
}

}  // namespace walduct::compare
