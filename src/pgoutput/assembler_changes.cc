// Rows, truncates and logical messages.
#include <algorithm>

#include "base/status_macros.h"
#include "pgoutput/assembler.h"
#include "pgoutput/assembler_errors.h"
#include "pgoutput/decode.h"

namespace walduct::pgoutput {
namespace {

// A null that may be no value: it was not sent.
void MarkAbsent(std::vector<event::Value>& row) {
  for (event::Value& value : row) {
    if (value.kind == event::ValueKind::kNull) value.kind = event::ValueKind::kAbsent;
  }
}

bool HasText(const std::vector<event::Value>& row, const std::vector<uint16_t>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [&row](uint16_t column) { return row[column].is_text(); });
}

// A value stored out of line that the UPDATE did not touch is not sent again in the new row; where
// the old row has it, it is the same one. Under REPLICA IDENTITY FULL that is every column, else
// the identity columns of a key tuple (the server sends one whenever a key column is stored out of
// line). Nothing is taken from absent columns. Returns whether there was any.
bool FillUnchanged(const std::vector<event::Value>& old_row, std::vector<event::Value>& new_row) {
  bool any = false;
  for (size_t i = 0; i < new_row.size(); ++i) {
    if (new_row[i].kind == event::ValueKind::kUnchangedToast && old_row[i].is_text()) {
      new_row[i] = old_row[i];
      any = true;
    }
  }
  return any;
}

// A partition whose identity is its key sends an old row when the key has changed, which shows, or
// when part of it is stored out of line (filled): then a null beside a null proves nothing.
event::OldRow OldRowOfPartition(const CachedRelation& root,
                                const std::vector<event::Value>& old_row, OldTuple kind,
                                bool filled) {
  const bool more_than_key = kind == OldTuple::kFull || HasText(old_row, root.outside_identity);
  if (root.whole_partitions && more_than_key) return event::OldRow::kWhole;
  return filled ? event::OldRow::kKey : event::OldRow::kUnsure;
}

}  // namespace

absl::Status Assembler::Find(MessageKind kind, Oid relation, CachedRelation*& found) {
  found = relations_.Find(relation);
  return found != nullptr ? absl::OkStatus() : UnknownRelationError(kind, relation);
}

absl::Status Assembler::CheckWidth(MessageKind kind, const CachedRelation& relation,
                                   size_t columns) const {
  if (columns == relation.schema->columns.size()) return absl::OkStatus();
  return ColumnCountError(kind, *relation.schema, columns);
}

// Before the row is counted: one that waits comes again.
absl::Status Assembler::LearnLabels(CachedRelation& relation, event::RowView row) {
  // Nobody will see the row.
  if (!in_transaction_ || delivery_ == Delivery::kNothing) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool resolved, relations_.ResolveAnew(relation, row));
  awaits_schema_ = !resolved;
  return absl::OkStatus();
}

absl::Status Assembler::OnInsert(Lsn lsn, absl::string_view payload) {
  InsertMessage message;
  CachedRelation* relation = nullptr;
  RETURN_IF_ERROR(DecodeInsert(payload, /*in_stream=*/false, tuples_, message));
  RETURN_IF_ERROR(Find(MessageKind::kInsert, message.relation, relation));
  RETURN_IF_ERROR(CheckWidth(MessageKind::kInsert, *relation, message.new_row.size()));
  if (RelationCache::HasNewLabel(*relation, message.new_row)) {
    RETURN_IF_ERROR(LearnLabels(*relation, message.new_row));
    if (awaits_schema_) return absl::OkStatus();
  }
  RETURN_IF_ERROR(Count(MessageKind::kInsert, lsn));
  if (fate_ == Fate::kDrop) return absl::OkStatus();

  SetChange(event::Operation::kCreate, relation->schema.get());
  event_.after = message.new_row;
  return Deliver(lsn);
}

absl::Status Assembler::OnUpdate(Lsn lsn, absl::string_view payload) {
  UpdateMessage message;
  CachedRelation* relation = nullptr;
  RETURN_IF_ERROR(DecodeUpdate(payload, /*in_stream=*/false, tuples_, message));
  RETURN_IF_ERROR(Find(MessageKind::kUpdate, message.relation, relation));
  RETURN_IF_ERROR(CheckWidth(MessageKind::kUpdate, *relation, message.new_row.size()));
  if (message.old_tuple != OldTuple::kNone) {
    RETURN_IF_ERROR(CheckWidth(MessageKind::kUpdate, *relation, message.old_row.size()));
  }
  if (RelationCache::HasNewLabel(*relation, message.new_row)) {
    RETURN_IF_ERROR(LearnLabels(*relation, message.new_row));
    if (awaits_schema_) return absl::OkStatus();
  }
  RETURN_IF_ERROR(Count(MessageKind::kUpdate, lsn));
  if (fate_ == Fate::kDrop) return absl::OkStatus();

  SetChange(event::Operation::kUpdate, relation->schema.get());
  event_.after = message.new_row;
  if (message.old_tuple != OldTuple::kNone) {
    SetBefore(message.old_tuple, *relation, FillUnchanged(tuples_.old_row, tuples_.new_row));
  }
  return Deliver(lsn);
}

