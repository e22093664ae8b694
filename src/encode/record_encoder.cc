#include "encode/record_encoder.h"

#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "base/swept_map.h"
#include "encode/options/encode_options.h"
#include "encode/program/template_encoder.h"
#include "encode/table/row_writer.h"
#include "encode/table/table_plan.h"

namespace walduct::encode {
namespace {

using event::Emission;
using event::Operation;
using event::RecordKind;

// Plans of fewer relations are never forgotten.
constexpr size_t kSweptTables = 256;
// Bytes of plans that come by turns, about: 10,000 tables of seven columns, 4,000 of twenty-four.
constexpr size_t kMostByTurns = 96 << 20;
// Bytes of a value; making a larger one takes time that the next record would lack.
constexpr size_t kLargeValue = 4096;

// About, with the programs of one kind of records.
size_t BytesOfPlan(const event::TableSchema& schema) {
  constexpr size_t kPlan = 6 << 10, kColumn = 768;
  return kPlan + kColumn * schema.columns.size();
}

TextFormat FormatOf(const ConverterOptions& converter) {
  return converter.kind == ConverterKind::kString ? TextFormat::kStruct : TextFormat::kJson;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordEncoder>> RecordEncoder::Create(
    EncodeOptions options, Clock& clock, std::string run_id, const event::TransformChain* chain,
    event::SchemaIdSources ids) {
  return std::unique_ptr<RecordEncoder>(
      new RecordEncoder(std::move(options), clock, std::move(run_id), chain, ids));
}

// The plans of one relation that are in use together: by topic, version, snapshot or stream. The
// oldest makes room.
struct RecordEncoder::TablePlans {
  std::array<std::unique_ptr<TablePlan>, 8> recent;
  size_t next = 0;
  std::vector<std::string> nullable;  // columns that have held NULL under NOT NULL, kept
};
struct RecordEncoder::Plans {
  SweptMap<uint32_t, TablePlans> by_relation{kSweptTables, kMostByTurns};
};

RecordEncoder::RecordEncoder(EncodeOptions options, Clock& clock, std::string run_id,
                             const event::TransformChain* chain, event::SchemaIdSources ids)
    : options_(std::make_unique<const EncodeOptions>(std::move(options))),
      clock_(clock),
      run_id_(std::move(run_id)),
      plans_(std::make_unique<Plans>()),
      templates_(std::make_unique<TemplateEncoder>(chain, *options_, run_id_, ids, &context_)),
      other_branches_(std::make_unique<RecordBranches>()) {
  context_.scratch = &scratch_;
  context_.notices = &notices_;
  context_.on_failure = options_->values.on_failure;
  context_.keep_nulls = options_->values.keep_lost;
}

RecordEncoder::~RecordEncoder() = default;

std::vector<std::string> RecordEncoder::TakeTransformNotices() { return templates_->TakeNotices(); }

absl::Status RecordEncoder::Encode(const Emission& emission, event::Record* record) {
  // What a tombstone tells is of the delete before it.
  const bool tombstone = emission.value == event::PublishedValue::kTombstone && now_nanos_ != 0;
  const int64_t now = tombstone ? now_nanos_ : Now();
  event::Record empty;
  empty.made_ms = now / 1'000'000;
  *record = empty;
  if (emission.kind != RecordKind::kChange || emission.operation == Operation::kMessage)
    return templates_->Encode(emission, nullptr, other_branches_.get(), now, record);
  while (true) {
    const TablePlan& plan = PlanOf(emission);
    RETURN_IF_ERROR(plan.status);
    const absl::Status status =
        templates_->Encode(emission, &plan, plan.branches.get(), now, record);
    if (status.ok()) break;
    const std::optional<uint16_t> null_column = std::exchange(context_.null_column, std::nullopt);
    if (!null_column) return status;
    Loosen(emission, *null_column);
    *record = empty;
  }
  if (record->value && record->value->size() > kLargeValue) RenewTime();
  return absl::OkStatus();
}

int64_t RecordEncoder::Now() {
  if (time_left_ == 0) {
    now_nanos_ = absl::ToUnixNanos(clock_.Now());
    time_left_ = time_shared_;
  }
  --time_left_;
  return now_nanos_;
}

void RecordEncoder::ShareTime(int records) {
  time_shared_ = records;
  RenewTime();
}

absl::StatusOr<event::ChainOutcome> RecordEncoder::Preview(const Emission& emission) {
  const TablePlan& plan = PlanOf(emission);
  RETURN_IF_ERROR(plan.status);
  return templates_->Preview(emission, plan);
}

const TablePlan& RecordEncoder::PlanOf(const Emission& emission) {
  const event::TableSchema& schema = *emission.change->schema;
  const uint64_t version = schema.version.value();
  const bool snapshot = emission.change->operation == Operation::kRead;
  const auto fits = [&](const TablePlan& plan) {
    return plan.version == version && plan.snapshot == snapshot && plan.topic == emission.topic;
  };
  if (last_plan_ != nullptr && fits(*last_plan_)) return *last_plan_;
  const uint32_t relation = ToInteger(schema.relation);
  TablePlans* const known = plans_->by_relation.Find(relation);
  TablePlans& plans =
      known == nullptr ? plans_->by_relation.Add(relation, BytesOfPlan(schema)) : *known;
  for (const auto& plan : plans.recent) {
    if (plan == nullptr || !fits(*plan)) continue;
    last_plan_ = plan.get();
    return *last_plan_;
  }
  std::unique_ptr<TablePlan>& plan = plans.recent[plans.next++ % plans.recent.size()];
  plan = std::make_unique<TablePlan>(GuardedPlan(emission, plans.nullable));
  notices_.ForgetFields();
  for (const ColumnNotice& notice : plan->notices) notices_.Add(notice);
  last_plan_ = plan.get();
  return *last_plan_;
}

TablePlan RecordEncoder::CompilePlan(const Emission& emission,
                                     const std::vector<std::string>& nullable) const {
  TablePlan plan = CompileTable({.schema = emission.change->schema,
                                 .topic = emission.topic,
                                 .key = emission.key_rule,
                                 .snapshot = emission.change->operation == Operation::kRead,
                                 .nullable = nullable},
                                *options_);
  plan.branches = std::make_shared<RecordBranches>();
  return plan;
}

TablePlan RecordEncoder::GuardedPlan(const Emission& emission,
                                     const std::vector<std::string>& nullable) {
  TablePlan plan = CompilePlan(emission, nullable);
  if (guard_ && plan.status.ok()) plan.status = guard_(*emission.change->schema);
  return plan;
}

void RecordEncoder::Loosen(const Emission& emission, uint16_t column) {
  const event::TableSchema& schema = *emission.change->schema;
  const std::string& name = schema.columns[column].name;
  std::vector<std::string>& nullable =
      plans_->by_relation.Find(ToInteger(schema.relation))->nullable;
  if (!absl::c_linear_search(nullable, name)) nullable.push_back(name);
  notices_.ForgetFields();
  notices_.Add({ColumnNotice::Kind::kNullKept, last_plan_->table_name, name, ""});
  *last_plan_ = CompilePlan(emission, nullable);
}

void RecordEncoder::SetXmin(std::optional<uint64_t> xmin) { templates_->SetXmin(xmin); }

bool RecordEncoder::SameKey(const Emission& emission) { return Same(emission, true); }

bool RecordEncoder::SameValue(const Emission& emission) { return Same(emission, false); }

bool RecordEncoder::Same(const Emission& emission, bool key) {
  const TablePlan& plan = PlanOf(emission);
  if (!plan.status.ok()) return false;
  const ConverterOptions& converter = key ? options_->key : options_->value;
  // Of its own, so that what is only compared is not counted.
  ValueContext context = context_;
  context.out = &compared_;
  context.format = FormatOf(converter);
  context.decimal_numeric = converter.decimal_numeric;
  context.map_entries = converter.json_schema;
  context.nested_arrays = !converter.shows_schema();
  context.streaming = !key;
  context.notices = nullptr;
  const event::RowView before = emission.change->before.value_or(event::RowView());
  const event::RowView after = emission.change->after.value_or(event::RowView());
  const bool absent_is_null = key || emission.change->old_row == event::OldRow::kWhole;
  return SameRow(plan, key ? plan.key : plan.row, {before, {}}, {after, before}, &context,
                 absent_is_null);
}

}  // namespace walduct::encode
