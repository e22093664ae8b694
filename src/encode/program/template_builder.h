// TemplateBuilder: the template of a record before any transform has seen it: what RecordEncoder
// would write, as a tree with inputs for what varies. Pure.
#pragma once

#include <string>

#include "config/options/options.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/record_template.h"

namespace walduct::encode {

// What decides the structure of a record of one table; records of equal kind have equal templates.
uint32_t TemplateKey(const event::Emission& emission);

class TemplateBuilder {
 public:
  // All borrowed.
  TemplateBuilder(const config::EncodeOptions& options, const std::string& run_id)
      : options_(options), run_id_(run_id) {}

  event::RecordTemplate OfRow(const event::Emission& emission, const TablePlan& plan) const;
  // The source block in it.
  event::Node SourceOf(const event::TableSchema& table, const TablePlan& plan) const;
  // Of a logical message, a transaction's begin or end, a heartbeat.
  event::RecordTemplate OfOther(const event::Emission& emission) const;

 private:
  event::RecordTemplate OfMessage(const event::Emission& emission) const;
  event::RecordTemplate OfTransaction(const event::Emission& emission) const;
  event::RecordTemplate OfHeartbeat(const event::Emission& emission) const;
  event::Node Member(const ConnectField& field, const event::Emission& emission,
                     const TablePlan& plan) const;
  void AddContextHeaders(event::RecordTemplate* record) const;

  const config::EncodeOptions& options_;
  const std::string& run_id_;
};

}  // namespace walduct::encode
