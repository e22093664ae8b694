// RecordEncoder: turns an Emission into the bytes of a Kafka record, as Debezium behind Kafka
// Connect's JsonConverter, StringConverter or ByteArrayConverter or Confluent's AvroConverter
// writes them: key, value with envelope and source block, headers. Compiles a plan per version of a
// table at its first row; after that a row looks nothing up by name and allocates nothing.
//
// Thread-safety: none; one per pipeline. A Record borrows the encoder's buffers until the next call
// of Encode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "encode/formats/value_context.h"
#include "encode/table/column_notices.h"
#include "event/emission.h"
#include "event/record.h"
#include "event/record_comparison.h"
#include "event/schema_ids.h"
#include "event/transform_chain.h"

namespace walduct::encode {

struct EncodeOptions;
struct RecordBranches;
struct TablePlan;
class TemplateEncoder;

class RecordEncoder final : public event::RecordComparison {
 public:
  // clock is borrowed and read once per record, or less often: see ShareTime. chain: the
  // transforms, borrowed; null: none.
  // run_id: value of the header __debezium.context.runId. ids: of the converters that need them.
  static absl::StatusOr<std::unique_ptr<RecordEncoder>> Create(
      EncodeOptions options, Clock& clock, std::string run_id,
      const event::TransformChain* chain = nullptr, event::SchemaIdSources ids = {});
  ~RecordEncoder() override;

  // Fills record, or sets its `dropped` when a transform wants nothing published; see row_writer.h
  // for errors of values, and
  //   InvalidArgument    the converter cannot write such a key or value (ByteArrayConverter takes
  //                      bytes only), or the registry refuses its schema
  //   ResourceExhausted  the id of its schema is not known yet: call again, see SchemaIds::Find
  absl::Status Encode(const event::Emission& emission, event::Record* record);

  // Wall time is read at the next record, and holds for so many records from there on; less after
  // a large one. 1, as at first: each has its own. For records that follow each other at once.
  void ShareTime(int records);
  // Time has passed: the next record has a new one.
  void RenewTime() { time_left_ = 0; }

  // Of a row's record, before there is one: what the chain makes of it, as far as it can be told
  // without values. Only with a chain. Errors: those of the table's plan.
  absl::StatusOr<event::ChainOutcome> Preview(const event::Emission& emission);

  // Asked before the first record by a description of a table: whether its rows may be published as
  // the configuration has it now. An error is that of each of its records.
  using TableGuard = std::function<absl::Status(const event::TableSchema&)>;
  void SetGuard(TableGuard guard) { guard_ = std::move(guard); }

  // source.xmin of the records to come, where options ask for it: what the slot holds back.
  void SetXmin(std::optional<uint64_t> xmin);

  bool SameKey(const event::Emission& emission) override;
  bool SameValue(const event::Emission& emission) override;

  // What was found out about columns since the last call; each notice comes once.
  std::vector<ColumnNotice> TakeNotices() { return notices_.Take(); }
  // What transforms have to say, each notice once.
  std::vector<std::string> TakeTransformNotices();

  // Timestamps and intervals beyond 64 bits of microseconds, written as the limit.
  uint64_t saturated_values() const { return context_.saturated; }
  // Values that their schema cannot express, written as null.
  uint64_t nulled_values() const { return context_.nulled; }
  // Values that are published as if they had not been sent, as Debezium does.
  uint64_t lost_values() const { return context_.lost; }
  // NULL of columns that are NOT NULL, written as a value of their types, as Debezium does.
  uint64_t filled_values() const { return context_.filled; }

 private:
  RecordEncoder(EncodeOptions options, Clock& clock, std::string run_id,
                const event::TransformChain* chain, event::SchemaIdSources ids);

  int64_t Now();
  const TablePlan& PlanOf(const event::Emission& emission);
  TablePlan CompilePlan(const event::Emission& emission,
                        const std::vector<std::string>& nullable) const;
  TablePlan GuardedPlan(const event::Emission& emission, const std::vector<std::string>& nullable);
  // The plan anew, with that column's field optional; for all plans of the relation to come, too.
  void Loosen(const event::Emission& emission, uint16_t column);
  bool Same(const event::Emission& emission, bool key);

  const std::unique_ptr<const EncodeOptions> options_;
  Clock& clock_;
  int time_shared_ = 1;
  int time_left_ = 0;      // records that now_nanos_ holds for
  int64_t now_nanos_ = 0;  // since the Unix epoch
  const std::string run_id_;
  TableGuard guard_;

  struct TablePlans;
  struct Plans;  // by relation
  const std::unique_ptr<Plans> plans_;
  TablePlan* last_plan_ = nullptr;
  ColumnNotices notices_;

  Scratch scratch_;
  ValueContext context_;
  OutBuffer compared_;
  const std::unique_ptr<TemplateEncoder> templates_;
  const std::unique_ptr<RecordBranches> other_branches_;  // of records that are about no row
};

}  // namespace walduct::encode
