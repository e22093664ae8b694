// NodeProgram: the key or the value of a template for any writer (formats/value_writer.h) that
// appends to a buffer and whose structure is appends, too: what binary formats run. What does not
// vary is written when it is compiled, and is one append; what the changes of a transaction share
// is written once per transaction; rows that no transform has touched are one loop over columns.
// A writer that is kTagged begins values with what was announced of their field, and ends structs
// with what it has counted: both are told where it is written, and the top is no struct for it.
#pragma once

#include <string>
#include <utility>
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

namespace internal {

template <typename Writer>
constexpr bool IsTagged() {
  if constexpr (requires { Writer::kTagged; }) return Writer::kTagged;
  return false;
}

}  // namespace internal

template <typename Writer>
class NodeProgram {
 public:
  // node: not null. table: see RecordProgram::Compile. *buffers: see CompileLeaf. options: of the
  // writer.
  template <typename... Options>
  NodeProgram(const event::Node& node, const TablePlan* table, size_t* buffers,
              const Options&... options)
      : table_(table), buffers_(buffers), compiler_(&text_, options...) {
    status_ = node.is_struct() ? AddStruct(node, true) : AddLeaf(node, true);
    if (node.is_struct()) AddStep(Step::Kind::kText);
  }
  NodeProgram(const NodeProgram&) = delete;
  NodeProgram& operator=(const NodeProgram&) = delete;

  // InvalidArgument: no record of this template can be written.
  const absl::Status& status() const { return status_; }
  bool has_transaction_text() const { return has_transaction_text_; }

  // To be called before Run whenever RecordInputs::transaction() has changed.
  void BeginTransaction(const RecordInputs& inputs) {
    for (Step& step : steps_) {
      if (step.of_transaction.empty()) continue;
      step.text.clear();
      Writer out = WriterOn(&step.text);
      for (const TransactionValue& value : step.of_transaction) {
        step.text.append(value.text);
        Announce(value.place, &out);
        if (!inputs.fields().Write(value.input, &out)) WriteMissing(value.schema.get(), &out);
      }
      step.text.append(step.end);
    }
  }

