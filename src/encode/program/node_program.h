// NodeProgram: the key or the value of a template for any writer (formats/value_writer.h): what a
// format needs that has no PartCompiler of its own. No text is joined, but nothing is looked up
// either, and a row that no transform has touched is one loop.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "encode/formats/write_scalar.h"
#include "encode/program/leaf_program.h"
#include "encode/program/untouched_row.h"
#include "encode/records/record_inputs.h"
#include "encode/schema/need.h"

namespace walduct::encode {

template <typename Writer>
class NodeProgram {
 public:
  // table: see RecordProgram::Compile.
  NodeProgram(const event::Node& node, const TablePlan* table) : table_(table) { Add(node); }

  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   Writer* out) const {
    for (const Step& step : steps_) RETURN_IF_ERROR(RunStep(step, inputs, context, buffers, out));
    return absl::OkStatus();
  }

 private:
  struct Step {
    enum class Kind : uint8_t { kBegin, kEnd, kField, kNullField, kNull, kRow, kLeaf };
    Kind kind = Kind::kNull;
    size_t index = 0;             // kField, kNullField
    std::string name = {};        // the same
    Need need = Need::kRequired;  // kField, kNullField
    InputPlan row = {};           // kRow
    LeafProgram leaf = {};        // kLeaf
  };

  void Add(const event::Node& node) {
    if (node.kind == event::Node::Kind::kNull) return Push(Step::Kind::kNull);
    if (!node.is_struct()) {
      Push(Step::Kind::kLeaf);
      steps_.back().leaf = CompileLeaf(node, table_, &buffers_);
      return;
    }
    InputPlan first;
    if (IsUntouchedRow(node, table_, &first)) {
      Push(Step::Kind::kRow);
      steps_.back().row = first;
      return;
    }
    Push(Step::Kind::kBegin);
    for (size_t i = 0; i < node.members.size(); ++i) AddMember(node.members[i], i);
    Push(Step::Kind::kEnd);
  }

  void AddMember(const event::Node& member, size_t index) {
    const bool null = member.kind == event::Node::Kind::kNull;
    Push(null ? Step::Kind::kNullField : Step::Kind::kField);
    steps_.back().index = index;
    steps_.back().name = member.name;
    steps_.back().need = NeedOf(member.schema.get());
    if (!null) Add(member);
  }

  void Push(typename Step::Kind kind) { steps_.push_back({.kind = kind}); }

  static absl::Status RunStep(const Step& step, const RecordInputs& inputs, ValueContext* context,
                              ProgramBuffers* buffers, Writer* out) {
    switch (step.kind) {
      case Step::Kind::kBegin:
        out->BeginStruct();
        break;
      case Step::Kind::kEnd:
        out->EndStruct();
        break;
      case Step::Kind::kField:
        out->Field(step.index, step.name, step.need);
        break;
      case Step::Kind::kNullField:
        out->NullField(step.index, step.name, step.need);
        break;
      case Step::Kind::kNull:
        out->Null();
        break;
      case Step::Kind::kRow:
        return inputs.WriteWholeRow(step.row.row, *step.row.row_plan, context, out);
      case Step::Kind::kLeaf:
        return RunLeaf(step.leaf, inputs, context, buffers, out);
    }
    return absl::OkStatus();
  }

  static absl::Status RunLeaf(const LeafProgram& leaf, const RecordInputs& inputs,
                              ValueContext* context, ProgramBuffers* buffers, Writer* out) {
    const event::ConnectSchema* schema = leaf.schema.get();
    event::Scalar value;
    bool null = false;
    if (leaf.kind == event::Leaf::Kind::kInput && !leaf.null_is_default) {
      RETURN_IF_ERROR(inputs.Write(leaf.input, context, out, &null));
    } else {
      RETURN_IF_ERROR(ReadLeaf(leaf, inputs, context, buffers, &value));
      null = value.is_null();
      if (!null && !WriteScalar(value, schema, context->scratch, out)) return DoesNotFit(leaf.name);
    }
    if (!null) return absl::OkStatus();
    if (schema != nullptr && !schema->optional)
      return RequiredIsNull(absl::StrCat("field ", leaf.name));
    out->Null();
    return absl::OkStatus();
  }

  const TablePlan* const table_;
  std::vector<Step> steps_;
  size_t buffers_ = 0;
};

}  // namespace walduct::encode
