#include "delivery/pipeline/change_text.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace walduct::delivery {
namespace {

using event::ChangeEvent;
using event::Emission;
using event::Operation;
using event::RecordKind;

constexpr size_t kLongestValue = 100;

absl::string_view OperationText(Operation operation) {
  switch (operation) {
    case Operation::kRead:
      return "snapshot row of";
    case Operation::kCreate:
      return "insert into";
    case Operation::kUpdate:
      return "update in";
    case Operation::kDelete:
      return "delete from";
    case Operation::kTruncate:
      return "truncate of";
    case Operation::kMessage:
      return "message of";
  }
  return "";
}

void AppendValue(const event::Value& value, std::string* out) {
  if (!value.is_text()) {
    out->append(value.kind == event::ValueKind::kNull ? "null" : "?");
    return;
  }
  const absl::string_view shown = Utf8Prefix(value.text(), kLongestValue);
  absl::StrAppend(out, shown, shown.size() < value.size ? "…" : "");
}

// Of a delete and of the first half of a key change: the old row.
const event::RowView* RowOf(const Emission& emission) {
  const ChangeEvent& change = *emission.change;
  const bool old = emission.operation == Operation::kDelete || !change.after;
  const std::optional<event::RowView>& row = old && change.before ? change.before : change.after;
  return row ? &*row : nullptr;
}

const std::vector<uint16_t>& KeyIn(const Emission& emission) {
  return emission.key_rule != nullptr ? emission.key_rule->columns
                                      : emission.change->schema->key_columns;
}

}  // namespace

std::string SubjectOf(const Emission& emission) {
  switch (emission.kind) {
    case RecordKind::kTransactionBegin:
    case RecordKind::kTransactionEnd:
      return "transaction topic";
    case RecordKind::kHeartbeat:
      return "heartbeat";
    case RecordKind::kNotification:
      return "notification";
    case RecordKind::kChange:
      break;
  }
  const ChangeEvent& change = *emission.change;
  if (change.message != nullptr)
    return absl::StrCat("prefix ", Utf8Prefix(change.message->prefix, kLongestValue));
  return absl::StrCat("table ", change.schema->schema, ".", change.schema->table);
}

std::string KeyOf(const Emission& emission) {
  if (emission.kind != RecordKind::kChange || emission.change->schema == nullptr) return "";
  const event::RowView* row = RowOf(emission);
  const event::TableSchema& schema = *emission.change->schema;
  const std::vector<uint16_t>& columns = KeyIn(emission);
  if (row == nullptr || columns.empty()) return "none";
  std::string text;
  for (const uint16_t column : columns) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", schema.columns[column].name, "=");
    if (column < row->size()) AppendValue((*row)[column], &text);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> KeyColumnsOf(const Emission& emission) {
  std::vector<std::pair<std::string, std::string>> key;
  if (emission.kind != RecordKind::kChange || emission.change->schema == nullptr) return key;
  const event::RowView* row = RowOf(emission);
  if (row == nullptr) return key;
  for (const uint16_t column : KeyIn(emission)) {
    if (column >= row->size() || !(*row)[column].is_text()) return {};
    key.emplace_back(emission.change->schema->columns[column].name, (*row)[column].text());
  }
  return key;
}

std::string DescribeRecord(const Emission& emission) {
  if (emission.kind != RecordKind::kChange) return SubjectOf(emission);
  const ChangeEvent& change = *emission.change;
  std::string text = absl::StrCat(OperationText(emission.operation), " ", SubjectOf(emission));
  if (emission.value == event::PublishedValue::kTombstone)
    text = absl::StrCat("tombstone of ", SubjectOf(emission));
  if (change.schema != nullptr) absl::StrAppend(&text, ", key ", KeyOf(emission));
  // A row that was polled has none.
  if (change.lsn.valid()) absl::StrAppend(&text, ", LSN ", change.lsn.ToString());
  if (change.xid) absl::StrAppend(&text, ", transaction ", *change.xid);
  return text;
}

}  // namespace walduct::delivery