  // Appends to *text, on which `out` writes. *null: a value alone that is NULL; nothing of it was
  // written.
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   OutBuffer* text, Writer* out, bool* null) const {
    *null = false;
    for (const Step& step : steps_) {
      text->append(step.text);
      switch (step.kind) {
        case Step::Kind::kText:
          break;
        case Step::Kind::kColumns:
          RETURN_IF_ERROR(
              inputs.WriteColumns(step.input.row, *step.input.row_plan, step.count, context, out));
          break;
        case Step::Kind::kBegin:
          Announce(step.place, out);
          out->BeginStruct();
          break;
        case Step::Kind::kEnd:
          out->EndStruct();
          break;
        case Step::Kind::kField:
          Announce(step.place, out);
          if (!inputs.fields().Write(step.input.field, out))
            WriteMissing(step.leaf.schema.get(), out);
          break;
        case Step::Kind::kLeaf:
          Announce(step.place, out);
          RETURN_IF_ERROR(RunLeaf(step, inputs, context, buffers, out, null));
          break;
      }
    }
    return absl::OkStatus();
  }

 private:
  static constexpr bool kTagged = internal::IsTagged<Writer>();

  // Of a field in its struct.
  struct Place {
    uint32_t index = 0;
    Need need = Need::kRequired;
  };
  struct TransactionValue {
    std::string text = {};  // before the value
    InputField input = InputField::kSourceMillis;
    event::ConnectSchemaPtr schema = {};
    Place place = {};
  };
  struct Step {
    enum class Kind : uint8_t { kText, kColumns, kField, kLeaf, kBegin, kEnd };
    OutBuffer text = {};  // before the value
    // What `text` is made of, with `end` behind it; empty: it is constant.
    std::vector<TransactionValue> of_transaction = {};
    std::string end = {};
    Kind kind = Kind::kText;
    uint32_t count = 0;     // kColumns
    InputPlan input = {};   // kColumns, kField
    LeafProgram leaf = {};  // kLeaf; kField: its schema
    bool alone = false;     // kLeaf: the whole value
    Place place = {};       // kField, kLeaf, kBegin
  };

  Writer WriterOn(OutBuffer* text) const {
    if constexpr (kTagged) return compiler_.On(text);
    return Writer(text);
  }

  // Others were told when the program was compiled.
  static void Announce(const Place& place, Writer* out) {
    if constexpr (kTagged) out->Field(place.index, "", place.need);
  }

  static constexpr bool DefaultFor(const event::ConnectSchema* schema) {
    return internal::NullIsDefault<Writer>() && schema != nullptr && schema->default_value;
  }

  // NULL, where a field was announced as there.
  static void WriteMissing(const event::ConnectSchema* schema, Writer* out) {
    Scratch scratch;
    if (DefaultFor(schema) && WriteScalar(schema->default_value->value(), schema, &scratch, out))
      return;
    out->Null();
  }

  absl::Status Add(const event::Node& node) {
    return node.is_struct() ? AddStruct(node, false) : AddValue(node);
  }

  absl::Status AddStruct(const event::Node& node, bool top) {
    if constexpr (!kTagged) compiler_.BeginStruct();
    if (kTagged && !top) AddStep(Step::Kind::kBegin);
    for (size_t i = AddColumns(node); i < node.members.size(); ++i)
      RETURN_IF_ERROR(AddMember(node.members[i], i));
    if (kTagged && !top) AddStep(Step::Kind::kEnd);
    if constexpr (!kTagged) compiler_.EndStruct();
    return absl::OkStatus();
  }

  // How many of a struct's first members are columns as the table has them.
  size_t AddColumns(const event::Node& node) {
    InputPlan first;
    const size_t count = CountUntouched(node, table_, &first);
    if (count == 0) return 0;
    Step& step = AddStep(Step::Kind::kColumns);
    step.input = first;
    step.count = static_cast<uint32_t>(count);
    return count;
  }

  absl::Status AddMember(const event::Node& member, size_t index) {
    const event::ConnectSchema* schema = member.schema.get();
    const Need need = NeedOf(schema);
    place_ = {static_cast<uint32_t>(index), need};
    if (member.kind != event::Node::Kind::kNull) {
      compiler_.Field(index, member.name, need);
      return Add(member);
    }
    if (DefaultFor(schema)) {
      compiler_.Field(index, member.name, need);
      WriteMissing(schema, &compiler_);
      return absl::OkStatus();
    }
    if (need == Need::kRequired) return RequiredIsNull(absl::StrCat("the field ", member.name));
    compiler_.NullField(index, member.name, need);
    return absl::OkStatus();
  }

  absl::Status AddValue(const event::Node& node) {
    const event::Leaf& leaf = node.leaf;
    if (leaf.kind == event::Leaf::Kind::kConstant && !leaf.constant.is_null()) {
      Scratch scratch;
      return WriteScalar(leaf.constant_value(), node.schema.get(), &scratch, &compiler_)
                 ? absl::OkStatus()
                 : DoesNotFit(node.name);
    }
    return AddField(node) ? absl::OkStatus() : AddLeaf(node, false);
  }

  // An input that is not a column, and may stand in the record as it is.
  bool AddField(const event::Node& node) {
    if (!IsInput(node) || node.leaf.input < kFieldInputs) return false;
    const event::ConnectSchema* schema = node.schema.get();
    const InputPlan input = FindInput(node.leaf.input, table_);
    const bool checked = NeedOf(schema) == Need::kRequired && MayBeNull(input.field);
    const bool filled = node.leaf.null_is_default && !internal::NullIsDefault<Writer>();
    if (checked || filled) return false;
    if (IsOfTransaction(input.field)) {
      of_transaction_.push_back({TakeText(), input.field, node.schema, place_});
      has_transaction_text_ = true;
      return true;
    }
    Step& step = AddStep(Step::Kind::kField);
    step.input = input;
    step.leaf.schema = node.schema;
    return true;
  }

  absl::Status AddLeaf(const event::Node& node, bool alone) {
    Step& step = AddStep(Step::Kind::kLeaf);
    step.leaf = CompileLeaf(node, table_, buffers_);
    step.alone = alone;
    return absl::OkStatus();
  }

  std::string TakeText() {
    std::string text(text_.view());
    text_.clear();
    return text;
  }

  Step& AddStep(typename Step::Kind kind) {
    Step step;
    step.kind = kind;
    step.place = place_;
    step.of_transaction = std::exchange(of_transaction_, {});
    if (step.of_transaction.empty()) {
      step.text.append(text_);
      text_.clear();
    } else {
      step.end = TakeText();
    }
    steps_.push_back(std::move(step));
    return steps_.back();
  }

  static absl::Status RunLeaf(const Step& step, const RecordInputs& inputs, ValueContext* context,
                              ProgramBuffers* buffers, Writer* out, bool* alone_and_null) {
    const LeafProgram& leaf = step.leaf;
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
    *alone_and_null = step.alone;
    if (step.alone) return absl::OkStatus();
    if (schema != nullptr && !schema->optional && !DefaultFor(schema))
      return RequiredIsNull(absl::StrCat("field ", leaf.name));
    WriteMissing(schema, out);
    return absl::OkStatus();
  }

  const TablePlan* const table_;
  size_t* const buffers_;
  absl::Status status_;
  std::vector<Step> steps_;
  bool has_transaction_text_ = false;
  // While it is compiled.
  OutBuffer text_;
  Writer compiler_;
  Place place_;  // of the member that is being added
  std::vector<TransactionValue> of_transaction_;
};

}  // namespace walduct::encode