absl::Status Assembler::OnDelete(Lsn lsn, absl::string_view payload) {
  DeleteMessage message;
  CachedRelation* relation = nullptr;
  RETURN_IF_ERROR(DecodeDelete(payload, /*in_stream=*/false, tuples_, message));
  RETURN_IF_ERROR(Find(MessageKind::kDelete, message.relation, relation));
  RETURN_IF_ERROR(CheckWidth(MessageKind::kDelete, *relation, message.old_row.size()));
  RETURN_IF_ERROR(Count(MessageKind::kDelete, lsn));
  if (fate_ == Fate::kDrop) return absl::OkStatus();

  SetChange(event::Operation::kDelete, relation->schema.get());
  SetBefore(message.old_tuple, *relation, /*filled=*/false);
  return Deliver(lsn);
}

// One message for all tables of the statement and those it cascades to; one change for each.
absl::Status Assembler::OnTruncate(Lsn lsn, absl::string_view payload) {
  RETURN_IF_ERROR(DecodeTruncate(payload, /*in_stream=*/false, truncate_message_));
  for (const Oid oid : truncate_message_.relations) {
    CachedRelation* relation = nullptr;
    RETURN_IF_ERROR(Find(MessageKind::kTruncate, oid, relation));
    RETURN_IF_ERROR(Count(MessageKind::kTruncate, lsn));
    if (fate_ == Fate::kDrop) continue;
    SetChange(event::Operation::kTruncate, relation->schema.get());
    RETURN_IF_ERROR(Deliver(lsn));
  }
  return absl::OkStatus();
}

absl::Status Assembler::OnLogicalMessage(Lsn lsn, absl::string_view payload) {
  LogicalMessage message;
  RETURN_IF_ERROR(DecodeMessage(payload, /*in_stream=*/false, message));
  logical_message_ = {
      .transactional = message.transactional, .prefix = message.prefix, .content = message.content};
  if (!message.transactional) return OnMessageOutsideTransaction(lsn);
  RETURN_IF_ERROR(Count(MessageKind::kMessage, lsn));
  if (fate_ == Fate::kDrop) return absl::OkStatus();

  SetChange(event::Operation::kMessage, nullptr);
  event_.message = &logical_message_;
  return Deliver(lsn);
}

// It belongs to no transaction: no xid, and the time and origin that were last heard of. Debezium
// takes it for a commit at its own LSN, which shows in source.sequence from here on; for progress
// it is none.
absl::Status Assembler::OnMessageOutsideTransaction(Lsn lsn) {
  if (resume_pending_) {
    // It comes ahead of the transaction that the start lies in, so it was handed over ahead of it
    // then, too.
    ++skipped_changes_;
    return absl::OkStatus();
  }
  last_commit_end_ = lsn;
  event::ChangeEvent event;
  event.operation = event::Operation::kMessage;
  event.message = &logical_message_;
  event.position = position_;
  event.last_commit_end = last_commit_end_;
  event.lsn = lsn;
  event.source_time_us = transaction_.commit_time_us;
  event.origin = origin_;
  event.origin_lsn = origin_lsn_;
  return handler_.OnChange(event);
}

void Assembler::SetChange(event::Operation operation, const event::TableSchema* schema) {
  event_.operation = operation;
  event_.schema = schema;
  event_.before.reset();
  event_.old_row = event::OldRow::kWhole;
  event_.after.reset();
  event_.message = nullptr;
}

void Assembler::SetBefore(OldTuple kind, const CachedRelation& relation, bool filled) {
  event_.before = tuples_.old_row;
  if (relation.partitioned) {
    event_.old_row = OldRowOfPartition(relation, tuples_.old_row, kind, filled);
  } else {
    event_.old_row = kind == OldTuple::kFull ? event::OldRow::kWhole : event::OldRow::kKey;
  }
  if (event_.old_row != event::OldRow::kWhole) MarkAbsent(tuples_.old_row);
}

absl::Status Assembler::Deliver(Lsn lsn) {
  event_.lsn = lsn;
  event_.position.ordinal = ordinal_;
  event_.position.change_lsn = lsn;
  if (fate_ == Fate::kRepeat) return handler_.OnRepeated(event_);
  RETURN_IF_ERROR(handler_.OnChange(event_));
  position_ = event_.position;
  return absl::OkStatus();
}

}  // namespace walduct::pgoutput
