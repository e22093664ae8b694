// A SchemaResolver and a ChangeHandler that remember what they were asked.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "event/change_handler.h"
#include "event/table_schema.h"

namespace walduct::test {

// Takes every column for an optional text; the identity columns for the key.
class FakeResolver : public event::SchemaResolver {
 public:
  absl::Status Ask(const event::RelationDescription& relation) override {
    described.push_back(relation);
    described.back().previous.reset();  // keeps no schema alive
    return absl::OkStatus();
  }
  absl::StatusOr<event::TableSchemaPtr> Poll() override {
    ++polls;
    if (!error.ok()) return error;
    if (silent) return nullptr;
    const event::RelationDescription& relation = described.back();
    auto schema = std::make_shared<event::TableSchema>();
    schema->relation = relation.relation;
    schema->schema = relation.schema;
    schema->table = relation.table;
    schema->replica_identity = relation.replica_identity;
    for (const event::RelationColumn& column : relation.columns) {
      if (column.part_of_identity) {
        schema->key_columns.push_back(static_cast<uint16_t>(schema->columns.size()));
      }
      schema->columns.push_back({.name = column.name,
                                 .type = TypeOf(column.type),
                                 .typmod = column.typmod,
                                 .optional = true,
                                 .default_expression = default_expression,
                                 .identity = false,
                                 .generated = false,
                                 .old_value_sent = partitioned ? sent_by_all.contains(column.name)
                                                               : column.part_of_identity});
    }
    schema->partitioned = partitioned;
    if (drop_a_column) schema->columns.pop_back();
    return schema;
  }

  std::vector<event::RelationDescription> described;
  int polls = 0;
  bool silent = false;  // has no answer yet
  absl::Status error;
  std::optional<std::string> default_expression;  // of every column
  std::vector<std::string> labels;                // of every type
  bool drop_a_column = false;
  bool partitioned = false;
  std::set<std::string> sent_by_all;  // the columns whose old values all partitions send
  event::TypeKind kind = event::TypeKind::kBase;  // of every type

 private:
  std::shared_ptr<const event::Type> TypeOf(Oid oid) const {
    auto type = std::make_shared<event::Type>();
    type->oid = oid;
    type->labels = labels;
    type->kind = kind;
    return type;
  }
};

// A change, owned.
struct SeenChange {
  event::Operation operation = event::Operation::kCreate;
  std::string table;  // empty for a message
  std::string before;
  std::string after;
  event::OldRow old_row = event::OldRow::kWhole;
  std::string prefix;
  std::string content;
  event::Position position;
  std::optional<Lsn> last_commit_end;
  Lsn lsn;
  std::optional<uint64_t> xid;
  int64_t source_time_us = 0;
  std::string origin;
  Lsn origin_lsn;
  const event::TableSchema* schema = nullptr;
};

// "1|null|unchanged|absent"; "none" for no row, "empty" for one without columns.
inline std::string RowText(const std::optional<event::RowView>& row) {
  if (!row) return "none";
  if (row->empty()) return "empty";
  std::string text;
  for (const event::Value& value : *row) {
    if (!text.empty()) text += '|';
    switch (value.kind) {
      case event::ValueKind::kNull:
        text += "null";
        break;
      case event::ValueKind::kUnchangedToast:
        text += "unchanged";
        break;
      case event::ValueKind::kAbsent:
        text += "absent";
        break;
      case event::ValueKind::kText:
        absl::StrAppend(&text, value.text());
        break;
    }
  }
  return text;
}

class RecordingHandler : public event::ChangeHandler {
 public:
  absl::Status OnBegin(const event::TransactionInfo& transaction) override {
    begins.push_back(transaction);
    log.push_back(absl::StrCat("begin ", transaction.xid));
    return error;
  }

  absl::Status OnChange(const event::ChangeEvent& change) override {
    SeenChange seen;
    seen.operation = change.operation;
    seen.schema = change.schema;
    if (change.schema != nullptr) seen.table = change.schema->table;
    seen.before = RowText(change.before);
    seen.after = RowText(change.after);
    seen.old_row = change.old_row;
    if (change.message != nullptr) {
      seen.prefix = std::string(change.message->prefix);
      seen.content = std::string(change.message->content);
    }
    seen.position = change.position;
    seen.last_commit_end = change.last_commit_end;
    seen.lsn = change.lsn;
    seen.xid = change.xid;
    seen.source_time_us = change.source_time_us;
    seen.origin = std::string(change.origin);
    seen.origin_lsn = change.origin_lsn;
    log.push_back(absl::StrCat(std::string(1, static_cast<char>(change.operation)), " ",
                               change.message != nullptr ? seen.prefix : seen.after));
    changes.push_back(std::move(seen));
    return error;
  }

  absl::Status OnRepeated(const event::ChangeEvent& change) override {
    repeated.push_back(change.message != nullptr ? std::string(change.message->prefix)
                                                 : RowText(change.after));
    return error;
  }

  absl::Status OnCommit(const event::TransactionInfo& transaction,
                        const event::Position& boundary) override {
    boundaries.push_back(boundary);
    log.push_back(absl::StrCat("commit ", transaction.xid));
    return error;
  }

  std::vector<event::TransactionInfo> begins;
  std::vector<SeenChange> changes;
  std::vector<std::string> repeated;
  std::vector<event::Position> boundaries;
  std::vector<std::string> log;
  absl::Status error;  // returned from every call
};

}  // namespace walduct::test
