// RecordProgram: a RecordTemplate compiled to appends. Key, value and headers are runs of constant
// bytes with leaves between them: inputs, which RecordInputs writes, and functions, whose operands
// are read first. Immutable once compiled; running it needs buffers that are used again, so that
// the steady state allocates nothing.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/options/options.h"
#include "encode/formats/value_context.h"
#include "encode/records/record_inputs.h"
#include "encode/schema/connect_schema.h"
#include "event/record.h"
#include "event/record_template.h"
#include "event/transform_chain.h"

namespace walduct::encode {

// A leaf ready to be written or read.
struct LeafProgram {
  event::Leaf::Kind kind = event::Leaf::Kind::kConstant;
  ConnectSchemaPtr schema;  // null: schemaless
  InputPlan input;          // kInput
  event::Scalar constant;   // kConstant; its text is in constant_text
  std::string constant_text;
  event::ValueFunctionPtr function;   // kFunction
  std::vector<LeafProgram> operands;  // kFunction
  std::string by;                     // kFunction: name of its transform
  size_t buffer = 0;                  // of its text, among ProgramBuffers
  bool null_is_default = false;
  std::string name;  // for messages
};

// Buffers of the functions of one record. One per encoder.
struct ProgramBuffers {
  std::deque<std::string> texts;
  std::deque<std::vector<event::Scalar>> operands;
  std::string key, value;
  std::deque<std::string> header_texts;
  std::vector<event::Header> headers;
};

// Reads a leaf: for functions and questions.
absl::Status ReadLeaf(const LeafProgram& leaf, const RecordInputs& inputs, ValueContext* context,
                      ProgramBuffers* buffers, event::Scalar* out);

class RecordProgram {
 public:
  struct Converters {
    config::ConverterOptions key, value;
    std::optional<config::ConverterOptions> header;  // absent: SimpleHeaderConverter
  };
  // An error: no record of this template can be written (a required value is null, bytes are asked
  // for and there are none).
  static absl::StatusOr<std::unique_ptr<const RecordProgram>> Compile(
      const event::RecordTemplate& record, const InputPlans& inputs, const Converters& converters);

  // Fills record, which borrows from the program and the buffers.
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   event::Record* record) const;

 private:
  friend class ProgramCompiler;

  struct Step {
    enum class Kind {
      kLeaf,
      kOpen,  // kOpen, kClose: of a struct that StringConverter prints
      kClose,
      kColumns,  // the first columns of a row, which no transform has touched; JSON
      kSource,   // the source block as it came; JSON
      kClock,    // a field of the clock as it came; JSON
    };
    Kind kind = Kind::kLeaf;
    std::string before;  // constant bytes
    LeafProgram leaf;    // kColumns: the first one; kClock: its input
    size_t columns = 0;  // kColumns: how many
  };
  // Key, value or one header.
  struct Part {
    bool present = false;  // false: null
    bool root = false;     // one leaf alone: null is null where the converter has no sign for it
    bool schemaless = false;
    bool raw = false;  // ByteArrayConverter
    bool key = false;  // of the record
    bool header = false;
    TextFormat format = TextFormat::kJson;
    config::ConverterOptions converter;
    std::vector<Step> steps;
    std::string after;
    std::string name;  // of the header
  };

  absl::Status RunPart(const Part& part, const RecordInputs& inputs, ValueContext* context,
                       ProgramBuffers* buffers, std::string* out, bool* null) const;
  absl::Status RunHeaders(const RecordInputs& inputs, ValueContext* context,
                          ProgramBuffers* buffers, event::Record* record) const;
  absl::Status RunHeader(const Part& part, const RecordInputs& inputs, ValueContext* context,
                         ProgramBuffers* buffers, std::string* out, bool* null) const;
  static absl::Status RunNull(const LeafProgram& leaf, const Part& part, ValueContext* context,
                              bool* null);
  static absl::Status RunWhole(const Step& step, const RecordInputs& inputs, ValueContext* context);
  static absl::Status RunStep(const Step& step, const Part& part, const RecordInputs& inputs,
                              ValueContext* context, ProgramBuffers* buffers, bool* null);
  static absl::Status RunStructStep(const Step& step, const Part& part, const RecordInputs& inputs,
                                    ValueContext* context, ProgramBuffers* buffers, bool* first);

  std::string topic_;
  Part key_, value_;
  std::vector<Part> headers_;
  std::optional<LeafProgram> partition_, timestamp_;
};

// A question of a chain, compiled.
class QuestionProgram {
 public:
  static QuestionProgram Compile(const event::Node& question, const InputPlans& inputs);
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   event::Answer* answer) const;

 private:
  LeafProgram leaf_;
};

}  // namespace walduct::encode
