// ShapeBuilder: the shape of a record before any transform has seen it: what RecordEncoder would
// write, as a tree with inputs for what varies. Pure.
#pragma once

#include <string>

#include "config/options/options.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/record_shape.h"

namespace walduct::encode {

// What decides the structure of a record of one table; records of equal kind have equal shapes.
uint32_t ShapeKind(const event::Emission& emission);

class ShapeBuilder {
 public:
  // All borrowed.
  ShapeBuilder(const config::EncodeOptions& options, const std::string& run_id)
      : options_(options), run_id_(run_id) {}

  event::RecordShape OfRow(const event::Emission& emission, const TablePlan& plan) const;
  // The source block in it.
  event::Node SourceOf(const event::TableSchema& table, const TablePlan& plan) const;
  // Of a logical message, a transaction's begin or end, a heartbeat.
  event::RecordShape OfOther(const event::Emission& emission) const;

 private:
  event::RecordShape OfMessage(const event::Emission& emission) const;
  event::RecordShape OfTransaction(const event::Emission& emission) const;
  event::RecordShape OfHeartbeat(const event::Emission& emission) const;
  event::Node Member(const ConnectField& field, const event::Emission& emission,
                     const TablePlan& plan) const;
  void AddContextHeaders(event::RecordShape* shape) const;

  const config::EncodeOptions& options_;
  const std::string& run_id_;
};

}  // namespace walduct::encode
