#include "delivery/pipeline/record_errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "delivery/pipeline/change_text.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/record_error_options.h"
#include "event/change_id.h"
#include "event/header_error.h"
#include "event/transform_error.h"

namespace walduct::delivery {
namespace {

using metrics::RecordErrorOutcome;

// An error of this record and of no other. What a server lacks, and text that PostgreSQL cannot
// have sent, stop the connector whatever the tolerance.
bool IsOfRecord(const absl::Status& error) {
  return absl::IsInvalidArgument(error) || absl::IsUnimplemented(error) ||
         ErrorReason(error) == "toast_value_not_sent";
}

// Of a change or a row, whatever else there is; what a server lacks does not last.
bool Lasts(const absl::Status& error) {
  // Of a table, not of this change of it.
  if (ErrorReason(error) == "mask_lost") return false;
  return absl::IsInvalidArgument(error) || absl::IsUnimplemented(error) ||
         absl::IsFailedPrecondition(error) || absl::IsDataLoss(error);
}

bool IsRow(const event::Emission& emission) {
  return emission.kind == event::RecordKind::kChange && emission.change != nullptr;
}

bool IsRowOfSnapshot(const event::Emission& emission) {
  return IsRow(emission) && emission.change->operation == event::Operation::kRead;
}

engine::SkippedRow RowOf(const event::Emission& emission) {
  const event::TableSchema& schema = *emission.change->schema;
  engine::SkippedRow row{.table = absl::StrCat(schema.schema, ".", schema.table),
                         .key = KeyColumnsOf(emission)};
  std::sort(row.key.begin(), row.key.end());
  return row;
}

absl::string_view StageText(const absl::Status& error, RecordErrors::Stage stage) {
  if (stage == RecordErrors::Stage::kProduce) return "KAFKA_PRODUCE";
  if (event::IsHeaderError(error)) return "HEADER_CONVERTER";
  return event::FailedTransform(error).empty() ? "VALUE_CONVERTER" : "TRANSFORMATION";
}

// Writes whatever can be written: a dead letter need not be complete.
encode::EncodeOptions Lenient(encode::EncodeOptions options) {
  options.values.on_failure = encode::FailureMode::kNull;
  for (encode::ConverterOptions* converter : {&options.key, &options.value}) {
    converter->cloud_events = nullptr;
    converter->schema_id = converter->json_schema = false;
    if (converter->kind != encode::ConverterKind::kByteArray &&
        converter->kind != encode::ConverterKind::kNumber &&
        converter->kind != encode::ConverterKind::kAvro &&
        converter->kind != encode::ConverterKind::kProtobuf)
      continue;
    converter->kind = encode::ConverterKind::kJson;
    converter->schemas_enable = false;
  }
  if (options.header && (options.header->kind == encode::ConverterKind::kByteArray ||
                         options.header->kind == encode::ConverterKind::kNumber))
    options.header.reset();
  return options;
}

}  // namespace

RecordErrors::RecordErrors(Options options) : options_(std::move(options)) {}

absl::Status RecordErrors::Take(const event::Emission& emission, const absl::Status& error,
                                Stage stage, const event::Record** letter) {
  const absl::Status decided = Decide(emission, error, stage, letter);
  if (decided.ok() && IsRowOfSnapshot(emission)) ++rows_left_out_;
  return decided;
}

absl::Status RecordErrors::Decide(const event::Emission& emission, const absl::Status& error,
                                  Stage stage, const event::Record** letter) {
  *letter = nullptr;
  absl::Status described = WithContext(error, DescribeRecord(emission));
  if (Lasts(error) && IsSkippedRow(emission)) {
    options_.metrics->RecordErrors(RecordErrorOutcome::kByHand).Add();
    log::Warn("row of a snapshot left out, as walduct.snapshot.skip.rows asks for: not published",
              {{"record", DescribeRecord(emission)}, {"reason", ErrorReason(error)}});
    return absl::OkStatus();
  }
  if (!IsOfRecord(error)) return described;
  const Verdict verdict = Judge(*options_.policy, error, stage == Stage::kProduce);
  if (verdict == Verdict::kStop) return WithDeadLetterAdvice(described);
  if (verdict == Verdict::kSkip) {
    Skip(emission, error, stage);
    return absl::OkStatus();
  }
  const bool has_letter = verdict == Verdict::kDeadLetter;
  if (!has_letter || options_.policy->log) Log(emission, error, stage);
  options_.metrics
      ->RecordErrors(has_letter ? RecordErrorOutcome::kDeadLetter : RecordErrorOutcome::kLogged)
      .Add();
  if (!has_letter) return absl::OkStatus();
  MakeLetter(emission, error, stage);
  *letter = &letter_;
  return absl::OkStatus();
}

bool RecordErrors::IsSkippedRow(const event::Emission& emission) const {
  if (options_.policy->skipped_rows.empty() || !IsRowOfSnapshot(emission)) return false;
  const std::vector<engine::SkippedRow>& skipped = options_.policy->skipped_rows;
  return std::find(skipped.begin(), skipped.end(), RowOf(emission)) != skipped.end();
}

// Of a row of a snapshot, which no LSN names.
std::string RecordErrors::WaysOut(const event::Emission& emission) const {
  const engine::SkippedRow row = RowOf(emission);
  if (row.key.empty()) {
    return absl::StrCat("snapshot.select.statement.overrides.", row.table,
                        " with a statement that leaves the row out (docs/errors.md)");
  }
  if (!options_.called.where.empty()) {
    return absl::StrCat(names::Command(options_.called, "skip",
                                       absl::StrCat("--table ", ShellWord(row.table), " --row-key ",
                                                    ShellWord(engine::PrintKey(row)))),
                        " leaves this one row out of snapshots");
  }
  std::vector<engine::SkippedRow> rows = options_.policy->skipped_rows;
  rows.push_back(row);
  return absl::StrCat(
      names::SetCommand(options_.called, absl::StrCat("walduct.snapshot.skip.rows=",
                                                      engine::PrintSkippedRows(rows))),
      " leaves this one row out of snapshots");
}

absl::Status RecordErrors::Skippable(const event::Emission& emission,
                                     const absl::Status& error) const {
  if (error.ok() || !Lasts(error) || !IsRow(emission)) return error;
  if (emission.change->operation == event::Operation::kRead) {
    const std::string hint = ErrorHint(error);
    return Error(error.code(), ErrorReason(error), error.message(),
                 absl::StrCat(hint, hint.empty() ? "" : "; or ", WaysOut(emission)));
  }
  return WithSkip(error, event::LastChange(emission.change->position), options_.called);
}

void RecordErrors::Skip(const event::Emission& emission, const absl::Status& error, Stage stage) {
  options_.metrics->RecordErrors(RecordErrorOutcome::kSkipped).Add();
  const uint64_t count = skipped_.Count(emission.topic, ErrorReason(error));
  if (count == 0) return;
  Log(emission, error, stage);
  if (count > 1) {
    log::Warn("records skipped so far",
              {{"topic", emission.topic}, {"reason", ErrorReason(error)}, {"records", count}});
  }
}

bool RecordErrors::WantsPlaceholder(const absl::Status& error) const {
  return options_.policy->too_large == engine::RecordErrorOptions::Policy::kPlaceholder &&
         ErrorReason(error) == "record_too_large";
}

void RecordErrors::OnPlaceholder(const event::Emission& emission, const absl::Status& error,
                                 absl::string_view columns) {
  options_.metrics->RecordErrors(RecordErrorOutcome::kPlaceholder).Add();
  log::Warn(absl::StrCat("record published without its largest values: ", error.message()),
            {{"record", SubjectOf(emission)},
             {"key", KeyOf(emission)},
             {"lsn", emission.change->lsn.ToString()},
             {"topic", emission.topic},
             {"columns", columns},
             {"hint", ErrorHint(error)}});
}

bool RecordErrors::EncodeOriginal(const event::Emission& emission, event::Record* record) {
  if (encoder_ == nullptr) {
    auto encoder =
        encode::RecordEncoder::Create(Lenient(*options_.encode), *options_.clock, options_.run_id);
    if (encoder.ok()) encoder_ = *std::move(encoder);
  }
  if (encoder_ == nullptr) return false;
  if (encoder_->Encode(emission, record).ok()) return true;
  event::Emission key_only = emission;
  key_only.value = event::PublishedValue::kTombstone;
  if (emission.kind != event::RecordKind::kChange || !encoder_->Encode(key_only, record).ok())
    *record = event::Record();
  record->value.reset();
  return false;
}

void RecordErrors::SetContext(const event::Emission& emission, const absl::Status& error,
                              Stage stage) {
  context_ = {std::string(emission.topic),
              options_.connector,
              "0",
              std::string(StageText(error, stage)),
              ClassOf(error, stage),
              ExceptionOf(error),
              absl::StrCat(DescribeRecord(emission), ": ", error.message())};
  for (std::string& text : context_) text = AsHeader(std::move(text));
}

std::string RecordErrors::ClassOf(const absl::Status& error, Stage stage) const {
  if (stage == Stage::kProduce) return "org.apache.kafka.connect.runtime.WorkerSourceTask";
  const std::string alias = event::FailedTransform(error);
  if (event::IsHeaderError(error)) return options_.policy->header_converter;
  if (alias.empty()) return options_.policy->value_converter;
  const auto found = options_.policy->transforms.find(alias);
  return found == options_.policy->transforms.end() ? alias : found->second;
}

void RecordErrors::MakeLetter(const event::Emission& emission, const absl::Status& error,
                              Stage stage) {
  letter_ = event::Record();
  const bool whole = EncodeOriginal(emission, &letter_);
  letter_.topic = options_.policy->dead_letter_topic;
  letter_.partition.reset();
  headers_.assign(letter_.headers.begin(), letter_.headers.end());
  SetContext(emission, error, stage);
  has_context_ = false;
  spare_key_.reset();
  if (options_.policy->context_headers || !whole) AddContextHeaders();
  letter_.headers = headers_;
}

void RecordErrors::AddContextHeaders() {
  if (std::exchange(has_context_, true)) return;
  for (size_t i = 0; i < kContextNames.size(); ++i)
    headers_.push_back({kContextNames[i], context_[i]});
  letter_.headers = headers_;
}

bool RecordErrors::Shrink(const absl::Status& why) {
  if (!letter_.value && !letter_.key) return false;
  AddContextHeaders();
  // It may be the key alone, as one that is too long for Kinesis: the row is worth more.
  const bool of_size = ErrorReason(why) == "record_too_large";
  if (letter_.value && letter_.key && !of_size) {
    spare_key_ = std::exchange(letter_.key, std::nullopt);
  } else if (letter_.value) {
    letter_.value.reset();
    if (spare_key_) letter_.key = std::exchange(spare_key_, std::nullopt);
  } else {
    letter_.key.reset();
  }
  return true;
}

void RecordErrors::Log(const event::Emission& emission, const absl::Status& error, Stage stage) {
  const bool change = emission.kind == event::RecordKind::kChange;
  log::Warn(absl::StrCat("record not published: ", error.message()),
            {{"record", SubjectOf(emission)},
             {"key", KeyOf(emission)},
             {"lsn", change ? emission.change->lsn.ToString() : ""},
             {"transaction",
              change && emission.change->xid ? absl::StrCat(*emission.change->xid) : std::string()},
             {"topic", emission.topic},
             {"stage", StageText(error, stage)},
             {"reason", ErrorReason(error)},
             {"dead_letter_topic", options_.policy->dead_letter_topic}});
  if (!options_.policy->log_records) return;
  event::Record record;
  EncodeOriginal(emission, &record);
  log::Warn("the record that was not published",
            {{"key", record.key.value_or("null")}, {"value", record.value.value_or("null")}});
}

}  // namespace walduct::delivery
