#include "encode/record_encoder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "encode/schema/envelope_schema.h"
#include "encode/table/bytes_only_error.h"

namespace walduct::encode {
namespace {

using config::ConverterKind;
using config::ConverterOptions;
using event::ChangeEvent;
using event::Emission;
using event::KeyHeader;
using event::KeySource;
using event::Operation;
using event::PublishedValue;
using event::RecordKind;

constexpr size_t kMaxTables = 16384;
constexpr absl::string_view kNewKeyHeader = "__debezium.newkey";
constexpr absl::string_view kOldKeyHeader = "__debezium.oldkey";
constexpr absl::string_view kTaskId = "0";

TextFormat FormatOf(const ConverterOptions& converter) {
  return converter.kind == ConverterKind::kString ? TextFormat::kStruct : TextFormat::kJson;
}

absl::Status CheckConverter(const ConverterOptions& converter, absl::string_view part) {
  if (converter.kind != ConverterKind::kByteArray) return absl::OkStatus();
  return BytesOnlyError(part, "of a change is a structure");
}

// The new row may lack TOAST values that the old one has (REPLICA IDENTITY FULL).
RowSource AfterRow(const ChangeEvent& change) {
  return {change.after.value_or(event::RowView()), change.before.value_or(event::RowView())};
}
RowSource BeforeRow(const ChangeEvent& change) {
  return {change.before.value_or(event::RowView()), {}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordEncoder>> RecordEncoder::Create(
    config::EncodeOptions options, Clock& clock, std::string run_id,
    const event::TransformChain* chain) {
  std::unique_ptr<RecordEncoder> encoder(
      new RecordEncoder(std::move(options), clock, std::move(run_id)));
  // Headers in other forms than SimpleHeaderConverter's are written from templates only.
  if (chain == nullptr && encoder->options_.header) chain = &encoder->no_transforms_;
  if (chain != nullptr)
    encoder->templates_ = std::make_unique<TemplateEncoder>(
        *chain, encoder->options_, encoder->run_id_, &encoder->source_, &encoder->context_);
  return encoder;
}

RecordEncoder::RecordEncoder(config::EncodeOptions options, Clock& clock, std::string run_id)
    : options_(std::move(options)),
      clock_(clock),
      run_id_(std::move(run_id)),
      source_(options_),
      message_source_(SourceTable("", "")),
      message_key_head_(PayloadHead(MessageKeySchema(), options_.key)),
      message_value_head_(
          PayloadHead(MessageValueSchema(MessageContentType(options_.values)), options_.value)),
      transaction_records_(options_),
      heartbeat_(options_) {
  context_.scratch = &scratch_;
  context_.notices = &notices_;
  context_.on_failure = options_.values.on_failure;
}

absl::Status RecordEncoder::Encode(const Emission& emission, event::Record* record) {
  *record = event::Record();
  if (templates_ != nullptr) return EncodeTemplate(emission, record);
  record->topic = emission.topic;
  switch (emission.kind) {
    case RecordKind::kChange:
      break;
    case RecordKind::kTransactionBegin:
    case RecordKind::kTransactionEnd:
      return EncodeTransaction(emission, record);
    case RecordKind::kHeartbeat:
      return EncodeHeartbeat(record);
  }
  if (emission.operation == Operation::kMessage) return EncodeMessage(emission, record);
  return EncodeTable(emission, record);
}

absl::Status RecordEncoder::EncodeTransaction(const Emission& emission, event::Record* record) {
  RETURN_IF_ERROR(CheckConverter(options_.key, "key"));
  RETURN_IF_ERROR(CheckConverter(options_.value, "value"));
  Begin(&key_, options_.key);
  transaction_records_.AppendKey(*emission.boundary, context_.format, &key_);
  record->key = key_;
  Begin(&value_, options_.value);
  transaction_records_.AppendValue(emission, context_.format, &value_);
  record->value = value_;
  return absl::OkStatus();
}

absl::Status RecordEncoder::EncodeHeartbeat(event::Record* record) {
  RETURN_IF_ERROR(CheckConverter(options_.key, "key"));
  RETURN_IF_ERROR(CheckConverter(options_.value, "value"));
  record->partition = HeartbeatRecord::kPartition;
  Begin(&key_, options_.key);
  heartbeat_.AppendKey(context_.format, &key_);
  record->key = key_;
  Begin(&value_, options_.value);
  heartbeat_.AppendValue(clock_.Now(), context_.format, &value_);
  record->value = value_;
  return absl::OkStatus();
}

absl::Status RecordEncoder::EncodeTemplate(const Emission& emission, event::Record* record) {
  const int64_t now = absl::ToUnixNanos(clock_.Now());
  if (emission.kind != RecordKind::kChange || emission.operation == Operation::kMessage)
    return templates_->Encode(emission, nullptr, &other_branches_, now, record);
  const TablePlan& plan = PlanOf(emission);
  RETURN_IF_ERROR(plan.status);
  if (plan.branches == nullptr) plan.branches = std::make_shared<RecordBranches>();
  return templates_->Encode(emission, &plan, plan.branches.get(), now, record);
}

absl::StatusOr<const event::ChainOutcome*> RecordEncoder::Preview(const Emission& emission) {
  const TablePlan& plan = PlanOf(emission);
  RETURN_IF_ERROR(plan.status);
  if (plan.branches == nullptr) plan.branches = std::make_shared<RecordBranches>();
  return &templates_->Preview(emission, plan, plan.branches.get());
}

const TablePlan& RecordEncoder::PlanOf(const Emission& emission) {
  const event::TableSchema& schema = *emission.change->schema;
  const uint64_t version = schema.version.value();
  const bool snapshot = emission.change->operation == Operation::kRead;
  const auto fits = [&](const TablePlan& plan) {
    return plan.version == version && plan.snapshot == snapshot && plan.topic == emission.topic;
  };
  if (last_plan_ != nullptr && fits(*last_plan_)) return *last_plan_;
  if (!plans_.contains(ToInteger(schema.relation)) && plans_.size() >= kMaxTables) plans_.clear();
  TablePlans& plans = plans_[ToInteger(schema.relation)];
  for (const auto& plan : plans.recent) {
    if (plan == nullptr || !fits(*plan)) continue;
    last_plan_ = plan.get();
    return *last_plan_;
  }
  std::unique_ptr<TablePlan>& plan = plans.recent[plans.next++ % plans.recent.size()];
  plan = std::make_unique<TablePlan>(CompileTable(
      {.schema = &schema, .topic = emission.topic, .key = emission.key_rule, .snapshot = snapshot},
      options_));
  notices_.ForgetFields();
  for (const ColumnNotice& notice : plan->notices) notices_.Add(notice);
  last_plan_ = plan.get();
  return *last_plan_;
}

bool RecordEncoder::SameKey(const Emission& emission) { return Same(emission, true); }

bool RecordEncoder::SameValue(const Emission& emission) { return Same(emission, false); }

bool RecordEncoder::Same(const Emission& emission, bool key) {
  const TablePlan& plan = PlanOf(emission);
  if (!plan.status.ok()) return false;
  Begin(&compared_, key ? options_.key : options_.value);
  // Of its own, so that what is only compared is not counted.
  ValueContext context = context_;
  context.streaming = !key;
  context.notices = nullptr;
  return SameRow(plan, key ? plan.key : plan.row, BeforeRow(*emission.change),
                 AfterRow(*emission.change), &context);
}

// Points the value context at an emptied buffer.
void RecordEncoder::Begin(std::string* buffer, const ConverterOptions& converter) {
  buffer->clear();
  context_.out = buffer;
  context_.format = FormatOf(converter);
  context_.decimal_numeric = converter.decimal_numeric;
  context_.nested_arrays = !(converter.kind == ConverterKind::kJson && converter.schemas_enable);
}

absl::Status RecordEncoder::EncodeTable(const Emission& emission, event::Record* record) {
  const TablePlan& plan = PlanOf(emission);
  RETURN_IF_ERROR(plan.status);
  context_.streaming = false;
  RETURN_IF_ERROR(EncodeKey(plan, emission, record));
  RETURN_IF_ERROR(EncodeHeaders(plan, emission, record));
  if (emission.value == PublishedValue::kTombstone) return absl::OkStatus();
  RETURN_IF_ERROR(CheckConverter(options_.value, "value"));
  Begin(&value_, options_.value);
  context_.streaming = emission.change->operation != Operation::kRead;
  RETURN_IF_ERROR(EncodeEnvelope(plan, emission));
  record->value = value_;
  return absl::OkStatus();
}

absl::Status RecordEncoder::AppendKeyOf(const TablePlan& plan, KeySource source,
                                        const ChangeEvent& change) {
  return AppendRow(plan, plan.key,
                   source == KeySource::kBefore ? BeforeRow(change) : AfterRow(change), &context_);
}

absl::Status RecordEncoder::EncodeKey(const TablePlan& plan, const Emission& emission,
                                      event::Record* record) {
  if (emission.key == KeySource::kNone || plan.key_schema == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(CheckConverter(options_.key, "key"));
  Begin(&key_, options_.key);
  key_.append(plan.key_head);
  RETURN_IF_ERROR(AppendKeyOf(plan, emission.key, *emission.change));
  if (!plan.key_head.empty()) key_.push_back('}');
  record->key = key_;
  return absl::OkStatus();
}

absl::Status RecordEncoder::EncodeHeaders(const TablePlan& plan, const Emission& emission,
                                          event::Record* record) {
  size_t size = 0;
  if (emission.key_header != KeyHeader::kNone) {
    const bool new_key = emission.key_header == KeyHeader::kNewKey;
    Begin(&key_header_, options_.key);
    context_.format = TextFormat::kHeader;
    RETURN_IF_ERROR(
        AppendKeyOf(plan, new_key ? KeySource::kAfter : KeySource::kBefore, *emission.change));
    headers_[size++] = {new_key ? kNewKeyHeader : kOldKeyHeader, key_header_};
  }
  if (options_.extended_headers) {
    headers_[size++] = {"__debezium.context.connectorLogicalName", options_.topic_prefix};
    headers_[size++] = {"__debezium.context.taskId", kTaskId};
    headers_[size++] = {"__debezium.context.connectorName", kConnectorType};
    headers_[size++] = {"__debezium.context.runId", run_id_};
  }
  record->headers = absl::MakeConstSpan(headers_.data(), size);
  return absl::OkStatus();
}

absl::Status RecordEncoder::AppendRowOrNull(const TablePlan& plan, absl::string_view label,
                                            bool present, const RowSource& source) {
  value_.append(label.data(), label.size());
  if (present) return AppendRow(plan, plan.row, source, &context_);
  value_.append("null");
  return absl::OkStatus();
}

absl::Status RecordEncoder::EncodeEnvelope(const TablePlan& plan, const Emission& emission) {
  const ChangeEvent& change = *emission.change;
  const char op = static_cast<char>(emission.operation);
  if (context_.format == TextFormat::kStruct) {
    value_.append("Struct{");
    if (emission.with_before) {
      RETURN_IF_ERROR(AppendRowOrNull(plan, "before=", true, BeforeRow(change)));
      value_.push_back(',');
    }
    if (emission.with_after) {
      RETURN_IF_ERROR(AppendRowOrNull(plan, "after=", true, AfterRow(change)));
      value_.push_back(',');
    }
    value_.append("source=");
    source_.Append(change, plan.source_table, context_.format, &value_);
    AppendTransactionBlock(emission, context_.format, &value_);
    absl::StrAppend(&value_, ",op=", absl::string_view(&op, 1));
    AppendClock(true);
    value_.push_back('}');
    return absl::OkStatus();
  }
  value_.append(plan.value_head);
  RETURN_IF_ERROR(AppendRowOrNull(plan, "{\"before\":", emission.with_before, BeforeRow(change)));
  RETURN_IF_ERROR(AppendRowOrNull(plan, ",\"after\":", emission.with_after, AfterRow(change)));
  value_.append(",\"source\":");
  source_.Append(change, plan.source_table, context_.format, &value_);
  AppendTransactionBlock(emission, context_.format, &value_);
  value_.append(",\"op\":\"");
  value_.push_back(op);
  value_.push_back('"');
  AppendClock(true);
  value_.push_back('}');
  if (!plan.value_head.empty()) value_.push_back('}');
  return absl::OkStatus();
}

// When the record was made: ts_ms and, in envelopes, ts_us and ts_ns.
void RecordEncoder::AppendClock(bool all_units) {
  const InstantDigits now(absl::ToUnixNanos(clock_.Now()));
  const bool java = context_.format == TextFormat::kStruct;
  value_.append(java ? ",ts_ms=" : ",\"ts_ms\":");
  now.AppendWithoutLast(6, &value_);
  if (!all_units) return;
  value_.append(java ? ",ts_us=" : ",\"ts_us\":");
  now.AppendWithoutLast(3, &value_);
  value_.append(java ? ",ts_ns=" : ",\"ts_ns\":");
  now.AppendWithoutLast(0, &value_);
}

absl::Status RecordEncoder::EncodeMessage(const Emission& emission, event::Record* record) {
  const ChangeEvent& change = *emission.change;
  RETURN_IF_ERROR(CheckConverter(options_.key, "key"));
  RETURN_IF_ERROR(CheckConverter(options_.value, "value"));
  Begin(&key_, options_.key);
  key_.append(message_key_head_);
  key_.append(context_.format == TextFormat::kStruct ? "Struct{prefix=" : "{\"prefix\":");
  AppendText(change.message->prefix, &context_);
  key_.append(message_key_head_.empty() ? "}" : "}}");
  record->key = key_;
  Begin(&value_, options_.value);
  if (context_.format == TextFormat::kStruct) {
    AppendMessageStruct(emission);
  } else {
    AppendMessageJson(emission);
  }
  record->value = value_;
  return absl::OkStatus();
}

void RecordEncoder::AppendMessageJson(const Emission& emission) {
  const ChangeEvent& change = *emission.change;
  value_.append(message_value_head_);
  value_.append("{\"op\":\"m\"");
  AppendClock(false);
  value_.append(",\"source\":");
  source_.Append(change, message_source_, TextFormat::kJson, &value_);
  AppendTransactionBlock(emission, TextFormat::kJson, &value_);
  value_.append(",\"message\":{\"prefix\":");
  AppendJsonString(change.message->prefix, &value_);
  value_.append(",\"content\":");
  AppendMessageContent(options_.values, change.message->content, &context_);
  value_.append(message_value_head_.empty() ? "}}" : "}}}");
}

void RecordEncoder::AppendMessageStruct(const Emission& emission) {
  const ChangeEvent& change = *emission.change;
  value_.append("Struct{op=m");
  AppendClock(false);
  value_.append(",source=");
  source_.Append(change, message_source_, TextFormat::kStruct, &value_);
  AppendTransactionBlock(emission, TextFormat::kStruct, &value_);
  absl::StrAppend(&value_, ",message=Struct{prefix=", change.message->prefix, ",content=");
  AppendMessageContent(options_.values, change.message->content, &context_);
  value_.append("}}");
}

}  // namespace walduct::encode
