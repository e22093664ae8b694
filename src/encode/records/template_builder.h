// TemplateBuilder: the template of a record before any transform has seen it: the layout of its
// kind (schema/record_layout.h) and the rows of its table, as a tree with inputs for what varies.
// Pure.
#pragma once

#include <string>

#include "encode/schema/record_layout.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/record_template.h"

namespace walduct::encode {

struct EncodeOptions;

// What decides the structure of a record of one table: records of equal keys have equal templates.
uint32_t TemplateKey(const event::Emission& emission);

class TemplateBuilder {
 public:
  // All borrowed.
  TemplateBuilder(const EncodeOptions& options, const std::string& run_id)
      : options_(options), run_id_(run_id) {}

  event::RecordTemplate OfRow(const event::Emission& emission, const TablePlan& plan) const;
  // Of a logical message, a transaction's begin or end, a heartbeat.
  event::RecordTemplate OfOther(const event::Emission& emission) const;

 private:
  event::Node Struct(const StructLayout& layout, event::ConnectSchemaPtr schema,
                     const event::Emission& emission, std::string name) const;
  event::Node Field(const FieldLayout& layout, const event::ConnectField& field,
                    const event::Emission& emission) const;
  std::string TextOf(FixedText text, const event::Emission& emission) const;
  void AddContextHeaders(event::RecordTemplate* record) const;

  const EncodeOptions& options_;
  const std::string& run_id_;
};

}  // namespace walduct::encode
