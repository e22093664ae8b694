// LeafProgram: a leaf of a template ready to be written or read; QuestionProgram: a question of a
// chain, which is such a leaf. Immutable once compiled.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/out_buffer.h"
#include "encode/formats/value_context.h"
#include "encode/records/record_inputs.h"
#include "event/connect_schema.h"
#include "event/record.h"
#include "event/record_template.h"
#include "event/transform_chain.h"

namespace walduct::encode {

struct ConverterOptions;

struct LeafProgram {
  event::Leaf::Kind kind = event::Leaf::Kind::kConstant;
  event::ConnectSchemaPtr schema;  // null: schemaless
  InputPlan input;                 // kInput
  event::Scalar constant;          // kConstant; its text is in constant_text
  std::string constant_text;
  event::ValueFunctionPtr function;   // kFunction
  std::vector<LeafProgram> operands;  // kFunction
  std::string by;                     // kFunction: name of its transform
  size_t buffer = 0;                  // of its text, among ProgramBuffers
  bool null_is_default = false;
  std::string name;  // for messages
};

// Buffers that are used again from record to record, so that the steady state allocates nothing.
// One per encoder.
struct ProgramBuffers {
  std::deque<std::string> texts;  // of functions
  std::deque<std::vector<event::Scalar>> operands;
  OutBuffer key, value;
  std::deque<OutBuffer> header_texts;

  template <typename T>
  static T* At(std::deque<T>* buffers, size_t index) {
    while (buffers->size() <= index) buffers->emplace_back();
    return &(*buffers)[index];
  }
};

// *buffers: how many buffers the leaves before this one need; counted up.
LeafProgram CompileLeaf(const event::Node& node, const TablePlan* table, size_t* buffers);

// Reads a leaf: for functions and questions.
absl::Status ReadLeaf(const LeafProgram& leaf, const RecordInputs& inputs, ValueContext* context,
                      ProgramBuffers* buffers, event::Scalar* out);

// Appends a leaf, or what takes the place of its NULL. *null: nothing was appended.
//   InvalidArgument  null in a required field that has no default; JSON only
absl::Status AppendLeaf(const LeafProgram& leaf, const ConverterOptions& converter,
                        const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        bool* null);

// For a leaf that is NULL: its default, where a transform or the converter says so.
absl::Status FillNull(const LeafProgram& leaf, const ConverterOptions& converter,
                      ValueContext* context, bool* null);

absl::Status RequiredIsNull(absl::string_view field);
absl::Status DoesNotFit(absl::string_view field);

class QuestionProgram {
 public:
  static QuestionProgram Compile(const event::Node& question, const TablePlan* table);
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   event::Answer* answer) const;

 private:
  LeafProgram leaf_;
};

}  // namespace walduct::encode
