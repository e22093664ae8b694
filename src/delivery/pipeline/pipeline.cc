#include "delivery/pipeline/pipeline.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "delivery/pipeline/change_text.h"
#include "delivery/pipeline/smaller_change.h"

namespace walduct::delivery {

namespace {

constexpr size_t kMaxTableVersions = 1 << 15;
// Some tens of microseconds.
constexpr int kRecordsOfOneTime = 16;

metrics::EventKind KindOf(event::Operation operation) {
  switch (operation) {
    case event::Operation::kRead:
      return metrics::EventKind::kRead;
    case event::Operation::kCreate:
      return metrics::EventKind::kCreate;
    case event::Operation::kUpdate:
      return metrics::EventKind::kUpdate;
    case event::Operation::kDelete:
      return metrics::EventKind::kDelete;
    case event::Operation::kTruncate:
      return metrics::EventKind::kTruncate;
    case event::Operation::kMessage:
      return metrics::EventKind::kMessage;
  }
  return metrics::EventKind::kMessage;
}

absl::string_view NoticeText(encode::ColumnNotice::Kind kind) {
  switch (kind) {
    case encode::ColumnNotice::Kind::kTypeNotSupported:
      return "column left out: its type is not supported";
    case encode::ColumnNotice::Kind::kTypeDropped:
      return "the column's type was dropped before these rows were read, and nothing but its name "
             "is "
             "known: values are written as types of that name are, others as their text";
    case encode::ColumnNotice::Kind::kMaskWithoutEffect:
      return "column is not masked: masks apply to character types only; exclude it with "
             "column.exclude.list if it must not be readable";
    case encode::ColumnNotice::Kind::kMaskedKey:
      return "column is masked in the value but not in the key; choose another key with "
             "message.key.columns if it must not be readable";
    case encode::ColumnNotice::Kind::kValueNulled:
      return "value published as null: the column's schema cannot represent it (NaN, Infinity, a "
             "timestamp beyond 64 bits, an unsupported array)";
    case encode::ColumnNotice::Kind::kValueLimited:
      return "value published as the limit of its type: it does not fit in 64 bits";
    case encode::ColumnNotice::Kind::kValueLost:
      return "values left out, as Debezium does; walduct.lost.values=keep writes them";
    case encode::ColumnNotice::Kind::kUnsentNulled:
      return "large values published as null where an update leaves them unchanged, as Debezium "
             "does: the server does not send them (TOAST), and the type has no placeholder; ALTER "
             "TABLE ... REPLICA IDENTITY FULL, where the publication sends all columns, makes the "
             "server send them";
    case encode::ColumnNotice::Kind::kNullFilled:
      return "NULL of a NOT NULL column published as a value of its type or as its DEFAULT, as "
             "Debezium does (a constraint that is not valid, a domain, a row older than the "
             "constraint); walduct.lost.values=keep writes null";
    case encode::ColumnNotice::Kind::kNullKept:
      return "NULL of a NOT NULL column (a constraint that is not valid, a domain, a row older "
             "than the constraint): its field is optional from here on";
  }
  return "";
}

event::RecordId IdOf(const event::ChangeEvent& change) {
  const event::Position& at = change.position;
  if (at.ordinal != 0 && at.transaction_final_lsn.valid())
    return {.lsn = at.transaction_final_lsn.value(),
            .number = at.ordinal,
            .of = event::RecordId::Of::kChange};
  if (change.operation == event::Operation::kMessage)
    return {.lsn = change.lsn.value(), .of = event::RecordId::Of::kChange};
  return {.lsn = change.position.commit_end.value(),
          .of = event::RecordId::Of::kRow,
          .row = change.row_name};
}

}  // namespace

absl::Status Pipeline::OnBegin(const event::TransactionInfo& transaction) {
  CommittedAt(transaction.commit_time_us);
  id_ = {.lsn = transaction.final_lsn.value(), .of = event::RecordId::Of::kBegin};
  parts_.router->RouteBegin(transaction, &emissions_);
  return PublishAll();
}

absl::Status Pipeline::OnRepeated(const event::ChangeEvent& change) {
  return parts_.router->Recount(change);
}

// What is written until the next call. 0: nothing that was committed by itself.
void Pipeline::CommittedAt(int64_t us) {
  parts_.tracker->SetCommitTime(us);
  parts_.metrics->open_commit_us.Set(static_cast<uint64_t>(us));
}

absl::Status Pipeline::OnChange(const event::ChangeEvent& change) {
  const bool lone =
      change.operation == event::Operation::kMessage && parts_.metrics->open_commit_us.value() == 0;
  if (lone) CommittedAt(absl::ToUnixMicros(parts_.clock->Now()));
  const absl::Status done = Take(change);
  if (lone && done.ok()) CommittedAt(0);
  return done;
}

absl::Status Pipeline::Take(const event::ChangeEvent& change) {
  if (skip_ && event::LastChange(change.position) == skip_) return SkipChange(change);
  RETURN_IF_ERROR(parts_.router->Route(change, &emissions_));
  CountChange(change);
  change_ = &change;
  id_ = IdOf(change);
  part_ = 0;
  const absl::Status published = PublishAll();
  change_ = nullptr;
  of_table_ = nullptr;
  RETURN_IF_ERROR(published);
  if (incremental_ != nullptr) RETURN_IF_ERROR(TellIncremental(change));
  parts_.tracker->Advance(change.position);
  parts_.metrics->Seen(KindOf(change.operation)).Add();
  return absl::OkStatus();
}

// What the router counts goes on as if it had been published before.
absl::Status Pipeline::SkipChange(const event::ChangeEvent& change) {
  RETURN_IF_ERROR(parts_.router->Recount(change));
  parts_.metrics->RecordErrors(metrics::RecordErrorOutcome::kByHand).Add();
  event::Emission emission;
  emission.kind = event::RecordKind::kChange;
  emission.change = &change;
  log::Warn("change skipped, as asked for by walduct skip: it is not published",
            {{"change", skip_->Text()}, {"record", DescribeRecord(emission)}});
  skip_.reset();
  parts_.tracker->Advance(change.position);
  return absl::OkStatus();
}

// What it publishes goes with the position of the change.
absl::Status Pipeline::TellIncremental(const event::ChangeEvent& change) {
  in_change_ = true;
  absl::Status told = incremental_->OnChange(change, emissions_);
  in_change_ = false;
  return told;
}

absl::Status Pipeline::PublishRead(const event::ChangeEvent& row) {
  const std::optional<event::Position> complete =
      in_change_ ? std::nullopt : parts_.tracker->complete();
  RETURN_IF_ERROR(parts_.router->Route(row, &read_emissions_));
  of_table_ = &CountersOf(*row.schema)->by_kind[static_cast<size_t>(metrics::EventKind::kRead)];
  of_table_->rows.Add();
  has_records_ = true;
  const event::ChangeEvent* const outer = std::exchange(change_, &row);
  const event::RecordId behind =
      std::exchange(id_, {.lsn = id_.lsn, .of = event::RecordId::Of::kRow});
  absl::Status published;
  for (const event::Emission& emission : read_emissions_) {
    published = Publish(emission);
    if (!published.ok()) break;
  }
  change_ = outer;
  id_ = behind;
  of_table_ = nullptr;
  parts_.metrics->Seen(metrics::EventKind::kRead).Add();
  if (published.ok() && complete) parts_.tracker->Advance(*complete);
  return published;
}

// Of a table, what is published of it.
void Pipeline::CountChange(const event::ChangeEvent& change) {
  if (emissions_.empty()) return;
  has_records_ = true;
  if (change.schema == nullptr) return;
  of_table_ = &CountersOf(*change.schema)->by_kind[static_cast<size_t>(KindOf(change.operation))];
  of_table_->rows.Add();
}

metrics::TableCounters* Pipeline::CountersOf(const event::TableSchema& schema) {
  const uint64_t id = schema.version.value();
  if (last_counters_ != nullptr && id == last_table_) return last_counters_;
  // Each change of a table's definition brings a new version.
  if (table_counters_.size() >= kMaxTableVersions) table_counters_.clear();
  metrics::TableCounters*& counters = table_counters_[id];
  if (counters == nullptr) counters = parts_.metrics->tables.Of(schema.schema, schema.table);
  last_table_ = id;
  last_counters_ = counters;
  return counters;
}

absl::Status Pipeline::OnCommit(const event::TransactionInfo& transaction,
                                const event::Position& boundary) {
  id_ = {.lsn = boundary.commit_end.value(), .of = event::RecordId::Of::kEnd};
  parts_.router->RouteCommit(transaction, boundary.commit_end, &emissions_);
  RETURN_IF_ERROR(PublishAll());
  if (incremental_ != nullptr) incremental_->OnCommit(transaction.xid);
  parts_.tracker->Advance(boundary);
  parts_.metrics->transactions.Add();
  if (std::exchange(has_records_, false)) parts_.metrics->transactions_with_records.Add();
  parts_.metrics->last_source_time_us.Set(static_cast<uint64_t>(transaction.commit_time_us));
  CommittedAt(0);
  CountFiltered();
  ReportNotices();
  return absl::OkStatus();
}

// It belongs to no change: what was complete before is so after it.
absl::Status Pipeline::PublishHeartbeat() {
  parts_.tracker->SetBeside(true);
  absl::Status published = PublishBeside(parts_.router->Heartbeat());
  parts_.tracker->SetBeside(false);
  return published;
}

absl::Status Pipeline::PublishNotification(const event::Notification& notification,
                                           absl::string_view topic) {
  event::Emission emission;
  emission.kind = event::RecordKind::kNotification;
  emission.notification = &notification;
  emission.topic = topic;
  return PublishBeside(emission);
}

void Pipeline::CoverAgain() {
  const std::optional<event::Position> complete =
      in_change_ ? std::nullopt : parts_.tracker->complete();
  if (complete) parts_.tracker->Advance(*complete);
}

absl::Status Pipeline::PublishBeside(const event::Emission& emission) {
  const std::optional<event::Position> complete =
      in_change_ ? std::nullopt : parts_.tracker->complete();
  RETURN_IF_ERROR(Publish(emission));
  if (complete) parts_.tracker->Advance(*complete);
  return absl::OkStatus();
}

absl::Status Pipeline::PublishAll() {
  for (const event::Emission& emission : emissions_) RETURN_IF_ERROR(Publish(emission));
  return absl::OkStatus();
}

void Pipeline::Name(const event::Emission& emission, event::Record* record) {
  record->id = id_;
  record->heartbeat = emission.kind == event::RecordKind::kHeartbeat;
  if (record->heartbeat || emission.kind == event::RecordKind::kNotification) {
    record->id = {.lsn = id_.lsn};
  } else if (id_.of == event::RecordId::Of::kChange || id_.row.given()) {
    record->id.part = part_++;
  }
}

void Pipeline::CountFiltered() {
  using metrics::FilterRule;
  const auto add = [this](FilterRule rule, uint64_t now, uint64_t* counted) {
    if (now != *counted) parts_.metrics->Filtered(rule).Add(now - *counted);
    *counted = now;
  };
  const route::Router::Counters& now = parts_.router->counters();
  add(FilterRule::kNotCaptured, now.filtered_tables, &counted_.filtered_tables);
  add(FilterRule::kSkippedOperation, now.skipped_creates, &counted_.skipped_creates);
  add(FilterRule::kSkippedOperation, now.skipped_updates, &counted_.skipped_updates);
  add(FilterRule::kSkippedOperation, now.skipped_deletes, &counted_.skipped_deletes);
  parts_.metrics->truncates_skipped.Add(now.skipped_truncates - counted_.skipped_truncates);
  add(FilterRule::kSkippedOperation, now.skipped_truncates, &counted_.skipped_truncates);
  add(FilterRule::kNoValue, now.filtered_messages, &counted_.filtered_messages);
  add(FilterRule::kNoValue, now.unchanged_updates, &counted_.unchanged_updates);
  CountReplaced();
}

void Pipeline::CountReplaced() {
  using metrics::Replacement;
  const auto add = [this](Replacement by, uint64_t now) {
    metrics::Counter& counter = parts_.metrics->Replaced(by);
    uint64_t& counted = replaced_[static_cast<size_t>(by)];
    if (now != counted) counter.Add(now - counted);
    counted = now;
  };
  add(Replacement::kNull, parts_.encoder->nulled_values());
  add(Replacement::kLimit, parts_.encoder->saturated_values());
  add(Replacement::kNothing, parts_.encoder->lost_values());
  add(Replacement::kFiller, parts_.encoder->filled_values());
}

void Pipeline::ReportNotices() {
  for (const encode::ColumnNotice& notice : parts_.encoder->TakeNotices()) {
    if (notice.type.empty()) {
      log::Warn(NoticeText(notice.kind), {{"table", notice.table}, {"column", notice.column}});
    } else {
      log::Warn(NoticeText(notice.kind),
                {{"table", notice.table}, {"column", notice.column}, {"type", notice.type}});
    }
    if (notice.kind == encode::ColumnNotice::Kind::kTypeNotSupported)
      parts_.metrics->columns_left_out.Add();
    if (notice.kind == encode::ColumnNotice::Kind::kTypeDropped)
      parts_.metrics->columns_of_dropped_types.Add();
  }
  for (const std::string& notice : parts_.encoder->TakeTransformNotices())
    parts_.warn_once->Warn(notice);
}

void Pipeline::BeginBatch() { parts_.encoder->ShareTime(kRecordsOfOneTime); }

void Pipeline::EndBatch() { parts_.encoder->ShareTime(1); }

void Pipeline::RenewTime() { parts_.encoder->RenewTime(); }

// While one record waits, the sink may refuse another one for good.
absl::Status Pipeline::Waited(absl::Status waited) {
  RenewTime();
  wait_failed_ = !waited.ok();
  return waited;
}

bool Pipeline::IsVerdict(const absl::Status& written) const {
  return absl::IsInvalidArgument(written) && !wait_failed_;
}

absl::Status Pipeline::Encode(const event::Emission& emission, event::Record* record) {
  while (true) {
    absl::Status encoded = parts_.encoder->Encode(emission, record);
    if (encoded.code() != absl::StatusCode::kResourceExhausted) return encoded;
    RETURN_IF_ERROR(Waited(parts_.waiter->WaitForSchemaId()));
  }
}

absl::Status Pipeline::Publish(const event::Emission& emission) {
  event::Record record;
  wait_failed_ = false;
  const absl::Status encoded = Encode(emission, &record);
  if (!encoded.ok() && !wait_failed_)
    return OnFailure(emission, encoded, RecordErrors::Stage::kEncode);
  if (!encoded.ok()) return encoded;
  if (record.dropped) {
    parts_.metrics->Filtered(metrics::FilterRule::kTransform).Add();
    return absl::OkStatus();
  }
  if (record.warned) parts_.metrics->transform_warnings.Add();
  Name(emission, &record);
  absl::Status written = Write(record);
  if (!IsVerdict(written)) return written;
  if (parts_.destinations != nullptr) parts_.destinations->OnNotTaken(record.topic);
  return OnFailure(emission, written, RecordErrors::Stage::kProduce);
}

// The dead letter is tracked like any record: the change counts as published once its dead letter
// is acknowledged.
absl::Status Pipeline::OnFailure(const event::Emission& emission, const absl::Status& error,
                                 RecordErrors::Stage stage) {
  return parts_.errors->Skippable(emission, LetPass(emission, error, stage));
}

absl::Status Pipeline::LetPass(const event::Emission& emission, const absl::Status& error,
                               RecordErrors::Stage stage) {
  if (parts_.sink->spoilt()) return WithContext(error, DescribeRecord(emission));
  if (stage == RecordErrors::Stage::kProduce && parts_.errors->WantsPlaceholder(error)) {
    const absl::Status smaller = PublishSmaller(emission, error);
    if (!IsVerdict(smaller)) return smaller;
  }
  const event::Record* letter = nullptr;
  RETURN_IF_ERROR(parts_.errors->Take(emission, error, stage, &letter));
  if (letter == nullptr) return absl::OkStatus();
  absl::Status written = absl::InvalidArgumentError("");
  do {
    event::Record named = *letter;
    Name(emission, &named);
    written = Write(named, true);
  } while (IsVerdict(written) && parts_.errors->Shrink(written));
  return WithContext(written, "dead letter");
}

absl::Status Pipeline::PublishSmaller(const event::Emission& emission, const absl::Status& error) {
  SmallerChange smaller(emission);
  absl::Status written = error;
  while (IsVerdict(written) && smaller.Shrink()) {
    event::Record record;
    const absl::Status encoded = Encode(smaller.emission(), &record);
    if (absl::IsCancelled(encoded) || wait_failed_) return encoded;
    if (!encoded.ok() || record.dropped) return error;
    Name(smaller.emission(), &record);
    written = Write(record);
  }
  if (written.ok()) parts_.errors->OnPlaceholder(emission, error, smaller.columns());
  return written;
}

absl::Status Pipeline::Write(const event::Record& record, bool letter) {
  const uint64_t ticket = parts_.tracker->NextTicket();
  while (true) {
    absl::Status written =
        letter ? parts_.sink->WriteLetter(record, ticket) : parts_.sink->Write(record, ticket);
    if (written.ok()) break;
    if (written.code() != absl::StatusCode::kResourceExhausted) {
      parts_.metrics->delivery_errors.Add();
      return written;
    }
    RETURN_IF_ERROR(Waited(parts_.waiter->WaitForRoom()));
  }
  parts_.tracker->OnWritten();
  const size_t bytes = BytesOf(record);
  if (parts_.destinations != nullptr) parts_.destinations->OnWritten(ticket, record.topic, bytes);
  parts_.metrics->records_written.Add();
  parts_.metrics->record_bytes.Add(bytes);
  if (of_table_ != nullptr) of_table_->bytes.Add(bytes);
  if (parts_.metrics->tail.wanted()) ShowRecord(record);
  return absl::OkStatus();
}

void Pipeline::ShowRecord(const event::Record& record) {
  metrics::LiveTail& tail = parts_.metrics->tail;
  metrics::LiveTail::Entry entry{.number = parts_.metrics->records_written.value(),
                                 .at = parts_.clock->Now(),
                                 .topic = std::string(record.topic)};
  if (change_ != nullptr) {
    entry.operation = metrics::kEventKindLabels[static_cast<size_t>(KindOf(change_->operation))];
    entry.lsn = change_->lsn;
    if (const event::TableSchema* const schema = change_->schema; schema != nullptr)
      entry.table = absl::StrCat(schema->schema, ".", schema->table);
  }
  if (record.key) entry.key_bytes = record.key->size();
  if (record.value) entry.value_bytes = record.value->size();
  if (tail.wants_texts() && record.key) entry.key = metrics::BeginningOf(*record.key);
  if (tail.wants_texts() && record.value) entry.value = metrics::BeginningOf(*record.value);
  tail.Show(std::move(entry));
}

}  // namespace walduct::delivery
